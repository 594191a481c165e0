"""A sandbox for one submission, by bubblewrap; without it a plain process, for who trusts everyone.

Inside are Python, its packages, the helper package `attention` and the part of this course that
runs a function: no record, no reference, no submission. All of it is read-only, but for an empty
/tmp. There is no network, no other process is seen, and whatever is started ends with the sandbox.
Limits of time, memory, processes and files are set before a learner's code runs, and a filter
refuses system calls by which memory could be had that no limit counts.
"""

import os
import platform
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from course.errors import NoSandbox
from grading.line import Line, WireError

SRC = Path(__file__).resolve().parents[2]
PARTS = (  # of this course, in the sandbox
    *("course/__init__.py", "grading/__init__.py", "course/learn/__init__.py"),
    *(f"course/learn/{name}.py" for name in ("attempt", "restore", "values")),
    *(f"grading/{name}.py" for name in ("cells", "inside", "line", "probe", "wire")),
)
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/ld.so.cache")
HOME = "/course"  # where the parts are, in the sandbox
MEMORY = 3 << 30  # bytes, of all processes of a sandbox together
LIMITS = {
    "AS": 6 << 30,  # of addresses, a process; torch takes half of one itself
    "CPU": 900,  # seconds, a process
    "NPROC": 40,  # processes and threads
    "FSIZE": 16 << 20,
    "NOFILE": 128,
    "CORE": 0,
}
TMP, SHM = 64 << 20, 1 << 20
WATCH = 0.25  # seconds between two looks at how much they have
START = 240  # seconds until torch is there, on a machine with too much to do
MORE = "`--trust` grades without a sandbox: every learner's code can then do what you can."


class Gone(Exception):
    """The process in the sandbox has ended, or was ended; its words say why."""


class Sandbox:
    """One sandbox: a process that answers on `line`, and the end of all that it started."""

    def __init__(self, module: str = "grading.inside", trust: bool = False):
        limits = {} if trust else LIMITS
        as_root = os.geteuid() == 0 and not trust
        start = python(str(SRC), module)
        if not trust:
            filter_file = filtered()
            start = [*bubblewrap(filter_file, as_root), *python(HOME, module)]
        ours, theirs = socket.socketpair()
        number = theirs.fileno()
        user = 2_000_000_000 + os.getpid() % 100_000_000 if as_root else 0
        words = [
            str(number),
            ",".join(f"{k}={v}" for k, v in limits.items()) or "CORE=0",
            str(user),
        ]
        fds = [number] if trust else [number, filter_file]
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 closed by __exit__; of the start; nothing of a learner's
        try:
            self.process = subprocess.Popen(
                [*start, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self.errors,
                pass_fds=fds,
                env=None if trust else {"PATH": os.environ.get("PATH", os.defpath)},
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            raise NoSandbox(f"expected bubblewrap, but: {error}. {MORE}") from None
        finally:
            theirs.close()
            for fd in fds[1:]:
                os.close(fd)
        self.line = Line(ours)
        self.watched = 0.0

    def start(self) -> dict:
        """Wait until it is ready. NoSandbox, with what it said, if it never is."""
        try:
            message, _ = self.line.receive(START)
            return message
        except (EOFError, OSError, TimeoutError, WireError):
            self.close()
            self.errors.seek(0)
            said = self.errors.read(4000).decode(errors="replace").strip().split("\n")
            raise NoSandbox(
                f"the sandbox doesn't start: {said[-1] or 'it says nothing'}"
            ) from None

    def watch(self) -> None:
        """Gone, if all its processes together have taken more memory than they may."""
        if time.monotonic() - self.watched < WATCH:
            return
        self.watched = time.monotonic()
        with suppress(psutil.Error):
            top = psutil.Process(self.process.pid)
            family = [top, *top.children(recursive=True)]
            if sum(map(_rss, family)) > MEMORY and sum(map(_memory, family)) > MEMORY:
                self.close()
                raise Gone(f"took more than {MEMORY >> 30} GiB of memory")

    def close(self) -> None:
        """End it with all that it has started.

        Its first process ends with bubblewrap, by a signal of the kernel, and all others with that one;
        it is ended by name as well, so that nothing hangs on one signal alone.
        """
        self.line.end.close()
        family: list[psutil.Process] = []
        if self.process.poll() is None:
            with suppress(psutil.Error):
                family = psutil.Process(self.process.pid).children(recursive=True)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, 9)
        for process in family:
            with suppress(psutil.Error):
                process.kill()
        self.process.wait()
        psutil.wait_procs(family, timeout=10)

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *error) -> None:
        self.close()
        self.errors.close()


def _rss(process: psutil.Process) -> int:
    try:
        return process.memory_info().rss
    except psutil.Error:
        return 0


def _memory(process: psutil.Process) -> int:
    """What a process has for itself, and its share of what it has in common with others."""
    with suppress(psutil.Error, AttributeError):
        return process.memory_full_info().pss
    return _rss(process)


# ---------------------------------------------------------------- the command


def python(home: str, module: str) -> list[str]:
    """Python, with the parts in `home` first on its path."""
    start = f"import sys; sys.path.insert(0, {home!r}); from {module} import main; main()"
    return [sys.executable, "-B", "-P", "-s", "-c", start]


def bubblewrap(filter_file: int, as_root: bool) -> list[str]:
    """The command before the command: what the sandbox sees."""
    if not (found := shutil.which("bwrap")):
        raise NoSandbox(f"there is no bubblewrap on the PATH: apt-get install bubblewrap. {MORE}")
    command = [found, "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    command += ["--unshare-cgroup-try", "--die-with-parent", "--new-session", "--as-pid-1"]
    command += ["--cap-drop", "ALL", "--seccomp", str(filter_file), "--clearenv"]
    if as_root:  # who then takes a user's number that nobody has: root's processes aren't counted
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        command += ["--unshare-user", "--disable-userns"]
    for name, value in environment().items():
        command += ["--setenv", name, value]
    command += [
        "--perms",
        "1777",
        "--size",
        str(TMP),
        "--tmpfs",
        "/tmp",
    ]  # Python may live below it
    made: set[str] = {"/tmp"}
    for option, source, target in view():
        for folder in reversed(Path(target).parents[:-1]):
            if str(folder) not in made and not any(folder.is_relative_to(m) for m in SYSTEM):
                made.add(str(folder))
                command += ["--perms", "0755", "--dir", str(folder)]
        command += [option, source, target]
    command += ["--proc", "/proc", "--dev", "/dev"]
    command += ["--perms", "1777", "--size", str(SHM), "--tmpfs", "/dev/shm"]
    for hidden in hides():
        command += ["--perms", "0755", "--tmpfs", hidden, "--remount-ro", hidden]
    return [*command, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp", "--"]


def environment() -> dict[str, str]:
    """All that a learner's process knows of its surroundings."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "COURSE_HEADLESS": "1",
        "MPLBACKEND": "agg",
    }


def view() -> Iterator[tuple[str, str, str]]:
    """What is seen: how, what, and where."""
    for path in SYSTEM:
        if os.path.islink(path):
            yield "--symlink", os.readlink(path), path
        elif os.path.exists(path):
            yield "--ro-bind", path, path
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    prefixes |= {str(Path(sys.executable).resolve().parents[1])}
    seen: list[Path] = [Path("/usr")]
    for path in sorted(map(Path, prefixes)):
        if not any(path.is_relative_to(other) for other in seen):
            seen.append(path)
            yield "--ro-bind", str(path), str(path)
    yield "--ro-bind", str(SRC / "attention"), f"{HOME}/attention"
    for part in PARTS:
        yield "--ro-bind", str(SRC / part), f"{HOME}/{part}"


def hides() -> Iterator[str]:
    """Folders of this course that the view would show: an installed copy, or the working tree."""
    for folder in (SRC / "course", SRC.parent / "tests", SRC.parent / "notebooks"):
        if folder.is_dir() and is_shown(folder):
            yield str(folder)


def is_shown(path: Path) -> bool:
    """True if a sandbox can read what is there, as Python or the system lives around it."""
    prefixes = [Path(p).resolve() for p in (sys.prefix, sys.base_prefix, "/usr")]
    return any(path.resolve().is_relative_to(p) for p in prefixes)


# ---------------------------------------------------------------- system calls


REFUSED = {  # by the numbers of x86-64 and of ARM
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "fsopen": (430, 430),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "unshare": (272, 97),
    "setns": (308, 268),
}
CLONE, CLONE3, PRLIMIT = (56, 220), (435, 435), (302, 261)
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
NEW_SPACES = 0x7E020000  # flags of clone that make a namespace
LOAD, EQUAL, GREATER, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, KILL, NOT_PERMITTED, NOT_THERE = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026


def program(machine: str) -> bytes:
    """The filter, as the kernel's BPF; no bytes for a machine whose numbers aren't known here."""
    if machine not in MACHINES:
        return b""
    column, architecture = MACHINES[machine]
    steps = [
        (LOAD, 0, 0, 4),
        (EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, 0),
        (GREATER, 0, 1, 0x40000000),  # x32's numbers
        (RETURN, 0, 0, KILL),
        (EQUAL, 0, 1, CLONE3[column]),  # whose flags no filter sees: C libraries then use clone
        (RETURN, 0, 0, NOT_THERE),
        (EQUAL, 0, 3, CLONE[column]),
        (LOAD, 0, 0, 16),
        (ANY_BIT, 0, 1, NEW_SPACES),
        (RETURN, 0, 0, NOT_PERMITTED),
        (LOAD, 0, 0, 0),
        (EQUAL, 0, 3, PRLIMIT[column]),  # of no other process
        (LOAD, 0, 0, 16),
        (EQUAL, 1, 0, 0),
        (RETURN, 0, 0, NOT_PERMITTED),
        (LOAD, 0, 0, 0),
    ]
    for numbers in REFUSED.values():
        steps += [(EQUAL, 0, 1, numbers[column]), (RETURN, 0, 0, NOT_PERMITTED)]
    steps.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def filtered() -> int:
    """A file with the filter, open for reading."""
    data = program(platform.machine())
    if not data:
        raise NoSandbox(f"no filter of system calls is known for {platform.machine()}. {MORE}")
    end, start = os.pipe()
    os.write(start, data)
    os.close(start)
    return end


# ---------------------------------------------------------------- does it work here?


def probe() -> None:
    """Try every promise of the sandbox from within it; NoSandbox, with a sentence, if one fails."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as server:
        secret = Path(folder, "secret")
        secret.write_text("secret", encoding="utf-8")
        os.chmod(folder, 0o755)
        server.bind(("127.0.0.1", 0))
        server.listen()
        with Sandbox("grading.probe") as box:
            hello = box.start()
            request = {"file": str(secret), "port": server.getsockname()[1], "pid": os.getpid()}
            box.line.send({"is": "try", **request}, [], 10)
            try:
                told, _ = box.line.receive(60)
            except (EOFError, OSError, TimeoutError, WireError) as error:
                raise NoSandbox(f"the sandbox doesn't answer ({type(error).__name__})") from None
        if not hello.get("alone") or told.get("could"):
            could = ", ".join(map(str, told.get("could", []))) or "see other processes"
            raise NoSandbox(f"this machine's sandbox doesn't hold: a program in it could {could}")


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
