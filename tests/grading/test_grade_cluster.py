"""The same grades on Dask: a learner's code is in no worker, and a lost worker loses nothing."""

import json
import os
import sys

import pytest

from course.learn.exercises import known, load
from grading import cluster
from grading.judge import graded, prepared
from grading.submissions import Submission

pytest.importorskip("distributed", reason="no Dask (the extra `cluster`)")
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
    request = {"cells": one.cells, "chapter": "04", "cohort": "x", "trust": False, "variant": ""}
    there = json.loads(cluster.task(json.dumps(request)))["results"]
    assert list(there) == [id for id in known() if id.startswith("04")]
    assert {ID: there[ID]} == graded([exercise], [*one.cells], "x")
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
            return json.dumps({"results": {"cell": json.loads(request)["cells"][1]}})
        os.kill(os.getpid(), 9)

    monkeypatch.setattr(cluster, "task", deadly)
    before = {worker.pid for worker in two_workers.workers.values()}
    address = two_workers.scheduler_address
    got = {one.student: r for one, r in cluster.grade(found, ready, "x", address, False)}
    assert int(lost.read_text(encoding="utf-8")) in before
    assert set(got) == {one.student for one in found}
    assert all(r == {"cell": ""} for r in got.values())


def test_a_process_that_ends_is_told_and_not_tried_again(tmp_path, monkeypatch):
    program = f"open({str(tmp_path / 'ran')!r}, 'a').write('x'); raise SystemExit('too much')"
    monkeypatch.setattr(cluster.sys, "executable", str(_command(tmp_path, program)))
    told = json.loads(cluster.task("{}"))
    assert told == {"failed": "the process that judged it ended: too much"}
    assert (tmp_path / "ran").read_text(encoding="utf-8") == "x"


def _command(folder, program):
    path = folder / "python"
    path.write_text(f"#!{sys.executable} -P\n{program}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_no_scheduler_there_is_an_error():
    from course.errors import CourseError

    with pytest.raises(CourseError, match="expected a Dask scheduler at nowhere"):
        list(cluster.grade([], {}, "x", "nowhere", False))
