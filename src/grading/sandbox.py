"""A sandbox for one submission, made by bubblewrap, or with `trust` a plain process that isn't protected.

The sandbox sees Python, its packages, the helper package `attention` and the part of this course that
runs a function, but no record, reference or submission. All of it is read-only, except for an empty
/tmp. It has no network and sees no other process, and whatever is started in it ends with it. Limits on
time, memory, processes and files are set before a learner's code runs. A filter of system calls (by
libseccomp) refuses those that could get memory which no limit counts.

The judge sends requests, and the sandbox answers each with plain data (packed by msgpack). The judge
never replies to an answer.
"""

import errno
import mmap
import os
import pickle
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import msgpack
import psutil

from course import content
from course.errors import NoSandbox

SRC = Path(__file__).resolve().parents[1]
PARTS = (  # the files of this course that are in the sandbox
    *("course/__init__.py", "grading/__init__.py", "course/learn/__init__.py"),
    *(f"course/learn/{name}.py" for name in ("attempt", "restore", "values")),
    *(f"grading/{name}.py" for name in ("answers", "cells", "inside", "probe")),
)
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/ld.so.cache")
HOME = "/course"  # the folder of the parts in the sandbox
KNOWN = {  # the environment variables of a learner's process
    **{"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1"},
    **{"PYTHONHASHSEED": "0", "COURSE_HEADLESS": "1", "MPLBACKEND": "agg"},
}
MEMORY = 3 << 30  # bytes, for all processes of a sandbox together
LIMITS = {
    "AS": 6 << 30,  # bytes of addresses, for each process; torch alone takes a part of them
    "DATA": MEMORY,
    "CPU": 180,  # processor seconds for each process, because it could stop its own timers
    "NPROC": 40,  # processes and threads
    "FSIZE": 16 << 20,
    "NOFILE": 128,
    "CORE": 0,
}
TMP, SHM = 64 << 20, 1 << 20
LONGEST = 80 << 20  # bytes of an answer
WATCH = 0.5  # seconds between two checks of how much memory a sandbox has
START = 240  # seconds until Python has started, even on a busy machine
MORE = "`--trust` grades without a sandbox: every learner's code can then do what you can."


class Sandbox:
    """A process that answers requests. If it is closed, everything that it started ends too."""

    def __init__(self, module: str, trust: bool = False):
        as_root = os.geteuid() == 0 and not trust
        limits = "CORE=0" if trust else ",".join(f"{k}={v}" for k, v in LIMITS.items())
        user = 2_000_000_000 + os.getpid() % 100_000_000 if as_root else 0
        with tempfile.TemporaryFile() as rules, ExitStack() as users:
            start, fds = python(str(SRC), module), []
            if not trust:
                write_filter(rules)
                fds = [rules.fileno(), *(users.enter_context(given_users()) if as_root else ())]
                start = [*bubblewrap(*fds), *python(HOME, module)]
            self.watched = time.monotonic()
            self.line, theirs = socket.socketpair()
            self.errors = tempfile.TemporaryFile()  # noqa: SIM115 closed by close()
            with theirs:
                self.process = subprocess.Popen(
                    [*start, limits, str(user)],
                    stdin=theirs,
                    stdout=subprocess.DEVNULL,
                    stderr=self.errors,
                    pass_fds=fds,
                    env=None if trust else {"PATH": os.environ.get("PATH", os.defpath)},
                    start_new_session=True,
                )

    def ask(self, request: Any, until: float) -> Any:
        """Its answer to a request. None if it has ended, or has to be ended because of its memory or time."""
        answers = msgpack.Unpacker(max_buffer_size=LONGEST)
        try:
            self.line.settimeout(START)
            self.line.sendall(pickle.dumps(request))
            self.line.settimeout(WATCH)
            while time.monotonic() < until and not self.is_too_large():
                with suppress(TimeoutError):
                    if not (said := self.line.recv(1 << 20)):
                        return None
                    answers.feed(said)
                    for answer in answers:
                        return answer
        except (OSError, ValueError, msgpack.UnpackException):
            pass
        return None

    def refusal(self) -> NoSandbox:
        """End it, and return an error with the last line that it wrote: why it didn't start."""
        self.end()
        self.errors.seek(0)
        said = self.errors.read(4000).decode(errors="replace").strip().split("\n")[-1]
        self.errors.close()
        if not said:
            said = "nothing can be computed in it: may you read this Python and the course?"
        return NoSandbox(f"the sandbox doesn't start: {said}")

    def family(self) -> list[psutil.Process]:
        """Its first process and all processes that this one has started; none if it has ended."""
        with suppress(psutil.Error):
            first = psutil.Process(self.process.pid)
            return [first, *first.children(recursive=True)]
        return []

    def is_too_large(self) -> bool:
        """True if all its processes together take more than MEMORY; looks only every WATCH seconds."""
        if time.monotonic() < self.watched + WATCH:
            return False
        self.watched = time.monotonic()
        return sum(map(_memory, self.family())) > MEMORY

    def close(self) -> None:
        """End it, and close its files."""
        self.end()
        self.errors.close()

    def end(self) -> None:
        """End it and all processes that it has started.

        When bubblewrap ends, the kernel ends the sandbox's first process, and with it all others. Each
        process is also killed directly, so that nothing depends on one signal.
        """
        self.line.close()
        family = self.family() if self.process.poll() is None else []
        for process in family:
            with suppress(psutil.Error):
                process.kill()
        self.process.wait()
        psutil.wait_procs(family, timeout=10)


def _memory(process: psutil.Process) -> int:
    with suppress(psutil.Error):
        return process.memory_info().rss
    return 0


# ---------------------------------------------------------------- the command


def python(home: str, module: str) -> list[str]:
    """The command that runs a module's `main` in Python, with `home` first on its path."""
    start = f"import sys; sys.path.insert(0, {home!r}); from {module} import main; main()"
    return [sys.executable, "-B", "-P", "-s", "-c", start]


def bubblewrap(filter_file: int, *users: int) -> list[str]:
    """The command of bubblewrap, which says what the sandbox sees; Python's command comes after it.

    The limits don't count root's processes. So a sandbox that root starts takes the number of a user that
    doesn't exist, for which it needs `users`, the files of `given_users`. It keeps root's power to read
    files, so it can read the course and Python, whoever owns them. It can't see any other files.
    """
    if not (found := shutil.which("bwrap")):
        raise NoSandbox(f"there is no bubblewrap on the PATH: apt-get install bubblewrap. {MORE}")
    command = [found, "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    command += ["--unshare-cgroup-try", "--die-with-parent", "--new-session", "--as-pid-1"]
    command += ["--cap-drop", "ALL", "--seccomp", str(filter_file), "--clearenv"]
    command += ["--unshare-user", *([] if users else ["--disable-userns"])]
    for option, fd in zip(("--info-fd", "--userns-block-fd"), users, strict=False):
        command += [option, str(fd)]
    for power in ("SETUID", "SETGID", "DAC_READ_SEARCH") if users else ():
        command += ["--cap-add", f"CAP_{power}"]
    for name, value in KNOWN.items():
        command += ["--setenv", name, value]
    command += _empty("/tmp", TMP)
    for option, source, target in view():
        for folder in reversed(Path(target).parents[:-1]):  # otherwise only root could open it
            if str(folder) != "/tmp" and not any(map(folder.is_relative_to, SYSTEM)):
                command += ["--perms", "0755", "--dir", str(folder)]
        command += [option, source, target]
    command += ["--proc", "/proc", "--dev", "/dev", *_empty("/dev/shm", SHM)]
    command += ["--ro-bind", "/dev/null", "/dev/zero"]  # it gives memory that isn't counted
    for hidden in hides():
        command += ["--perms", "0755", "--tmpfs", hidden, "--remount-ro", hidden]
    return [*command, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp", "--"]


@contextmanager
def given_users() -> Iterator[tuple[int, int]]:
    """A sandbox that is started in this context gets all users of this machine in its user namespace.

    Yields two files: bubblewrap writes its process id into one, and waits until the other is closed.
    """
    (told, tell), (wait, ready) = os.pipe(), os.pipe()
    with open(told, encoding="ascii") as said, open(ready, "wb"):
        try:
            yield tell, wait
        finally:
            os.close(tell)
            os.close(wait)
        child = re.search(r'"child-pid": (\d+)', said.read())
        with suppress(OSError):  # bubblewrap then goes on without users, and says more
            for kind in ("uid", "gid") if child else ():
                ours = Path(f"/proc/self/{kind}_map").read_text(encoding="ascii").split()
                same = zip(ours[::3], ours[::3], ours[2::3], strict=True)
                lines = "".join(f"{' '.join(line)}\n" for line in same)
                Path(f"/proc/{child[1]}/{kind}_map").write_text(lines, encoding="ascii")


def _empty(folder: str, size: int) -> list[str]:
    return ["--perms", "1777", "--size", str(size), "--tmpfs", folder]


def view() -> Iterator[tuple[str, str, str]]:
    """Everything that the sandbox sees, each as an option of bubblewrap, a source and a target."""
    for path in SYSTEM:
        if os.path.islink(path):
            yield "--symlink", os.readlink(path), path
        elif os.path.exists(path):
            yield "--ro-bind", path, path
    home = Path(sys.executable).resolve().parents[1]
    for path in {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, str(home)}:
        if not path.startswith("/usr"):
            yield "--ro-bind", path, path
    yield "--ro-bind", str(SRC / "attention"), f"{HOME}/attention"
    for part in PARTS:
        yield "--ro-bind", str(SRC / part), f"{HOME}/{part}"


def hides() -> Iterator[str]:
    """Folders of this course to hide, because the view would show them (an installed copy or a checkout)."""
    ours = (SRC / "course", SRC / "grading", SRC.parent / "tests", SRC.parent / "notebooks")
    for folder in (*ours, content.folder()):
        if folder.is_dir() and is_shown(folder):
            yield str(folder)


def is_shown(path: Path) -> bool:
    """True if a sandbox can read this path, because it is in a folder of Python or of the system."""
    prefixes = [Path(p).resolve() for p in (sys.prefix, sys.base_prefix, "/usr")]
    return any(path.resolve().is_relative_to(p) for p in prefixes)


# ---------------------------------------------------------------- system calls


REFUSED = (
    *("memfd_create", "memfd_secret", "shmget", "msgget", "semget", "mq_open"),  # uncounted memory
    *("add_key", "request_key", "keyctl", "bpf", "perf_event_open", "userfaultfd"),
    *("io_uring_setup", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd"),
    *("mount", "umount2", "pivot_root", "fsopen", "open_tree", "move_mount", "unshare", "setns"),
    "open_by_handle_at",  # opens a file without its name
)
BUFFERS = (7, 8, 32, 33)  # SO_SNDBUF, SO_RCVBUF, and both of them FORCE
NEW_SPACES = 0x7E020000  # flags of clone that make a namespace


def write_filter(file: IO[bytes]) -> None:
    """Write the filter of system calls for bubblewrap. Raises NoSandbox if libseccomp doesn't allow that."""
    try:
        import pyseccomp as seccomp

        rules, no = seccomp.SyscallFilter(seccomp.ALLOW), seccomp.ERRNO(errno.EPERM)
        for name in REFUSED:
            rules.add_rule(no, name)
        rules.add_rule(no, "prlimit64", seccomp.Arg(0, seccomp.NE, 0))  # limits of another process
        # A network namespace doesn't shut off VSOCK, which leads to a virtual machine's host.
        rules.add_rule(no, "socket", seccomp.Arg(0, seccomp.NE, socket.AF_UNIX))
        for option in BUFFERS:
            socket_itself = seccomp.Arg(1, seccomp.EQ, socket.SOL_SOCKET)
            rules.add_rule(no, "setsockopt", socket_itself, seccomp.Arg(2, seccomp.EQ, option))
        # No limit counts shared memory that a process has unmapped (nor that of /dev/zero).
        shared = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS
        rules.add_rule(no, "mmap", seccomp.Arg(3, seccomp.MASKED_EQ, shared, shared))
        for flag in (1 << bit for bit in range(32) if NEW_SPACES >> bit & 1):
            rules.add_rule(no, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, flag, flag))
        # A filter can't see the flags of clone3. If it seems to be missing, C libraries use clone.
        rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
        rules.export_bpf(file)
    except (ImportError, RuntimeError, ValueError, OSError) as error:
        raise NoSandbox(
            f"expected pyseccomp and a libseccomp from 2.5.4 on, but: {error}: "
            "run `python install.py --grade` in the course's folder, and "
            f"apt-get install libseccomp2. {MORE}"
        ) from None
    file.seek(0)


# ---------------------------------------------------------------- does it work here?


def refuse_or_go(trust: bool) -> None:
    """Raise NoSandbox, with advice, if the sandbox can't work on this machine; with `trust`, do nothing."""
    if trust:
        return
    if not sys.platform.startswith("linux"):
        raise NoSandbox(f"the sandbox needs Linux, and this is {sys.platform}. {MORE}")
    try:
        probe()
    except NoSandbox as error:
        text = str(error)
        if "namespace" in text or "Operation not permitted" in text or "setting up" in text:
            text += (
                ". The kernel or the container forbids it: on Ubuntu see AppArmor's "
                "apparmor_restrict_unprivileged_userns, in a container run on the host instead"
            )
        raise NoSandbox(text if MORE in text else f"{text}. {MORE}") from None


def probe() -> None:
    """Test every promise of the sandbox from within one. Raises NoSandbox, with a sentence, if one fails."""
    with (
        tempfile.NamedTemporaryFile() as secret,
        socket.create_server(("127.0.0.1", 0)) as server,
        closing(Sandbox("grading.probe")) as box,
    ):
        os.chmod(secret.name, 0o644)
        known = {"file": secret.name, "port": server.getsockname()[1], "pid": os.getpid()}
        if (could := box.ask(known, time.monotonic() + START)) is None:
            raise box.refusal()
    if could:
        raise NoSandbox(
            f"this machine's sandbox doesn't hold: a program in it could {', '.join(could)}"
        )
