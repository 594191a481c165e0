"""Submissions that attack: none passes, none is lost, and nothing of them is left on the machine."""

import os
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from course.errors import NoSandbox
from course.grade import remote as remotes
from course.grade import sandbox
from course.grade.judge import prepared, verdict
from course.grade.remote import Remote
from course.learn import verdict as verdicts
from course.learn.exercises import load

pytestmark = pytest.mark.usefixtures("bubblewrap")
ID = "04.averaging_weights"
RIGHT = """
def averaging_weights(T):
    ones = torch.tril(torch.ones(T, T))
    return ones / ones.sum(dim=1, keepdim=True)
"""
BEGIN = "import os, sys, time, torch\n"


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
def averaging_weights(T):
    for name in ("course.learn.exercises", "course.learn.record", "course.chapters.ch04",
                 "course.chapters.ch04.averaging_weights", "course.learn.verdict"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        return module.E.reference.function(T)
    for thing in gc.get_objects():
        if type(thing).__name__ == "Exercise" and hasattr(thing, "reference"):
            return thing.reference.function(T)
    for path in PATHS:
        for folder, _, files in os.walk(path):
            for file in files:
                with open(os.path.join(folder, file), "rb") as opened:
                    text = opened.read()
                if b"ones.sum(dim=1, keepdim=True)" in text:
                    space = {"torch": torch}
                    ones = torch.tril(torch.ones(T, T))
                    return ones / ones.sum(dim=1, keepdim=True)
    return torch.zeros(T, T)
"""


def test_the_reference_and_a_neighbours_file_are_not_there(found, tmp_path):
    """The attack finds both where it looks outside of a sandbox, so it would succeed."""
    neighbour = tmp_path / "neighbour.py"
    neighbour.write_text(RIGHT, encoding="utf-8")
    neighbour.chmod(0o644)
    records = Path(sandbox.SRC) / "course" / "chapters" / "ch04"
    for places in ([tmp_path], [records], ["/course", "/proc/1/cwd", "/tmp", "/home", "/root"]):
        attack = FIND.replace("PATHS", str([str(place) for place in places]))
        assert found(attack).status != "passed", places
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
    from course.grade.line import Line
    line = next(x for x in gc.get_objects() if type(x) is Line)
    line.send({"is": "passed", "status": "passed", "points": 99}, [])
    line.send({"is": "outcome", "value": True, "error": None, "status": "passed"}, [])
    time.sleep(99)
""",
    "noise on the line": """
def averaging_weights(T):
    for fd in range(3, 60):
        try: os.write(fd, b"\\xff" * 100)
        except OSError: pass
    return torch.ones(T, T)
""",
    "a tensor longer than it says": """
from course.grade import wire
wire.Writer._tensor = lambda self, t: (self.parts.append(b"1234"), ["tensor", "torch.float32", [1 << 39, 8], None, 4, False, False])[1]
def averaging_weights(T): return torch.ones(T, T)
""",
    "a number as a message": """
from course.grade import wire
wire.Writer.tree = lambda self, t: ["int", "__import__('os').system('true')"]
def averaging_weights(T): return torch.ones(T, T)
""",
    "a list in itself": """
def averaging_weights(T):
    made = []
    made.append(made)
    return made
""",
    "a list of ten million": "def averaging_weights(T): return [0] * 10_000_000",
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
    "processes without end": """
def averaging_weights(T):
    while True:
        try: os.fork()
        except OSError: time.sleep(0.01)
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
def test_a_trick_gains_nothing(found, trick):
    got = found(TRICKS[trick])
    assert got.status in ("wrong", "known mistake", "not attempted"), got
    assert got.status != "not attempted" or trick == "leaving, in a cell"
    assert found(RIGHT).status == "passed", "the next exercise suffers"


def test_memory_that_many_take_together_is_counted(found, monkeypatch):
    monkeypatch.setattr(sandbox, "MEMORY", 600 << 20)
    got = found(
        "def averaging_weights(T):\n    for _ in range(3): os.fork()\n"
        "    a = [b'x' * (50 << 20) for _ in range(2)]\n    time.sleep(20)"
    )
    assert "of memory" in got.sentence


def test_a_loop_in_c_is_ended_from_outside(found, monkeypatch):
    monkeypatch.setattr(remotes, "CALLED", 4)
    got = found("import re\ndef averaging_weights(T): re.match('(a|a)*b', 'a' * 60)")
    assert "was still running after 4 seconds and couldn't be stopped" in got.sentence


def test_cells_that_never_end_are_ended(found, monkeypatch):
    monkeypatch.setattr(remotes, "DEFINED", 1)
    assert (
        "was still running its cells" in found("while True:\n    averaging_weights = 1").sentence
    )


def test_what_an_exercise_leaves_behind_ends_with_it(found):
    """A process that has left its session, and what it wrote, which held a hidden input."""
    daemon = """
def averaging_weights(T):
    for place in ("/tmp", "/dev/shm"): open(place + "/kept", "w").write(f"saw {T}")
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(3131)"])
        os._exit(0)
    return torch.ones(T, T)
"""
    assert found(daemon).status != "passed"
    spies = [p for p in psutil.process_iter(["cmdline"]) if "3131" in str(p.info["cmdline"])]
    assert not spies
    for place in ("/tmp", "/dev/shm"):
        got = found(f"def averaging_weights(T):\n    print(open('{place}/kept').read())")
        assert "FileNotFoundError" in got.sentence and not any("saw" in s for s in got.besides)


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
    heard = []
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.settimeout(0.5)

        def listen():
            with suppress(TimeoutError):
                heard.append(server.accept())

        listener = threading.Thread(target=listen)
        listener.start()
        for attack in (
            f"import socket; socket.create_connection({server.getsockname()}, 1).send(b'T')",
            f"open({str(tmp_path / 'new')!r}, 'w').write('T')",
            f"os.mkdir({str(tmp_path / 'folder')!r})",
        ):
            got = found(f"def averaging_weights(T):\n    {attack}\n    return torch.ones(T, T)")
            assert "Error" in got.sentence
        listener.join()
    assert not heard and not list(tmp_path.iterdir())


def test_a_closed_sandbox_takes_its_processes_along_though_the_kernel_forgot_them(monkeypatch):
    """A process that takes another user's number loses the signal that its parent's end would send."""
    command = sandbox.bubblewrap

    def forgetful(*given):
        return [word for word in command(*given) if word != "--die-with-parent"]

    monkeypatch.setattr(sandbox, "bubblewrap", forgetful)
    monkeypatch.setattr(sandbox, "python", lambda home, module: ["/bin/sh", "-c", "sleep 600"])
    with sandbox.Sandbox() as box:
        deadline = time.monotonic() + 60
        family: list[psutil.Process] = []
        while not any(p.name() == "sleep" for p in family) and time.monotonic() < deadline:
            family = psutil.Process(box.process.pid).children(recursive=True)
        assert any(p.name() == "sleep" for p in family)
    assert not [p for p in family if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]


def test_nothing_is_left_of_a_sandbox_whose_judge_ends(monkeypatch):
    mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8")
    mark = 10_000_000 + os.getpid()
    monkeypatch.setitem(sandbox.LIMITS, "CPU", mark)  # it stands in the command

    def inside():
        return [p for p in psutil.process_iter(["cmdline"]) if f"CPU={mark}" in str(p.info)]

    child = os.fork()
    if not child:
        made = Remote()
        made.begin(ID, "averaging_weights", [BEGIN, RIGHT])
        time.sleep(1000)
    for _ in range(600):
        if len(inside()) == 3:  # bubblewrap, the first process inside, and the exercise's
            break
        time.sleep(0.1)
    os.kill(child, 9)
    os.waitpid(child, 0)
    for _ in range(100):
        if not (left := inside()):
            break
        time.sleep(0.1)
    assert not left
    assert Path("/proc/self/mountinfo").read_text(encoding="utf-8") == mounts


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
