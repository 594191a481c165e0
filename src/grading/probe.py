"""In the sandbox: become a user with limits, try what must not be possible, and report what was."""

import ctypes
import mmap
import os
import pickle
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import msgpack

END, SECRET, KEEP = 1, 4, 8  # PR_SET_PDEATHSIG, _DUMPABLE, _KEEPCAPS of Linux's prctl
READ = 1 << 2  # CAP_DAC_READ_SEARCH: the power to read any file that the sandbox sees
NEW_USER = 0x10000000  # CLONE_NEWUSER
LAZY = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE: addresses without memory


def settle() -> socket.socket:
    """Set the limits and the user's number from the command line, and let this process end with the judge.

    None of this can be undone. Returns the socket to the judge.
    """
    limits, user = sys.argv[1:]
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("900")  # if memory runs out, the kernel ends this process first
    for part in limits.split(","):
        name, _, value = part.partition("=")
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (int(value), int(value)))
    if user != "0":
        become(int(user))
    with suppress(AttributeError):  # only Linux has prctl
        ctypes.CDLL(None).prctl(END, signal.SIGKILL)
        ctypes.CDLL(None).prctl(SECRET, 0)  # its own children can't read or write its memory
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return socket.socket(fileno=os.dup(0))


def become(user: int) -> None:
    """Take a user's number for good, and of root's powers keep only the one to read files."""
    system, ints = ctypes.CDLL(None, use_errno=True), ctypes.c_uint32
    system.prctl(KEEP, 1)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    this_process, powers = (ints * 2)(0x20080522, 0), (ints * 6)(READ, READ, 0, 0, 0, 0)
    if system.capset(this_process, powers):
        raise OSError(ctypes.get_errno(), "no power to read files")


def main() -> None:
    """Try everything that must not be possible, and send the judge a list of what was."""
    line = settle()
    request = pickle.load(line.makefile("rb"))
    could = [words for words, attempt in TRIALS.items() if _works(attempt, request)]
    line.sendall(msgpack.packb(could))


def _works(attempt: Callable[[dict], object], request: dict) -> bool:
    try:
        return attempt(request) is not False
    except (OSError, MemoryError):
        return False


def _is_root(request: dict) -> bool:
    with open("/proc/self/status", encoding="ascii") as file:
        lines = [text.split() for text in file if text.startswith(("CapPrm", "CapEff"))]
    powers = [int(number, 16) for _, number in lines]
    if os.getuid():
        return any(power & ~READ for power in powers) or os.setuid(0) is None
    return any(powers)


def _sees(request: dict) -> bool:
    others = os.getpid() != 1 or any(
        name.isdecimal() and int(name) > 1 for name in os.listdir("/proc")
    )
    return others or (request["pid"] > 1 and os.path.exists(f"/proc/{request['pid']}"))


def _forks(request: dict) -> bool:
    children = []
    try:
        for _ in range(60):
            child = os.fork()
            if not child:
                time.sleep(60)  # stays until it is ended below
                os._exit(0)
            children.append(child)
        return True
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _write(path: str, size: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open(path, "wb") as file:
        for _ in range(size >> 20):
            file.write(bytes(1 << 20))


def _mapped(path: str) -> None:
    with open(path, "rb") as file:
        mmap.mmap(file.fileno(), 1 << 20, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)


def _buffers(size: int) -> None:
    one, other = socket.socketpair()
    with one, other:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)


TRIALS = {  # what must not be possible; a trial gives False or an OSError if it isn't
    "read a file of yours": lambda request: os.open(request["file"], os.O_RDONLY),
    "write outside of /tmp": lambda _: os.open("/new", os.O_CREAT),
    "write into Python": lambda _: os.open(os.path.join(sys.prefix, "new"), os.O_CREAT),
    "open a connection": lambda request: socket.create_connection(
        ("127.0.0.1", request["port"]), 5
    ),
    "see your processes": _sees,
    "start any number of processes": _forks,
    "take any amount of memory": lambda _: mmap.mmap(-1, 20 << 30, flags=LAZY),
    "write any amount to a file": lambda _: _write("/tmp/large", 200 << 20),
    "fill the memory with files": lambda _: [_write(f"/tmp/{n}", 8 << 20) for n in range(30)],
    "have memory that isn't counted": lambda _: os.memfd_create("new"),
    "share memory that isn't counted": lambda _: mmap.mmap(-1, 1 << 20),
    "take such memory from a device": lambda _: _mapped("/dev/zero"),
    "fill the buffers of sockets": lambda _: _buffers(1 << 24),
    "make a sandbox of its own": lambda _: ctypes.CDLL(None).unshare(NEW_USER) == 0,
    "become root": _is_root,
}
