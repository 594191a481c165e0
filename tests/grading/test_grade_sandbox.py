"""Submissions that attack: none passes, none is lost, and nothing of them is left on the machine.

Attacks are exercises of a few notebooks, so many share a sandbox; after those that end a process
or a sandbox come right answers, which have to pass.
"""

import copy
import dataclasses
import os
import re
import select
import shutil
import socket
from contextlib import closing
from pathlib import Path
from textwrap import indent
from types import SimpleNamespace

import psutil
import pytest

from course.errors import NoSandbox
from course.learn import verdict as verdicts
from course.learn.attempt import Gone, Outcome
from course.learn.exercises import load
from grading import collect as collects
from grading import sandbox
from grading.collect import collect
from grading.forbidden import look
from grading.judge import prepared, verdict
from grading.sandbox import Sandbox
from tests.conftest import HANG, wait_for

pytestmark = pytest.mark.usefixtures("bubblewrap")
ID = "04.averaging_weights"
BEGIN = "import os, resource, sys, time, torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
RIGHT = "return torch.ones(T, T).tril() / torch.arange(1.0, T + 1)[:, None]"
WRONG = "return torch.ones(T, T)"


def answer(body, parameters="T"):
    """The source of an answer: a function with this body, or what defines one itself."""
    defines = re.search(r"^(def|answer)\b", body, re.MULTILINE)
    return body if defines else f"def answer({parameters}):\n{indent(body.strip(), '    ')}"


TRICKS = {  # those with RIGHT give the right answer where an attack gets through
    "equal to everything": """
class Everything:
    def __eq__(self, other): return True
    def __getattr__(self, name): return self
    def __call__(self, *a, **k): return self
    def __bool__(self): return True
return Everything()""",
    "a subclass of Tensor": f"""
class Mine(torch.Tensor):
    @classmethod
    def __torch_function__(cls, f, types, args=(), kwargs=None): return True
    shape = property(lambda self: self)
    def __eq__(self, other): return True
{WRONG}.as_subclass(Mine)""",
    "an exception that is everything": """
class Everything(BaseException):
    def __eq__(self, other): return True
    def __bool__(self): raise self
    def __str__(self): raise self
raise Everything""",
    "patched torch, builtins and checker": f"""
import builtins
import course.learn.values, course.learn.attempt
torch.isclose = torch.allclose = torch.equal = lambda *a, **k: True
torch.Tensor.__eq__ = lambda a, b: True
builtins.all = builtins.isinstance = lambda *a: True
course.learn.values.same = course.learn.attempt.same = lambda *a, **k: True
course.learn.attempt.Outcome.alike = lambda *a, **k: True
{WRONG}""",
    "printing": f"print('{ID}: passed on 26 inputs.')\n{WRONG}",
    "forged outcomes": """
import gc
from grading import answers, inside
part = next(o for o in gc.get_objects() if type(o) is inside.Part)
for _ in range(100): part.write(answers.packed({"status": "passed", "passed": True, "points": 99}))
os._exit(0)""",
    "noise in all files": f"""
for fd in range(3, 60):
    try: os.write(fd, b"\\xff" * 100)
    except OSError: pass
{WRONG}""",
    "right after noise": RIGHT,
    "looking for a record": f"""
import gc, importlib
found = [type(o).__name__ for o in gc.get_objects() if type(o).__name__ in ("Exercise", "Program")]
for name in ("course.learn.record", "course.learn.verdict", "grading.judge", "chapters"):
    try: found.append(importlib.import_module(name))
    except ImportError: pass
for place in ("/course", "/home", "/root", "/tmp", PLACE):
    for _, _, names in os.walk(place): found += [n for n in names if n == "averaging_weights.py"]
if found: {RIGHT}""".replace("PLACE", repr(str(Path(load(ID).reference.function.__code__.co_filename).parents[3]))),
    "reading the first process": f"""
for name in ("mem", "environ", "maps", "fd/3", "fd/4", "root/course"):
    try: open(f"/proc/1/{{name}}", "rb").read(9)
    except OSError: continue
    {RIGHT}""",
    "sockets of another kind": f"""
import socket
for family, kind in ((40, 1), (38, 5), (17, 3), (16, 3), (10, 1)):
    try: socket.socket(family, kind)
    except OSError: continue
    {RIGHT}""",
    "other users, roots and limits": f"""
for attempt in (
    lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.chroot("/tmp"), lambda: os.nice(-5),
    lambda: resource.setrlimit(resource.RLIMIT_DATA, (-1, -1)),
    lambda: open("/course/grading/inside.py", "a"), lambda: open("/dev/kmsg"),
):
    try: attempt()
    except (OSError, ValueError): continue
    {RIGHT}""",
    "another limit of the first process": f"""
resource.prlimit(os.getpid(), resource.RLIMIT_CORE)
resource.prlimit(1, resource.RLIMIT_CORE)
{RIGHT}""",
    "the answers to the shown inputs by heart": f"""
TABLE = {[(T, load(ID).reference.function(T).tolist()) for (T,) in load(ID).inputs]}
def answer(T): return torch.tensor(dict(TABLE).get(T, 0.0))""",
    "signatures that end": f"""
class Lying:
    __signature__ = property(lambda self: os._exit(0))
    def __call__(self, T): {WRONG}
answer = Lying()""",
    "leaving, by the system": "os._exit(0)",
    "leaving, by Python": "sys.exit(0)",
    "leaving, in a cell": "answer = os._exit(0)",
    "a fault of the machine": "import ctypes\nctypes.string_at(0)",
    "killing all": f"""
for pid in (1, os.getppid(), -1):
    for number in (19, 2, 15, 9):
        try: os.kill(pid, number)
        except OSError: pass
{WRONG}""",
    "right after all were killed": RIGHT,
    "a daemon": f"""
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: time.sleep(9999)  # for ever: it is ended from outside
    os._exit(0)
os.wait()
{WRONG}""",
    "right after a daemon": f"""
if sum(name.isdecimal() for name in os.listdir("/proc")) < 3: {RIGHT}""",
    "processes until one is refused": f"""
for _ in range(100):
    try: child = os.fork()
    except OSError: {WRONG}
    if not child: time.sleep(9999)  # for ever
{RIGHT}""",
    "a file without end": """
with open("/tmp/large", "wb") as file:
    while True: file.write(bytes(1 << 20))""",
    "files without end": """
import itertools
for n in itertools.count():
    for folder in ("/tmp", "/dev/shm"): open(f"{folder}/{n}", "w").close()""",
    "memory, all at once": "return bytearray(64 << 30)",
    "memory of many together": """
for _ in range(2): os.fork()
a = b"x" * (300 << 20)
time.sleep(9999)  # for ever""",
    "right after the sandbox was ended": RIGHT,
}  # fmt: skip
TRICKS = {name: answer(body) for name, body in TRICKS.items()}
MANY = 14  # attacks in a notebook, all of which is read again for each; a right answer is in that of its attack
LATE = {
    "a loop": "while True: pass",
    "a loop in C": "import re\nre.match('(a|a)*b', 'a' * 60)",
    "waiting": "time.sleep(9999)  # for ever",
}
ON_HIDDEN = {  # what ends or marks a call with an input that nobody has seen: all of it is told alike
    "a status": "os._exit(3)", "a signal": "os.kill(os.getpid(), 11)", "memory": "T = [bytearray(1 << 33)]",
    "an error": "raise ValueError(f'saw {T}')", "the stub's error": "raise NotImplementedError",
    "printed": "print('saw', T); T = 1", "a loop": "\n        while True: pass",
    "settings": "torch.manual_seed(T); os.chdir('/'); T = 1", "a value": "T = 1",
    "a file": "open('/tmp/kept', 'w').write('saw'); T = 1",
}  # fmt: skip
SOON = [  # who is ended by a limit, and how low it is for them alone
    (["a loop", "a loop in C", "hidden: a loop"], collects.LIMITS, "called", (1, 120)),
    (["cells: a loop"], collects.LIMITS, "defined", (1, 120)),
    (["waiting"], collects.LIMITS, "called", (30, 5)),
    (["memory of many together", "right after the sandbox was ended"], vars(sandbox), "MEMORY", 1 << 30),
]  # fmt: skip
SOFTMAX = "05.stable_softmax"
FORBIDDING = {
    SOFTMAX: {
        "plain": "return torch.softmax(x, -1)",
        "another name": "from torch.nn.functional import softmax as f\ndef answer(x): return f(x, -1)",
        "a module": "return nn.Softmax(dim=-1)(x)",
        "a thread": """
import threading
made = []
thread = threading.Thread(target=lambda: made.append(x.softmax(-1)))
thread.start(); thread.join()
return made[0]""",
        "no watch": "with torch._C.DisableTorchFunction(): return x.softmax(-1)",
        "aten": "return torch.ops.aten._softmax(x, -1, False)",
        "a script": "@torch.jit.script\ndef f(x: torch.Tensor): return x.softmax(-1)\ndef answer(x): return f(x)",
        "attention": """
one = torch.eye(x.shape[-1])[None]
rows = x.reshape(1, -1, x.shape[-1])
return F.scaled_dot_product_attention(rows, one, one, scale=1.0).reshape(x.shape)""",
    },
    "06.attend": {
        "plain": "from attention.attention import attend as f\ndef answer(*x): return f(*x)",
        "no profile": "from attention import attention as a\ndef answer(*x):\n    sys.setprofile(None)\n    return a.attend(*x)",
    },
}  # fmt: skip
GIVEN = {
    "02.is_right": {
        "a name in an error": "try: x()\nexcept TypeError as e: return str(e).startswith('get_batch(')",
        "where it is from": """
from attention import batches
def answer(f):
    told = f.__name__ + f.__qualname__ + f.__module__ + f.__code__.co_filename + str(f.__globals__.get("__file__"))
    return f is batches.get_batch or "batch" in told""",
    },
}
CELLS = {  # and what is told of them
    "stub": ("raise NotImplementedError", "not attempted"),
    "nothing": ("def other(): pass", "not attempted"),
    "no Python": ("def answer(T):\n    return (", "SyntaxError"),
    "a decorator": ("@decorated\ndef answer(T): pass", r"line 2 of code cell \d+: NameError"),
    "a helper": ("return helper(T)", "NameError: name 'helper' is not defined"),
    "no function": ("answer = 3", "expected your function itself, got an int"),
    "none": ("answer = None", "expected your function itself, got None"),
    "parameters": ("def answer(T, U=[1, 2]): pass\ndef other(): pass", "None"),
    "two": ("def answer(T, U): pass", r"yours takes \(T, U\)"),
    "a mistake": (RIGHT.replace("[:, None]", ""), "^(?!passed)"),
    "names": ("import inspect\ndef answer(T): pass\nanswer.__signature__ = "
        "inspect.Signature([inspect.Parameter('a' * 10_000, 1)])", "returned None"),
    "a loop": ("def answer(T): pass\nwhile True: answer = answer", "were still running when the check stopped them"),
    "half": ("# def answer\ndef fail(): raise ValueError('\\ud800')\nanswer = fail()", "ValueError"),
}  # fmt: skip


def judged(answers, trust=False):
    """The verdicts on answers, (exercise, source of a function `answer`): all of them are one notebook."""
    given, cells = {}, [BEGIN]
    for n, (name, (id, source)) in enumerate(answers.items()):
        given[name] = exercise = copy.copy(load(id))
        exercise.name, exercise.id = f"answer_{n}", f"{id}_{n}"
        cells.append(re.sub(r"\banswer\b", exercise.name, source))
    found = collect([*given.values()], cells, trust)
    return {name: verdict(e, found[e.id], look(e, cells)) for name, e in given.items()}


@pytest.fixture(scope="module")
def exercises(bubblewrap):
    """The records with hidden inputs, until the tests of this module are over."""
    made = [prepared(id, "a secret of the tests") for id in (ID, *FORBIDDING, *GIVEN)]
    yield made
    for exercise in made:
        exercise.hide("")
        del exercise.inputs[exercise.n_shown :]
        exercise.hidden = []


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    """A server that listens, and a folder that anybody may write into."""
    folder = tmp_path_factory.mktemp("outside")
    folder.chmod(0o777)
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server, folder


@pytest.fixture(scope="module")
def found(exercises, outside):
    """What is found of all attacks."""
    shown = {given[0] for given in exercises[0].inputs[: exercises[0].n_shown]}
    assert {given[0] for given in exercises[0].hidden} - shown, "these draws hide nothing"
    server, folder = outside
    leaving = (
        f"import socket\nsocket.create_connection({server.getsockname()}, 99).send(b'T')",
        f"open({str(folder / 'new')!r}, 'w').write('T')",
        f"os.mkdir({str(folder / 'folder')!r})",
    )
    mine = {name: answer(body) for name, body in LATE.items()}
    mine |= {f"outside: {n}": answer(f"{line}\n{WRONG}") for n, line in enumerate(leaving)}
    mine |= {f"cells: {name}": answer(source) for name, (source, _) in CELLS.items()}
    for name, body in ON_HIDDEN.items():
        mine[f"hidden: {name}"] = answer(f"if T not in {shown}: {body}\n{RIGHT}")
    answers = {name: (ID, source) for name, source in (TRICKS | mine).items()}
    for id, sources in (FORBIDDING | GIVEN).items():
        answers |= {f"{id}: {name}": (id, answer(s, "x")) for name, s in sources.items()}
    told = {}
    for names, limits, name, limit in SOON:
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(limits, name, limit)
            told |= judged({name: answers.pop(name) for name in names})
    pairs = [n for n, name in enumerate(answers) if name.startswith("right")]
    assert all(n // MANY == (n - 1) // MANY for n in pairs), "an attack and what comes after it"
    for n in range(0, len(answers), MANY):
        told |= judged(dict([*answers.items()][n : n + MANY]))
    return told


def test_no_attack_passes(found):
    right = {name for name in found if name.startswith("right")}
    assert {name for name, got in found.items() if got.status == "passed"} == right
    assert len(right) == 4
    untried = {name for name, got in found.items() if got.status == "not attempted"}
    assert untried == {"cells: stub", "cells: nothing"}
    assert found["the answers to the shown inputs by heart"].sentence == verdicts.HIDDEN


@pytest.mark.parametrize("name", LATE)
def test_a_call_that_never_ends_is_told_as_in_a_notebook(found, name):
    assert "your function was still running when the check stopped it" in found[name].sentence


def test_memory_that_many_have_together_ends_the_sandbox(found):
    assert "ended its whole process" in found["memory of many together"].sentence


def test_files_without_end_end_the_sandbox_and_not_its_time(found):
    assert "ended its whole process" in found["files without end"].sentence


def test_nothing_that_happens_with_a_hidden_input_is_told(found):
    """Not how it ended, what it said, or where: the verdicts are alike to the last word."""
    one = verdicts.Verdict("wrong", verdicts.HIDDEN)
    for name in ON_HIDDEN:
        assert dataclasses.replace(found[f"hidden: {name}"], answer="") == one, name


def test_of_a_hidden_input_no_words_of_the_learners_process_are_kept():
    told = Outcome(1, words="saw", printed="saw", line="saw", changed=("saw",))
    assert collects._compared(told) == Outcome(1, words="saw")
    assert isinstance(collects._compared(dataclasses.replace(told, used="saw")).error, Gone)


@pytest.mark.parametrize("id", FORBIDDING)
def test_what_an_exercise_forbids_is_seen_in_the_text_too(found, id):
    for name in FORBIDDING[id]:
        got = found[f"{id}: {name}"]
        assert "this exercise asks you to do without" in got.sentence, name


def test_a_search_reads_only_what_the_exercise_needs():
    exercise = load(SOFTMAX)
    assert look(exercise, [BEGIN, exercise.solution]) == look(load(ID), [BEGIN, load(ID).solution])
    assert look(exercise, [BEGIN, exercise.solution + "\nprint(torch.softmax(x, -1))"]).uses == ""


DEF = "def stable_softmax(x):\n    "
HIDING = {  # cells, and what is listed of them
    "exec": ([DEF + "exec('...')\n    return getattr(x, 'soft' + 'max')(-1)"], "exec, vars"),
    "by its name after all": ([DEF + "with torch._C.DisableTorchFunction(): return x"], "DisableTorchFunction, _C"),
    "by its name, beside another": (
        ["def mine(x): return x\n" + DEF + "return timeit.timeit(x)", 'check("05.stable_softmax", mine)'], "timeit"),
    "in the check": (["import torch as t", "check('05.stable_softmax', lambda x: t._C.f(x))"], "_C"),
    "in an annotation": (["def stable_softmax(x: (off := torch._C)):\n    return x"], "_C"),
    "all of a module": (["from threading import *\n" + DEF + "return Thread(x)"], "threading"),
    "a pattern": ([DEF + "match x:\n        case torch.Tensor(__dict__=f): return f"], "__dict__"),
    "a text": ([DEF + '"""No softmax."""\n    return call("softmax", x)'], "'softmax'"),
    "a pool": (["from concurrent.futures import ThreadPoolExecutor as P\n" + DEF + "return P(x)"], "concurrent"),
    "an operator": (["from operator import methodcaller as m\n" + DEF + "return m(x)"], "methodcaller"),
    "a name": ([DEF + "global __name__\n    __name__ = 'chapters.mine'\n    return x"], "__name__"),
}  # fmt: skip


@pytest.mark.parametrize("cells, listed", HIDING.values(), ids=HIDING)
def test_what_could_hide_a_use_is_listed(cells, listed):
    check = [] if "check(" in cells[-1] else ['check("05.stable_softmax", 1 / 0)']
    seen = look(load(SOFTMAX), ["import timeit, torch", *cells, *check])
    assert seen.hides == listed and seen.uses == ""


def test_a_use_is_seen_wherever_the_function_comes_from():
    naive = DEF + "return torch.softmax(x, -1)"
    for given in ("1 / 0", "stable_softmax"):
        assert look(load(SOFTMAX), [BEGIN, naive, f'check("05.stable_softmax", {given})']).uses
    inside = "check('05.stable_softmax', lambda x: torch.softmax(x, -1))"
    assert look(load(SOFTMAX), [BEGIN, inside]).uses


@pytest.mark.parametrize(
    "cells",
    [  # with an answer that is right
        [DEF + "return torch.softmax(x, -1)\ndef mine(x): return x", 'check("05.stable_softmax", mine)'],
        [DEF + "return torch.softmax(x, -1)\ndef mine(x): return x", 'check("05.stable_softmax", lambda x: mine(x))'],
        ["weights = torch.softmax(scores, -1)", DEF + "weights = x\n    weights /= x\n    return weights"],
        [DEF + "return x", "def same(f): assert f(x) == torch.softmax(x, -1)\nsame(stable_softmax)"],
        [DEF + "return x", "assert_close(stable_softmax(x), torch.softmax(x, -1))"],
        ["kept = {}", DEF + "return kept", "show(kept, torch.softmax(x, -1))"],
        ["class Mine:\n    softmax_of = 3", DEF + "return Mine.softmax_of"],
        ["class Mine:\n    def set(self, x): self.softmax = x\n    def get(self): return self.softmax", DEF + "return Mine"],
    ],
)  # fmt: skip
def test_an_honest_notebook_uses_nothing_forbidden(cells):
    check = [] if "check(" in cells[-1] else ['check("05.stable_softmax", stable_softmax)']
    assert look(load(SOFTMAX), [BEGIN, *cells, *check]).uses == ""


def test_workers_of_a_data_loader_work_in_a_sandbox(bubblewrap):
    """They talk by sockets, of which only the buffers are not theirs to change."""
    loaded = "total = float(sum(map(sum, torch.utils.data.DataLoader(range(4), num_workers=2))))"
    cells = ["import torch", loaded, "def dot(a, b): return total"]
    [answer, *_] = collect([load("05.dot")], cells)["05.dot"].outcomes
    assert answer.value == 6.0


@pytest.mark.parametrize("name", CELLS)
def test_what_is_told_of_cells(found, name):
    assert re.search(CELLS[name][1], found[f"cells: {name}"].sentence)


def test_nobody_is_heard_outside_and_nothing_is_written_there(found, outside):
    server, folder = outside
    assert all("Error" in found[f"outside: {n}"].sentence for n in range(3))
    with socket.create_connection(server.getsockname()) as ours:
        ours_alone, address = server.accept()
        assert address == ours.getsockname()  # whoever knocked before stands before it
        ours_alone.close()
    assert not list(folder.iterdir())


def opened(pids):
    """Processes to wait for, though they are no children of ours."""
    return [os.pidfd_open(pid) for pid in pids]


def all_end(ends):
    for end in ends:
        assert select.select([end], [], [], HANG)[0], "a process is left"
        os.close(end)


HERE = "import os, time; os.write(0, b'1'); time.sleep(9999)  # for ever"


def test_a_closed_sandbox_takes_its_processes_along_though_the_kernel_forgot_them(monkeypatch):
    """A process that takes another user's number loses the signal that its parent's end would send."""
    command = sandbox.bubblewrap

    def forgetful(*given):
        return [word for word in command(*given) if word != "--die-with-parent"]

    monkeypatch.setattr(sandbox, "bubblewrap", forgetful)
    monkeypatch.setattr(sandbox, "python", lambda *_: [sandbox.sys.executable, "-c", HERE])
    with closing(Sandbox("")) as box:
        assert box.ask("", float("inf")) == ord("1")
        family = opened([p.pid for p in box.family()])
        assert len(family) > 1
    all_end(family)


def test_nothing_is_left_of_a_call_whose_judge_ends(exercises, monkeypatch):
    """Neither its processes nor, as each has mounts of its own, a mount."""
    there, here = os.pipe()
    ask = Sandbox.ask

    def told(box, *given):
        said = ask(box, *given)
        os.write(here, b"%d %d\n" % (box.process.pid, len(box.family())))
        return said

    child = os.fork()
    if not child:
        monkeypatch.setattr(Sandbox, "ask", told)
        judged({"for ever": (ID, answer("os.fork(); time.sleep(9999)  # for ever"))})
        os._exit(0)
    try:
        assert select.select([there], [], [], HANG)[0], "it doesn't begin"
        pid, n_before = map(int, os.read(there, 99).split())  # when it has been tried
        outer = psutil.Process(pid)
        # besides the first process: that of the call, and the one that the call has forked
        wait_for(lambda: len(outer.children(recursive=True)) > n_before)
        family = [p.pid for p in outer.children(recursive=True)]
        mounts = {os.readlink(f"/proc/{pid}/ns/mnt") for pid in family}
        assert family and os.readlink("/proc/self/ns/mnt") not in mounts
        ends = opened([outer.pid, *family])
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
    all_end(ends)


def test_a_call_that_stops_its_clocks_is_ended_from_outside(exercises, monkeypatch):
    monkeypatch.setattr(collects, "PART", 1)
    stopping = "import signal\nfor clock in (0, 2): signal.setitimer(clock, 0)\ntime.sleep(9999)  # for ever"
    got = judged({"waiting": (ID, answer(stopping))})["waiting"]
    assert "your function was still running" in got.sentence


def test_the_time_for_an_exercise_begins_when_its_sandbox_is_there(monkeypatch):
    now, times = [0.0], []

    def started(sandboxes):
        now[0] += collects.PART
        return SimpleNamespace(
            ask=lambda request, until: times.append(until - now[0]), close=lambda: None
        )

    monkeypatch.setattr(collects, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(collects.Sandboxes, "started", started)
    collect([load(ID)], [])
    assert times == [collects.PART]


def test_a_course_that_only_its_owner_can_read_is_graded(exercises, monkeypatch, tmp_path):
    """A clone made under umask 077, though a sandbox that root starts takes another user's number."""
    for place in ("attention", *sandbox.PARTS):
        copy = shutil.copytree if place == "attention" else shutil.copyfile
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        copy(sandbox.SRC / place, tmp_path / place)
    for path in tmp_path.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    monkeypatch.setattr(sandbox, "SRC", tmp_path)
    ours = "from attention import averaging\ndef answer(T): return averaging.mean_past_tril(torch.eye(T))"
    assert judged({"ours": (ID, ours)})["ours"].status == "passed"


def test_where_nothing_can_be_computed_no_learner_is_to_blame(exercises, monkeypatch):
    """As where another user can't read Python's own files: the machine refuses, nobody is wrong."""
    monkeypatch.setitem(sandbox.LIMITS, "NPROC", 1)
    with pytest.raises(NoSandbox, match="the sandbox doesn't start"):
        judged({"right": (ID, answer(RIGHT))})


def test_trusted_learners_are_graded_without_a_sandbox_in_a_notebook_of_any_size(exercises):
    long = answer(RIGHT) + "\n# " + "x" * (5 << 20)
    answers = {"long": (ID, long), "none": (ID, "answer = 3"), "after": (ID, answer(RIGHT))}
    got = judged(answers, trust=True)
    assert [found.status for found in got.values()] == ["passed", "wrong", "passed"]


# ---------------------------------------------------------------- the probe


BROKEN = {
    "open a connection": ("--unshare-net --seccomp", []),
    "see your processes": ("--unshare-pid", []),
    "have memory that isn't counted": ("--seccomp", []),
    "share memory that isn't counted": ("--seccomp", []),
    "fill the buffers of sockets": ("--seccomp", []),
    "take such memory from a device": ("", ["--dev-bind", "/dev/zero", "/dev/zero"]),
    "read a file of yours": ("", ["--ro-bind", "/tmp", "/tmp"]),
}


@pytest.mark.parametrize("words", BROKEN)
def test_the_probe_sees_a_promise_that_isnt_kept(words, monkeypatch):
    without, more = BROKEN[words]
    real = sandbox.bubblewrap

    def broken(*given):
        command = real(*given)
        for option in without.split():
            place = command.index(option)
            del command[place : place + 1 + (option == "--seccomp")]
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
    for name in (limit, "DATA"):  # of addresses, and of those that are one's own
        monkeypatch.delitem(sandbox.LIMITS, name)
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
