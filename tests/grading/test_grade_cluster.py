"""The same grades on Dask: a learner's code is in no worker, and a lost worker loses nothing."""

import json
import os

import pytest

from course.learn.exercises import load
from grading import cluster, many, sandbox
from grading.judge import graded, prepared
from grading.many import request
from grading.submissions import Submission

pytest.importorskip("distributed", reason="no Dask (the extra `grade`)")
pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own, as processes come and go
ID = "04.averaging_weights"


def submission(student, source):
    cells = ("import os, torch", source, f'check("{ID}", averaging_weights)')
    return Submission(student, chapter="04", cells=cells, where=f"{student}/04.ipynb")


@pytest.fixture(scope="module")
def two_workers():
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as made:
        yield made


def test_a_task_is_a_process_with_the_same_results(bubblewrap):
    """`graded` in this process, and the task as a worker runs it."""
    one = submission("ada", load(ID).solution)
    exercise = prepared(ID, "x")
    there = cluster.task(request(one, {ID: exercise}, "x", False))["results"]
    assert there == graded([exercise], [*one.cells], "x")
    assert there[ID]["status"] == "passed"


def test_a_killed_worker_loses_no_submission(two_workers, monkeypatch, tmp_path):
    """The first task kills the worker that it runs on."""
    found = [submission(f"s{n}", "") for n in range(6)]
    ready = {ID: load(ID)}
    lost = tmp_path / "lost"

    def deadly(request):
        try:
            with lost.open("x", encoding="utf-8") as file:
                file.write(str(os.getpid()))
        except FileExistsError:
            return {"results": {"cell": json.loads(request)["cells"][1]}}
        os.kill(os.getpid(), 9)

    monkeypatch.setattr(cluster, "task", deadly)
    before = {worker.pid for worker in two_workers.workers.values()}
    address = two_workers.scheduler_address
    got = dict(
        (one.student, r)
        for one, r in many.grade(found, ready, "x", False, cluster.workers(address))
    )
    assert int(lost.read_text(encoding="utf-8")) in before
    assert set(got) == {one.student for one in found}
    assert all(r == {"cell": ""} for r in got.values())


def test_a_process_that_ends_is_told_and_not_tried_again(tmp_path, monkeypatch):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho x >> {tmp_path}/ran\n", encoding="utf-8")
    python.chmod(0o755)
    monkeypatch.setattr(many.sys, "executable", str(python))
    asked = request(submission("ada", ""), {}, "x", True)
    assert cluster.task(asked) == {"failed": "the process that judged it ended"}
    assert (tmp_path / "ran").read_text(encoding="utf-8") == "x\n"
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    refused = cluster.task(request(submission("ada", ""), {}, "x", False))["refused"]
    assert refused.startswith("on a worker: there is no bubblewrap")


def test_no_scheduler_there_is_an_error():
    from course.errors import CourseError

    with pytest.raises(CourseError, match="expected a Dask scheduler at nowhere"):
        list(many.grade([], {}, "x", False, cluster.workers("nowhere")))
