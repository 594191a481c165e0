"""The same grades on Dask: a learner's code is in no worker, and a lost worker loses nothing."""

import json
import os
from unittest.mock import patch

import pytest

from course.errors import CourseError, NoSandbox
from course.learn.exercises import load
from grading import judge, many, sandbox
from grading.judge import graded, prepared
from grading.submissions import Submission

pytest.importorskip("distributed", reason="no Dask: python install.py --book --grade --test")
pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own, as processes come and go
ID = "04.averaging_weights"
HOW = {"trust": False, "probe": True}


def submission(student, source):
    cells = ("import os, torch", source, f'check("{ID}", averaging_weights)')
    return Submission(student, chapter="04", cells=cells, where=f"{student}/04.ipynb")


@pytest.fixture
def two_workers():
    """A nanny that starts a worker again sets variables of this process: they are put back."""
    from distributed import LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with patch.dict(os.environ), LocalCluster(**options, dashboard_address=None) as made:
        yield made


def test_a_task_is_a_process_with_the_same_results(bubblewrap):
    """`graded` in this process, and the task as a worker runs it."""
    one, exercise = submission("ada", load(ID).solution), prepared(ID, "x")
    there = many.judge(many.request(one, {ID: exercise}, "x", **HOW))["results"]
    assert there == graded([exercise], [*one.cells], "x")
    assert there[ID]["status"] == "passed"
    many.end_judges()
    assert many.judge("{").keys() == {"failed"}  # it ends a judge, after which there is another
    assert many.judge(many.request(one, {}, "x", **HOW)) == {"results": {}}
    many.end_judges()


@pytest.mark.weekly
def test_a_killed_worker_loses_no_submission(two_workers, monkeypatch, tmp_path):
    """The first task kills the worker that it runs on."""
    found = [submission(f"s{n}", "") for n in range(6)]
    lost = tmp_path / "lost"

    def deadly(request):
        try:
            with lost.open("x", encoding="utf-8") as file:
                file.write(str(os.getpid()))
        except FileExistsError:
            return {"results": {"cell": json.loads(request)["cells"][1]}}
        os.kill(os.getpid(), 9)

    monkeypatch.setattr(many, "judge", deadly)
    before = {worker.pid for worker in two_workers.workers.values()}
    workers = many.workers(two_workers.scheduler_address)
    got = {one.student: r for one, r in many.grade(found, {ID: load(ID)}, "x", workers, **HOW)}
    assert int(lost.read_text(encoding="utf-8")) in before
    assert got == {one.student: {"cell": ""} for one in found}


def test_a_worker_without_a_sandbox_refuses(monkeypatch):
    one = submission("ada", "")
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    refused = judge.judged(json.loads(many.request(one, {}, "x", **HOW)))
    assert refused["refused"].startswith("on a worker: there is no bubblewrap")
    with pytest.raises(NoSandbox, match="on a worker"):
        many.results_of(refused, one, {}, "x")


def test_no_scheduler_there_is_an_error():
    with pytest.raises(CourseError, match="expected a Dask scheduler at nowhere"):
        list(many.grade([], {}, "x", many.workers("nowhere")))
