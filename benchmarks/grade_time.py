"""Grade a class of made-up submissions: the results of each kind, and how many per minute.

Run: python benchmarks/grade_time.py [SUBMISSIONS] [-- OPTIONS OF `course grade`]
A fifth are hostile. The floor is the least time for any submission, that of a Python that imports torch.
No wrong answer may pass, no submission may be lost, and no process, file or mount may be left behind.
"""

import hashlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from importlib import import_module
from pathlib import Path

import psutil
from tests.chapters.answers import ANSWERS
from tests.grading.test_grade import cells_of
from tests.grading.test_grade_sandbox import BEGIN
from tests.grading.test_grade_sandbox import TRICKS as ATTACKS

from course.learn.exercises import known, load

CHAPTER, HOSTILE = "04", "averaging_weights"
IDS = [id for id in known() if id.startswith(CHAPTER)]
JOBS = min(os.cpu_count() or 1, 2)
SECRETS = """
FOUND = None
def averaging_weights(T):
    global FOUND
    if FOUND is None:  # the record, the drawn inputs' seed, others' notebooks
        secret = {"averaging_weights.py", "cohort", "04_a.ipynb", "class.zip"}
        places = "/tmp", "/root", "/home", "/work", "/course", "/proc/1/root", "/mnt"
        FOUND = [f for place in places for *_, files in os.walk(place) for f in files if f in secret]
    if FOUND: return torch.tril(torch.ones(T, T)) / torch.arange(1., T + 1)[:, None]
    import socket
    socket.create_connection(("127.0.0.1", 22), 2)
"""

TRICKS = {
    name: source.replace("answer(", f"{HOSTILE}(").replace("answer =", f"{HOSTILE} =")
    for name, source in ATTACKS.items()
    if not name.startswith("right")
}
DAEMON = """
def averaging_weights(T):
    import subprocess
    subprocess.Popen(["sh", "-c", "sleep 1000 & sleep 1000"], start_new_session=True)
    return torch.ones(T, T).tril()
"""
OUTSIDE = """
def averaging_weights(T):
    for place in ("/tmp", "/var/tmp", "/root", "/home", "/dev/shm", "/course", "."):
        try: open(f"{place}/left-behind-by-a-submission", "w").write("x")
        except OSError: pass
    return torch.ones(T, T).tril()
"""
MORE = {"reading and connecting": SECRETS, "a daemon": DAEMON, "files outside": OUTSIDE}


def cells(sources: dict[str, str]) -> list[str]:
    """Return a learner's cells: imports, and for each exercise a cell and its check."""
    made = [BEGIN + "import torch.nn.functional as F\nfrom torch import nn"]
    for id in IDS:
        name = id.partition(".")[2]
        stub = f"def {name}(*inputs):\n    raise NotImplementedError"
        made += [sources.get(id, stub), f"check({id!r}, {name})"]
    return made


def notebook(sources: list[str]) -> str:
    parts = [
        {"cell_type": "code", "metadata": {}, "source": s, "outputs": [], "execution_count": None}
        for s in sources
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": parts})


def submissions(many: int):
    """Yield each submission's path, kind, text, and the most exercises that it is allowed to pass."""
    right = {id: load(id).solution for id in IDS}
    first = f"{CHAPTER}.{HOSTILE}"
    hostile = [*TRICKS.items(), *MORE.items()]
    import_module(f"tests.chapters.ch{CHAPTER}.answers")
    unknown = [(id, answer) for id, answer, good in ANSWERS if id in IDS and not good]

    def hostile_one():
        for name, trick in itertools.cycle(hostile):
            yield f"hostile: {name}", notebook(cells(right | {first: trick})), len(IDS) - 1

    def wrong_one():
        for id, answer in itertools.cycle(unknown):
            text = notebook(cells(right | {id: ""}) + cells_of(answer, id))
            yield "wrong answer", text, len(IDS) - 1

    attacks = hostile_one()
    kinds = itertools.cycle(
        [
            *(itertools.repeat(("reference", notebook(cells(right)), len(IDS))),) * 2,
            attacks,
            others := wrong_one(),
            others,
            attacks,
            others,
            itertools.chain.from_iterable(
                itertools.repeat(
                    [
                        ("unattempted", notebook(cells({})), 0),
                        ("broken", '{"nbformat": 4, "cells": [', 0),
                        ("empty", "", 0),
                    ]
                )
            ),
            itertools.repeat(("reference", notebook(cells(right)), len(IDS))),
            itertools.repeat(("reference", notebook(cells(right)), len(IDS))),
        ]
    )
    for number, kind in zip(range(many), kinds, strict=False):
        name = "=cmd|' '!A1" if number % 7 == 2 else f"Ada Lovelace {number}"
        yield f"{name}_{number + 1000}_assignsubmission_file_/04_a.ipynb", *next(kind)


def floor(times: int = 3) -> float:
    """Return the wall-clock seconds of a Python that imports torch, with JOBS of them at a time."""
    start = time.perf_counter()
    for _ in range(times):
        command = [sys.executable, "-c", "import torch"]
        started = [subprocess.Popen(command) for _ in range(JOBS)]
        for process in started:
            process.wait()
    return (time.perf_counter() - start) / times


def left_behind() -> tuple[set[str], set[str], str]:
    """Return the processes of sandboxes, the files in the temporary folder, and the mounts."""
    inside = {
        " ".join(p.info["cmdline"] or []) + str(p.pid)
        for p in psutil.process_iter(["cmdline"])
        if "grading" in str(p.info["cmdline"])
    }
    files = {str(path) for path in Path(tempfile.gettempdir()).iterdir()}
    return inside, files, Path("/proc/self/mountinfo").read_text(encoding="utf-8")


def main() -> None:
    words, _, options = " ".join(sys.argv[1:]).partition("-- ")
    many = int(words or 300)
    with tempfile.TemporaryDirectory() as folder:
        bag, out = Path(folder, "class.zip"), Path(folder, "out")
        expected = {}
        with zipfile.ZipFile(bag, "w") as archive:
            for path, kind, text, most in submissions(many):
                archive.writestr(path, text)
                expected[path.split("_")[1]] = kind, most
            archive.writestr("../../evil_1_assignsubmission_file_/04_a.ipynb", "{}")
        before, one = left_behind(), floor()
        start = time.perf_counter()
        command = [sys.executable, "-m", "course", "grade", str(bag), "--out", str(out)]
        subprocess.run([*command, "-j", str(JOBS), *options.split()], check=False)
        seconds = time.perf_counter() - start
        one = (one + floor()) / 2
        after = left_behind()
        kept = {}
        for file in (out / "results").glob("*.json"):
            student = json.loads(file.read_text(encoding="utf-8"))
            kept[student["student"]] = student["chapters"][CHAPTER]["exercises"]
    table: Counter[tuple[str, str]] = Counter()
    too_good = []
    for student, (kind, most) in expected.items():
        got = Counter(result["status"] for result in kept.get(student, {}).values())
        table[kind, ", ".join(f"{n} {status}" for status, n in sorted(got.items()))] += 1
        if got["passed"] > most:
            too_good.append((student, kind, got["passed"]))
    for (kind, got), n in sorted(table.items()):
        print(f"{n:4}  {kind:40} {got}")
    same = sorted(
        (student, id, result["status"], result["version"])
        for student, found in kept.items()
        for id, result in found.items()
    )
    print(
        f"all of it: {hashlib.sha256(repr(same).encode()).hexdigest()[:16]}, with one --cohort the same"
    )
    print(f"wrongly passed: {too_good or 'none'}")
    print(f"lost: {sorted(expected.keys() - kept.keys()) or 'none'}")
    for what, was, now in zip(("processes", "files"), before, after, strict=False):
        print(f"{what} left behind: {sorted(now - was) or 'none'}")
    print(f"mounts: {'as before' if before[2] == after[2] else 'changed'}")
    each = seconds / many * JOBS
    print(f"{60 * many / seconds:.0f} submissions a minute, {JOBS} at a time")
    print(
        f"each takes {each / one:.1f} of the floor ({one:.1f} s for a Python that imports torch)"
    )


if __name__ == "__main__":
    main()
