"""A sandbox for one submission, by bubblewrap; without it a plain process, for who trusts everyone.

Inside are Python, its packages, the helper package `attention` and the part of this course that
runs a function: no record, no reference, no submission. All of it is read-only, but for an empty
/tmp. There is no network, no other process is seen, and whatever is started ends with the sandbox.
Limits of time, memory, processes and files are set before a learner's code runs, and a filter
(libseccomp's) refuses system calls by which memory could be had that no limit counts.

Requests go in, and what comes out is an answer to each, in plain data (msgpack's). It is never
answered anything itself.
"""

import errno
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
PARTS = (  # of this course, in the sandbox
    *("course/__init__.py", "grading/__init__.py", "course/learn/__init__.py"),
    *(f"course/learn/{name}.py" for name in ("attempt", "restore", "values")),
    *(f"grading/{name}.py" for name in ("answers", "cells", "inside", "probe")),
)
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/ld.so.cache")
HOME = "/course"  # where the parts are, in the sandbox
KNOWN = {  # all that a learner's process knows of its surroundings
    **{"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1"},
    **{"PYTHONHASHSEED": "0", "COURSE_HEADLESS": "1", "MPLBACKEND": "agg"},
}
MEMORY = 3 << 30  # bytes, of all processes of a sandbox together
LIMITS = {
    "AS": 6 << 30,  # of addresses, a process; torch takes half of one itself
    "DATA": MEMORY,
    "CPU": 180,  # seconds, a process, which could stop its own clocks
    "NPROC": 40,  # processes and threads
    "FSIZE": 16 << 20,
    "NOFILE": 128,
    "CORE": 0,
}
TMP, SHM = 64 << 20, 1 << 20
LONGEST = 80 << 20  # bytes of an answer
WATCH = 0.5  # seconds between two looks at how much they have
START = 240  # seconds until Python is there, on a machine with too much to do
MORE = "`--trust` grades without a sandbox: every learner's code can then do what you can."


class Sandbox:
    """One sandbox: a process that answers requests, and the end of all that it started."""

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
            self.errors = tempfile.TemporaryFile()  # noqa: SIM115 close() does; of the start
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
        """What it answers. None if it has ended, or is to be: it takes too much, or too long."""
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
        """Why it didn't start, in its own last words."""
        self.end()
        self.errors.seek(0)
        said = self.errors.read(4000).decode(errors="replace").strip().split("\n")[-1]
        self.errors.close()
        if not said:
            said = "nothing can be computed in it: may you read this Python and the course?"
        return NoSandbox(f"the sandbox doesn't start: {said}")

    def family(self) -> list[psutil.Process]:
        """Its first process and all that this one has started."""
        with suppress(psutil.Error):
            first = psutil.Process(self.process.pid)
            return [first, *first.children(recursive=True)]
        return []

    def is_too_large(self) -> bool:
        """True if all its processes together have taken more memory than they may."""
        if time.monotonic() < self.watched + WATCH:
            return False
        self.watched = time.monotonic()
        return sum(map(_memory, self.family())) > MEMORY

    def close(self) -> None:
        """End it, and keep nothing of it."""
        self.end()
        self.errors.close()

    def end(self) -> None:
        """End it with all that it has started.

        Its first process ends with bubblewrap, by a signal of the kernel, and all others with that one;
        each is ended by name as well, so that nothing hangs on one signal alone.
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
    """Python, with the parts in `home` first on its path."""
    start = f"import sys; sys.path.insert(0, {home!r}); from {module} import main; main()"
    return [sys.executable, "-B", "-P", "-s", "-c", start]


def bubblewrap(filter_file: int, *users: int) -> list[str]:
    """The command before the command: what the sandbox sees.

    A sandbox of root's gets all `users`, and takes a number that none has, as root's processes aren't
    counted. It keeps root's power to read files, so it can read the course and its Python, whoever
    owns them; of any other file it has no name.
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
        for folder in reversed(Path(target).parents[:-1]):  # else root's alone
            if str(folder) != "/tmp" and not any(map(folder.is_relative_to, SYSTEM)):
                command += ["--perms", "0755", "--dir", str(folder)]
        command += [option, source, target]
    command += ["--proc", "/proc", "--dev", "/dev", *_empty("/dev/shm", SHM)]
    for hidden in hides():
        command += ["--perms", "0755", "--tmpfs", hidden, "--remount-ro", hidden]
    return [*command, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp", "--"]


@contextmanager
def given_users() -> Iterator[tuple[int, int]]:
    """All users of this machine for the space of users of a sandbox that is started within.

    On the first file bubblewrap says whose space it is; it goes on when the second one is closed.
    """
    (told, tell), (wait, ready) = os.pipe(), os.pipe()
    with open(told, encoding="ascii") as said, open(ready, "wb"):
        try:
            yield tell, wait
        finally:
            os.close(tell)
            os.close(wait)
        child = re.search(r'"child-pid": (\d+)', said.read())
        with suppress(OSError):  # of which bubblewrap says more when it goes on without them
            for kind in ("uid", "gid") if child else ():
                ours = Path(f"/proc/self/{kind}_map").read_text(encoding="ascii").split()
                same = zip(ours[::3], ours[::3], ours[2::3], strict=True)
                lines = "".join(f"{' '.join(line)}\n" for line in same)
                Path(f"/proc/{child[1]}/{kind}_map").write_text(lines, encoding="ascii")


def _empty(folder: str, size: int) -> list[str]:
    return ["--perms", "1777", "--size", str(size), "--tmpfs", folder]


def view() -> Iterator[tuple[str, str, str]]:
    """What is seen: how, what, and where."""
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
    """Folders of this course that the view would show: an installed copy, or the working tree."""
    ours = (SRC / "course", SRC / "grading", SRC.parent / "tests", SRC.parent / "notebooks")
    for folder in (*ours, content.folder()):
        if folder.is_dir() and is_shown(folder):
            yield str(folder)


def is_shown(path: Path) -> bool:
    """True if a sandbox can read what is there, as Python or the system lives around it."""
    prefixes = [Path(p).resolve() for p in (sys.prefix, sys.base_prefix, "/usr")]
    return any(path.resolve().is_relative_to(p) for p in prefixes)


# ---------------------------------------------------------------- system calls


REFUSED = (
    *("memfd_create", "memfd_secret", "shmget", "msgget", "semget", "mq_open"),  # uncounted memory
    *("add_key", "request_key", "keyctl", "bpf", "perf_event_open", "userfaultfd"),
    *("io_uring_setup", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd"),
    *("mount", "umount2", "pivot_root", "fsopen", "open_tree", "move_mount", "unshare", "setns"),
    "open_by_handle_at",  # which needs no name of a file
)
NEW_SPACES = 0x7E020000  # flags of clone that make a namespace


def write_filter(file: IO[bytes]) -> None:
    """Write the filter of system calls as bubblewrap reads it."""
    try:
        import pyseccomp as seccomp

        rules, no = seccomp.SyscallFilter(seccomp.ALLOW), seccomp.ERRNO(errno.EPERM)
        for name in REFUSED:
            rules.add_rule(no, name)
        rules.add_rule(no, "prlimit64", seccomp.Arg(0, seccomp.NE, 0))  # of another process
        # No network of its own shuts off VSOCK, which leads to a virtual machine's host.
        rules.add_rule(no, "socket", seccomp.Arg(0, seccomp.GT, socket.AF_INET))
        for flag in (1 << bit for bit in range(32) if NEW_SPACES >> bit & 1):
            rules.add_rule(no, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, flag, flag))
        # No filter sees the flags of clone3: where it isn't there, C libraries use clone.
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
    """A sentence and an end where the sandbox can't work, unless everyone is trusted."""
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
    """Try every promise of the sandbox from within it; NoSandbox, with a sentence, if one fails."""
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
