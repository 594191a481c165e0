"""Kernels kept apart: what lets many of them start at one time on one machine."""

import os

ROOM = 100  # characters that the name of a Unix socket may have: 103 on macOS, 107 on Linux


def apart(folder: str) -> dict[str, str]:
    """Environment of a kernel that shares no settings, history or connection with another."""
    return {"JUPYTER_RUNTIME_DIR": folder, "IPYTHONDIR": os.path.join(folder, "ipython")}


class Apart:
    """Mixed into a kernel manager: it talks to its kernel over Unix sockets in the runtime folder.

    A TCP port is looked for before the kernel starts and bound when it has: another program may
    take it in between, and then the kernel dies. TCP is used only where there are no Unix sockets
    (Windows) or the folder's name is too long for them.
    """

    def _connection_file_default(self) -> str:
        return os.path.join(os.environ["JUPYTER_RUNTIME_DIR"], "kernel.json")

    def _transport_default(self) -> str:
        longest = self._connection_file_default().replace(".json", "-ipc-5")
        return "ipc" if os.name == "posix" and len(os.fsencode(longest)) <= ROOM else "tcp"
