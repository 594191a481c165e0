"""Submissions that attack: none passes, none is lost, and nothing of them is left on the machine."""

import json
import os
import select
import signal
import socket
from pathlib import Path

import psutil
import pytest

from course.errors import NoSandbox
from course.learn import verdict as verdicts
from course.learn.exercises import load
from grading import remote as remotes
from grading import sandbox
from grading.judge import prepared, verdict
from grading.remote import Remote

pytestmark = pytest.mark.usefixtures("bubblewrap")
ID = "04.averaging_weights"
RIGHT = """
def averaging_weights(T):
    ones = torch.tril(torch.ones(T, T))
    return ones / ones.sum(dim=1, keepdim=True)
"""
BEGIN = "import os, sys, time, torch\n"
DEADLINE = 120  # seconds, only against a test that hangs


@pytest.fixture(scope="module")
def remote():
    with Remote() as made:
        yield made


@pytest.fixture(scope="module")
def exercise():
    made = prepared(ID, "a secret of the tests")
    yield made
    made.hide("another")
    del made.inputs[made.n_shown :]
    made.hidden = []


@pytest.fixture
def found(remote, exercise):
    """What is found of a cell."""
    return lambda *cells: verdict(remote, exercise, [BEGIN, *cells])


def test_the_right_answer_passes_on_inputs_that_nobody_has_seen(found, exercise):
    got = found(RIGHT)
    assert got.status == "passed"
    assert len(exercise.inputs) > exercise.n_shown > len(exercise.fixed)
    assert got.sentence == f"passed on {len(exercise.inputs)} inputs."


def test_a_known_mistake_gets_its_hint(found, exercise):
    got = found(RIGHT.replace("dim=1", "dim=0"))
    assert got.status == "known mistake" and got.sentence == exercise.mistakes[0].hint


def test_the_stub_and_a_deleted_cell_are_not_attempted(found):
    stub = found("def averaging_weights(T):\n    raise NotImplementedError")
    assert stub.status == "not attempted"
    assert found("x = 1").status == "not attempted"


def test_a_cell_that_is_no_python_or_fails_is_told_where(found):
    assert "SyntaxError" in found("def averaging_weights(T):\n    return (").sentence
    got = found("raise ValueError('no')\ndef averaging_weights(T): return helper(T)")
    assert "NameError: name 'helper' is not defined" in got.sentence
    got = found("@decorated\ndef averaging_weights(T): pass")
    assert "line 2 of code cell 2: NameError" in got.sentence


def test_what_passes_on_the_shown_inputs_alone_is_wrong_and_shows_no_hidden_one(found, exercise):
    shown = [given[0] for given in exercise.inputs[: exercise.n_shown]]
    hidden = {given[0] for given in exercise.hidden} - set(shown)
    assert hidden, "these draws hide nothing"
    got = found(RIGHT.replace("(T):", f"(T):\n    if T not in {shown}: print('saw', T); T = 1"))
    assert got.status == "wrong" and got.sentence == verdicts.HIDDEN
    assert not any(f"saw {T}" in " ".join(got.besides) for T in hidden)


FIND = """
import gc, importlib, builtins
FOUND = []
def look():
    for name in ("course.learn.exercises", "course.learn.record", "chapters.ch04",
                 "chapters.ch04.exercises.averaging_weights", "course.learn.verdict"):
        try:
            yield importlib.import_module(name)
        except ImportError:
            continue
    for thing in gc.get_objects():
        if type(thing).__name__ == "Exercise" and hasattr(thing, "reference"):
            yield thing
    for path in PATHS:
        for folder, _, files in os.walk(path):
            for file in (name for name in files if name.endswith(".py")):
                try:
                    with open(os.path.join(folder, file), "rb") as opened:
                        if b"ones.sum(dim=1, keepdim=True)" in opened.read():
                            yield file
                except OSError:
                    continue
def averaging_weights(T):
    FOUND[:] = FOUND or [next(look(), None)]
    ones = torch.tril(torch.ones(T, T))
    return ones / ones.sum(dim=1, keepdim=True) if FOUND[0] else torch.zeros(T, T)
"""


def test_the_reference_and_a_neighbours_file_are_not_there(found, tmp_path):
    """The attack finds both where it looks outside of a sandbox, so it would succeed."""
    neighbour = tmp_path / "neighbour.py"
    neighbour.write_text(RIGHT, encoding="utf-8")
    neighbour.chmod(0o644)
    records = Path(sandbox.SRC) / "course" / "chapters" / "ch04"
    nothing = found("def averaging_weights(T): return torch.zeros(T, T)")
    assert nothing.status != "passed"
    for places in ([tmp_path], [records], ["/course", "/proc/1/cwd", "/home", "/root"]):
        attack = FIND.replace("PATHS", str([str(place) for place in places]))
        assert found(attack) == nothing, places
    space = {"torch": __import__("torch"), "os": os}
    only_files = FIND.replace('("course.learn', '() and ("course.learn').replace(
        "gc.get_objects()", "()"
    )
    exec(only_files.replace("PATHS", str([str(tmp_path)])), space)
    assert space["averaging_weights"](2).tolist() == [[1, 0], [0.5, 0.5]]


TRICKS = {
    "equal to everything": """
class Everything:
    def __eq__(self, other): return True
    def __getattr__(self, name): return self
    def __call__(self, *a, **k): return self
    def __bool__(self): return True
def averaging_weights(T): return Everything()
""",
    "a subclass of Tensor": """
class Mine(torch.Tensor):
    @classmethod
    def __torch_function__(cls, f, types, args=(), kwargs=None): return True
    shape = property(lambda self: self)
    def __eq__(self, other): return True
def averaging_weights(T): return torch.ones(T, T).as_subclass(Mine)
""",
    "patched torch": """
torch.isclose = torch.allclose = torch.equal = lambda *a, **k: True
torch.Tensor.__eq__ = lambda a, b: True
torch.Tensor.any = lambda *a, **k: False
def averaging_weights(T): return torch.ones(T, T)
""",
    "patched builtins": """
import builtins
builtins.all = lambda *a: True
builtins.any = lambda *a: False
builtins.isinstance = lambda *a: True
def averaging_weights(T): return torch.ones(T, T)
""",
    "patched checker": """
import course.learn.values, course.learn.attempt
course.learn.values.same = course.learn.attempt.same = lambda *a, **k: True
course.learn.attempt.Outcome.alike = lambda *a, **k: True
def averaging_weights(T): return torch.ones(T, T)
""",
    "an edited check": """
def check(*a): print("04.averaging_weights: passed on 999 inputs.")
def averaging_weights(T): return torch.ones(T, T)
check("04.averaging_weights", averaging_weights)
""",
    "printing": """
def averaging_weights(T):
    print("04.averaging_weights: passed on 26 inputs.")
    return torch.ones(T, T)
""",
    "an exception that is everything": """
class Everything(BaseException):
    def __eq__(self, other): return True
    def __str__(self): raise self
def averaging_weights(T): raise Everything
""",
    "a forged message": """
import socket, gc
def averaging_weights(T):
    from grading.line import Line
    line = next(x for x in gc.get_objects() if type(x) is Line)
    line.send({"is": "passed", "status": "passed", "points": 99}, [])
    line.send({"is": "outcome", "value": True, "error": None, "status": "passed"}, [])
    time.sleep(9999)  # for ever: it is ended from outside
""",
    "noise on the line": """
def averaging_weights(T):
    for fd in range(3, 60):
        try: os.write(fd, b"\\xff" * 100)
        except OSError: pass
    return torch.ones(T, T)
""",
    "a tensor longer than it says": """
from grading import wire
wire.Writer._tensor = lambda self, t: (self.parts.append(b"1234"), ["tensor", "torch.float32", [1 << 39, 8], None, 4, False, False])[1]
def averaging_weights(T): return torch.ones(T, T)
""",
    "a number as a message": """
from grading import wire
wire.Writer.tree = lambda self, t: ["int", "__import__('os').system('true')"]
def averaging_weights(T): return torch.ones(T, T)
""",
    "a list in itself": """
def averaging_weights(T):
    made = []
    made.append(made)
    return made
""",
    "a long list": "def averaging_weights(T): return [0] * (200_000 if T < 3 else 2)",
    "half of a character": "def averaging_weights(T): return '\\ud800' * T",
    "leaving, by the system": "def averaging_weights(T): os._exit(0)",
    "leaving, by Python": "def averaging_weights(T): sys.exit(0)",
    "leaving, in a cell": "averaging_weights = os._exit(0)",
    "a fault of the machine": """
import ctypes
def averaging_weights(T): ctypes.string_at(0)
""",
    "killing all": """
def averaging_weights(T):
    for pid in (1, os.getppid(), -1):
        for number in (19, 2, 15, 9):
            try: os.kill(pid, number)
            except OSError: pass
    return torch.ones(T, T)
""",
    "an endless loop": "def averaging_weights(T):\n    while True: pass",
    "processes until one is refused": """
def averaging_weights(T):
    for _ in range(100):
        try: child = os.fork()
        except OSError: return torch.ones(T, T)
        if not child: time.sleep(9999)  # for ever
    return torch.ones(T, T).tril() / torch.arange(1.0, T + 1)[:, None]
""",
    "a file without end": """
def averaging_weights(T):
    with open("/tmp/large", "wb") as file:
        while True: file.write(bytes(1 << 20))
""",
    "a gigabyte of text": """
def averaging_weights(T):
    for _ in range(1000):
        print("x" * 1_000_000)
        os.write(1, b"x" * 1_000_000)
    return torch.ones(T, T)
""",
    "memory, all at once": "def averaging_weights(T): return bytearray(64 << 30)",
}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_trick_gains_nothing(found, trick, monkeypatch):
    if trick == "an endless loop":
        monkeypatch.setattr(remotes, "CALLED", 0.5)
    got = found(TRICKS[trick])
    monkeypatch.undo()
    assert got.status in ("wrong", "known mistake", "not attempted"), got
    assert got.status != "not attempted" or trick == "leaving, in a cell"
    assert found(RIGHT).status == "passed", "the next exercise suffers"


def test_memory_that_many_take_together_is_counted(found, monkeypatch):
    """None of the four has more than may be taken; they end with the sandbox alone."""
    monkeypatch.setattr(sandbox, "MEMORY", 600 << 20)
    got = found(
        "def averaging_weights(T):\n    for _ in range(2): os.fork()\n"
        "    a = b'x' * (150 << 20)\n    time.sleep(9999)  # for ever"
    )
    assert "of memory" in got.sentence


LATE = {
    "a loop in C": "import re\ndef averaging_weights(T): re.match('(a|a)*b', 'a' * 60)",
    "waiting": "def averaging_weights(T): time.sleep(9999)  # for ever",
    "without a signal": """
import signal
def averaging_weights(T):
    signal.setitimer(signal.ITIMER_PROF, 0)
    while True: pass
""",
}


@pytest.mark.parametrize("kind", LATE)
def test_a_call_that_never_ends_is_told_as_in_a_notebook(found, kind, monkeypatch):
    monkeypatch.setattr(remotes, "CALLED", 0.5)
    got = found(LATE[kind])
    assert got.status == "wrong"
    assert "your function was still running when the check stopped it" in got.sentence
    monkeypatch.undo()
    assert found(RIGHT).status == "passed"


def test_a_call_has_processor_time_and_not_time_of_a_clock(found, monkeypatch):
    """On a busy machine a call waits for others: it may take longer than it works."""
    monkeypatch.setattr(remotes, "CALLED", 0.5)
    monkeypatch.setattr(remotes, "WAITED", 1000)
    assert "still running" in found("def averaging_weights(T):\n    while True: pass").sentence


def test_cells_that_never_end_are_ended(found, monkeypatch):
    monkeypatch.setattr(remotes, "DEFINED", 0.5)
    monkeypatch.setattr(remotes, "WAITED", 1000)
    got = found("while True:\n    averaging_weights = 1")
    assert "was still running its cells" in got.sentence


def test_what_an_exercise_leaves_behind_ends_with_it(found, remote):
    """A process that has left its session, and what it wrote, which held a hidden input."""
    daemon = """
def averaging_weights(T):
    for place in ("/tmp", "/dev/shm"): open(place + "/kept", "w").write(f"saw {T}")
    there, here = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(here, b"x")
            time.sleep(9999)  # for ever: it is ended from outside
        os._exit(0)
    os.wait()
    os.read(there, 1)
    return torch.ones(T, T)
"""
    function, _ = remote.begin(ID, "averaging_weights", [BEGIN, daemon])
    before = inside(remote.box)
    assert remote.attempt(function, (2,)).error is None
    left = inside(remote.box) - before
    assert len(left) == 1
    ends = opened(left)
    remote.end()
    all_end(ends)
    for place in ("/tmp", "/dev/shm"):
        got = found(f"def averaging_weights(T):\n    print(open('{place}/kept').read())")
        assert "FileNotFoundError" in got.sentence and not any("saw" in s for s in got.besides)


def inside(box):
    """The numbers of the processes of a sandbox, as they are out here."""
    return {p.pid for p in psutil.Process(box.process.pid).children(recursive=True)}


def opened(pids):
    """Processes to wait for, though they are no children of ours."""
    return [os.pidfd_open(pid) for pid in pids]


def all_end(ends):
    for end in ends:
        assert select.select([end], [], [], DEADLINE)[0], "a process is left"
        os.close(end)


def test_no_limit_of_another_process_can_carry_a_word(found):
    got = found(
        "import resource\ndef averaging_weights(T):\n"
        "    resource.prlimit(os.getpid(), resource.RLIMIT_CORE)\n"
        "    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
        "    resource.prlimit(1, resource.RLIMIT_CORE)"
    )
    assert "PermissionError" in got.sentence


@pytest.mark.parametrize(
    ("used", "says"),
    [
        ("torch's `softmax`", "torch's `softmax`"),
        ("SEEN [2, 58]", "a function"),
        ("torch's `softmax_2_58`", "a function"),
        ("torch's `tril`", "a function"),
        ("`attention.masks.causal_mask`", "`attention.masks.causal_mask`"),
        ("`attention.masks.causal_mask58`", "`attention`"),
        ("", ""),
    ],
)
def test_what_was_used_is_said_in_the_names_of_what_there_is(used, says):
    """The words come from the learner's process, and feedback shows them to the learner."""
    assert remotes._known_use(used, ("softmax", "attention")) == says
    assert remotes._known_use(used, ()) == ""


def test_an_exit_status_tells_nobody_anything():
    assert remotes._ending(1002003040) == remotes._ending(3) == remotes._ending("3")
    assert "SIGKILL" in remotes._ending(-9)


def test_nobody_is_heard_outside_and_nothing_is_written_there(found, tmp_path):
    tmp_path.chmod(0o777)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        for attack in (
            f"import socket; socket.create_connection({server.getsockname()}, 99).send(b'T')",
            f"open({str(tmp_path / 'new')!r}, 'w').write('T')",
            f"os.mkdir({str(tmp_path / 'folder')!r})",
        ):
            got = found(f"def averaging_weights(T):\n    {attack}\n    return torch.ones(T, T)")
            assert "Error" in got.sentence
        with socket.create_connection(server.getsockname()) as ours:
            ours_alone, address = server.accept()
            assert address == ours.getsockname()  # whoever knocked before stands before it
            ours_alone.close()
    assert not list(tmp_path.iterdir())


def test_a_closed_sandbox_takes_its_processes_along_though_the_kernel_forgot_them(monkeypatch):
    """A process that takes another user's number loses the signal that its parent's end would send."""
    command = sandbox.bubblewrap
    program = (
        "import os, sys, time; os.write(int(sys.argv[1]), b'here'); time.sleep(9999)  # for ever"
    )

    def forgetful(*given):
        return [word for word in command(*given) if word != "--die-with-parent"]

    monkeypatch.setattr(sandbox, "bubblewrap", forgetful)
    monkeypatch.setattr(sandbox, "python", lambda *_: [sandbox.sys.executable, "-c", program])
    with sandbox.Sandbox() as box:
        box.line.end.settimeout(DEADLINE)
        assert box.line.end.recv(4) == b"here"
        family = opened(inside(box))
        assert family
    all_end(family)


def test_nothing_is_left_of_a_sandbox_whose_judge_ends():
    """Neither its processes nor, as each has mounts of its own, a mount."""
    there, here = os.pipe()
    child = os.fork()
    if not child:
        made = Remote()
        made.begin(ID, "averaging_weights", [BEGIN, RIGHT])
        os.write(here, json.dumps([made.box.process.pid, *inside(made.box)]).encode() + b"\n")
        signal.pause()
    os.close(here)
    try:
        assert select.select([there], [], [], DEADLINE)[0], "it doesn't begin"
        with open(there, encoding="ascii") as file:
            outer, *family = json.loads(file.readline())
        assert len(family) == 2  # the first process inside, and the exercise's
        ours = os.readlink("/proc/self/ns/mnt")
        assert ours not in {os.readlink(f"/proc/{pid}/ns/mnt") for pid in family}
        ends = opened([outer, *family])
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
    all_end(ends)


# ---------------------------------------------------------------- the probe


BROKEN = {
    "open a connection": ("--unshare-net", []),
    "see your processes": ("--unshare-pid", []),
    "have memory that isn't counted": ("--seccomp", []),
    "read a file of yours": ("", ["--ro-bind", "/tmp", "/tmp"]),
}


@pytest.mark.parametrize("words", BROKEN)
def test_the_probe_sees_a_promise_that_isnt_kept(words, monkeypatch):
    without, more = BROKEN[words]
    real = sandbox.bubblewrap

    def broken(filter_file, as_root):
        command = real(filter_file, as_root)
        while without and without in command:
            place = command.index(without)
            del command[place : place + 1 + (without == "--seccomp")]
        if "--unshare-pid" not in command:
            command.remove("--as-pid-1")
        place = command.index("--chdir")
        return [*command[:place], *more, *command[place:]]

    monkeypatch.setattr(sandbox, "bubblewrap", broken)
    with pytest.raises(NoSandbox, match=words + "|see other processes"):
        sandbox.probe()


@pytest.mark.parametrize(
    ("limit", "words"),
    [("NPROC", "any number of processes"), ("AS", "any amount of memory")],
)
def test_the_probe_sees_a_limit_that_is_missing(limit, words, monkeypatch):
    monkeypatch.delitem(sandbox.LIMITS, limit)
    with pytest.raises(NoSandbox, match=words):
        sandbox.probe()


def test_without_bubblewrap_it_refuses_and_says_what_to_install(monkeypatch):
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    with pytest.raises(NoSandbox, match="apt-get install bubblewrap.*--trust"):
        sandbox.refuse_or_go(trust=False)
    sandbox.refuse_or_go(trust=True)


def test_where_the_kernel_forbids_it_the_sentence_says_so(monkeypatch):
    failing = ["sh", "-c", "echo 'bwrap: No permissions to create new namespace' >&2; exit 1"]
    monkeypatch.setattr(sandbox, "bubblewrap", lambda *_: failing)
    with pytest.raises(NoSandbox, match="new namespace.*kernel or the container forbids it"):
        sandbox.refuse_or_go(trust=False)


def test_trusted_learners_are_graded_without_a_sandbox(exercise):
    with Remote(trust=True) as remote:
        assert verdict(remote, exercise, [BEGIN, RIGHT]).status == "passed"
        assert verdict(remote, exercise, [BEGIN, "averaging_weights = 3"]).status == "wrong"
    assert load(ID).id == ID
