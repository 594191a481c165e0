"""What is written for those who keep the grades is read back as they read it."""

import csv
import io
import json
import os
import zipfile
from pathlib import Path

import pytest

from course.errors import CourseError
from grading import feedback, results, tables
from grading.submissions import Submission, find
from grading.summary import summary


def result(points, status="passed", told=("it is said",), mistake=""):
    facts = {"version": "1", "status": status, "points": points, "max": 1}
    return facts | {"told": [*told], "mistake": mistake}


def student(id, *points, name="", chapter="08", fault=""):
    facts = {"assignment": "", "where": f"{id}/a.ipynb", "time": "2026-01-02 03:04:05 UTC"}
    facts |= {"late": False, "hash": "h", "fault": fault, "name": name}
    exercises = {
        f"{chapter}.e{n}": result(p, "passed" if p else "wrong") for n, p in enumerate(points)
    }
    return {"student": id, "chapters": {chapter: {**facts, "exercises": exercises}}}


ADA, BOB = student("12", 1, 1, 0, name="Ada de Lovelace"), student("7", 0, 0, 0, name="=cmd()")
CLASS = [ADA, BOB]


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_nbgraders_columns():
    rows = read(tables.grades(CLASS))
    assert tuple(rows[0]) == (
        "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
        "raw_score", "late_submission_penalty", "score", "max_score",
    )  # fmt: skip
    ada, bob = rows
    assert (ada["student_id"], ada["first_name"], ada["last_name"]) == ("12", "Ada de", "Lovelace")
    assert (ada["score"], ada["max_score"], bob["score"]) == ("2", "3", "0")
    assert bob["last_name"] == "'=cmd()"


def test_a_column_for_each_exercise():
    most, ada, bob = read(tables.by_exercise(CLASS, "08"))
    assert most["student_id"] == "points-per-question" and most["08.e0"] == "1"
    assert [ada[f"08.e{n}"] for n in range(3)] == ["1", "1", "0"]
    assert float(ada["percent_correct"]) == pytest.approx(2 / 3, abs=1e-5)
    assert ada["total_points_earned"] == "2" and bob["grading_status"] == "Completed"
    broken = [student("x", 0, fault="it is broken")]
    assert read(tables.by_exercise(broken, "08"))[1]["grading_status"] == "it is broken"


def test_gradescopes_results():
    facts = json.loads(tables.gradescope(ADA["chapters"]["08"]))
    assert facts["score"] == 2 and len(facts["tests"]) == 3
    assert facts["tests"][0] == {
        "name": "08.e0", "score": 1, "max_score": 1, "status": "passed", "visibility": "visible",
        "output": "it is said",
    }  # fmt: skip


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"])
def test_no_spreadsheet_calculates_what_a_learner_wrote(text):
    for table in (
        tables.grades([student(text, 1, name=text)]),
        tables.by_exercise([student(text, 1)], "08"),
    ):
        fields = [field for row in csv.reader(io.StringIO(table, newline="")) for field in row]
        assert "'" + text.replace("\r", "\n") in fields and text not in fields


CANVAS = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Quiz (5),08 Masks (77),Final Score\n"
    "    Points Possible,,,,,10,3,(read only)\n"
    '"Lovelace, Ada",12,S12,ada,"A ""1""",=4,,1.50\n'
    '"Test, Student",99,,,A,,,\n'
)


def test_a_canvas_gradebook_changes_in_one_column_alone(tmp_path):
    export = tmp_path / "gradebook.csv"
    export.write_bytes(CANVAS.encode())
    text, told = tables.canvas(export, CLASS, "")
    assert text == CANVAS.replace("=4,,1.50", "=4,2,1.50")
    assert told == ["7: graded, but not in gradebook.csv"]
    quiz, told = tables.canvas(export, CLASS, "Quiz")  # 2 of 3 here are 6.67 of the 10 there
    assert quiz == CANVAS.replace("=4,,1.50", "6.67,,1.50")
    assert "stood in gradebook.csv, and is 6.67 now" in told[0]
    with pytest.raises(CourseError, match="found 0: name it by `--column`.*Quiz"):
        tables.canvas(export, CLASS, "Essay")


def test_the_points_of_canvas_may_stand_right_behind_the_id(tmp_path):
    export = tmp_path / "gradebook.csv"
    export.write_text("Student,ID,08 Masks\nPoints Possible,,3\nAda,12,\n", encoding="utf-8")
    assert tables.canvas(export, CLASS, "")[0].endswith("Ada,12,2\n")


MOODLE = (
    "Identifier;Full name;Email address;Status;Grade;Maximum Grade;Feedback comments\r\n"
    "Participant 12;Ada de Lovelace;ada@x;Submitted;;100,00;\r\n"
    "Participant 99;=nobody();x@x;No submission;;100,00;kept\r\n"
)


def test_a_moodle_worksheet_changes_in_grade_and_comments_alone(tmp_path):
    export = tmp_path / "grades.csv"
    export.write_bytes(MOODLE.encode())
    text, told = tables.moodle(export, CLASS, "")
    before = list(csv.reader(io.StringIO(MOODLE, newline=""), delimiter=";"))
    after = list(csv.reader(io.StringIO(text, newline=""), delimiter=";"))
    assert after[1] == [*before[1][:4], "66.67", "100,00", "it is said\nit is said\nit is said"]
    assert [after[0], after[2]] == [before[0], before[2]]
    assert told == ["7: graded, but not in grades.csv"]


def test_what_could_not_be_graded_is_left_for_the_instructor(tmp_path):
    """A zero in a gradebook is a grade."""
    half = student("12", 1, 1, 0)
    half["chapters"]["08"]["exercises"]["08.e1"]["status"] = "not graded"
    for lost in (half, student("12", fault="the file is broken")):
        for way, text in ((tables.canvas, CANVAS), (tables.moodle, MOODLE)):
            export = tmp_path / "export.csv"
            export.write_bytes(text.encode())
            left, told = way(export, [lost], "")
            assert left == text
            assert told == ["12: not graded, so the row in export.csv is as it was"]
        assert read(tables.grades([lost]))[0]["score"] == ""


def test_what_is_no_export_is_an_error(tmp_path):
    export = tmp_path / "x.csv"
    export.write_text("a,b\n1,2\n", encoding="utf-8")
    for way, missing in ((tables.canvas, "Student, ID"), (tables.moodle, "Identifier, Grade")):
        with pytest.raises(CourseError, match=f"expected the columns {missing}.*got a, b"):
            way(export, CLASS, "")
    two = [ADA, student("7", 1, chapter="05")]
    export.write_text(CANVAS, encoding="utf-8")
    with pytest.raises(CourseError, match="expected one chapter.*05, 08"):
        tables.canvas(export, two, "")


def test_a_regrade_replaces_a_chapter_and_keeps_the_others(tmp_path):
    one = Submission("ada", chapter="08", hash="h")
    results.keep(tmp_path, one, {"08.e": result(0)})
    results.keep(tmp_path, Submission("ada", chapter="05", hash="g"), {"05.e": result(1)})
    assert results.is_done(tmp_path, one, {"08.e": "1"})
    assert not results.is_done(tmp_path, one, {"08.e": "2"})
    assert not results.is_done(tmp_path, Submission("ada", chapter="08", hash="i"), {"08.e": "1"})
    results.keep(tmp_path, one, {"08.e": result(1)})
    kept = results.stored(tmp_path, "ada")["chapters"]
    assert {c: results.score(found) for c, found in kept.items()} == {"05": (1, 1), "08": (1, 1)}
    results.path(tmp_path, "ada").write_text("{", encoding="utf-8")
    with pytest.raises(CourseError, match="delete the file, and the learner is graded again"):
        results.stored(tmp_path, "ada")


def test_whatever_the_results_hold_can_be_written_as_feedback_and_tables(tmp_path):
    """Also what an older run has kept: half a character, a control character, 6 MB."""
    told = ["\ud800 \x1b[2J two\nlines", "w" * 6_000_000]
    results.keep(
        tmp_path, Submission("ada", chapter="08", hash="h"), {"08.e": result(0, told=told)}
    )
    assert results.path(tmp_path, "ada").stat().st_size < 10_000
    old = {"student": "bob", "chapters": {"08": student("bob", 1)["chapters"]["08"]}}
    old["chapters"]["08"]["exercises"]["08.e0"]["told"] = told
    results.path(tmp_path, "bob").write_text(json.dumps(old), encoding="utf-8")
    both = [results.stored(tmp_path, name) for name in ("ada", "bob")]
    for one, id in zip(both, ("08.e", "08.e0"), strict=True):
        feedback.write(tmp_path, one, {})
        assert one["chapters"]["08"]["exercises"][id]["told"] == [
            "\\ud800 \\x1b[2J two\nlines",
            "w" * 1999 + "…",
        ]
    tables.write(tmp_path, both)
    page = feedback.path(tmp_path, "bob", "08")
    assert page.stat().st_size < 10_000 and "\\ud800" in page.read_text(encoding="utf-8")


def test_feedback_names_the_learner_and_says_once_why_a_notebook_was_not_graded(tmp_path):
    broken = student("9", 0, 0, 0, name="Bo <Li>", fault="it is broken")
    feedback.write(tmp_path, broken, {})
    page = feedback.path(tmp_path, "9", "08").read_text(encoding="utf-8")
    assert "<title>Chapter 08: Bo &lt;Li&gt; (9)</title>" in page
    assert page.count("it is broken") == 1 and "08.e0" not in page


def test_moodle_finds_the_learner_of_each_page_in_the_zip(tmp_path):
    """As its importziplib.php does: five parts at underscores, of which the second is the id."""
    places = {
        "12": "Ada de Lovelace_12_assignsubmission_file_/08.ipynb",
        "7": "Bob_7_assignsubmission_file_my_work.ipynb",
        "5": "Zo\u00eb_5_assignsubmission_file/a.ipynb",  # Moodle 4.1
        "9": "Broken_9_assignsubmission_file_/a.ipynb",
        "ada": "ada/a.ipynb",
    }
    students = [student(id, 1, fault="it is broken" if id == "9" else "") for id in places]
    for one in students:
        one["chapters"]["08"]["where"] = places[one["student"]]
        feedback.write(tmp_path, one, {})
    feedback.write_for_moodle(tmp_path, students)
    with zipfile.ZipFile(tmp_path / "feedback_08.zip") as archive:
        parts = {name: name.split("_", 4) for name in archive.namelist()}
        assert sorted(part[1] for part in parts.values()) == ["12", "5", "7"]
        for name, (who, id, *plugin, page) in parts.items():
            assert plugin == ["assignsubmission", "file"] and page == "08.html"
            assert places[id].startswith(f"{who}_{id}_")
            assert archive.read(name) == feedback.path(tmp_path, id, "08").read_bytes()
            assert archive.getinfo(name).external_attr >> 16 == 0o644


def test_where_nothing_came_from_moodle_there_is_no_zip(tmp_path):
    for one in CLASS:
        feedback.write(tmp_path, one, {})
    feedback.write_for_moodle(tmp_path, CLASS)
    assert not list(tmp_path.glob("*.zip"))


def test_a_folders_name_in_latin_1_is_in_all_tables(tmp_path):
    """Its bytes are no UTF-8; Python reads them as halves of characters, which no file can hold."""
    cell = {"cell_type": "code", "metadata": {}, "source": "check('08.e', e)", "outputs": []}
    made = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    for name in (b"M\xfcller_9_assignsubmission_file_", b"M\xfcller", b"M\xe4ller"):
        folder = Path(os.fsdecode(os.fsencode(tmp_path / "in") + b"/" + name))
        folder.mkdir(parents=True)
        (folder / "a.ipynb").write_text(json.dumps(made), encoding="utf-8")
    found, told = find([tmp_path / "in"])
    assert [one.student for one in found] == ["9", "M\\udce4ller", "M\\udcfcller"] and not told
    for one in found:
        results.keep(tmp_path, one, {"08.e": result(1)})
    students = [results.stored(tmp_path, one.student) for one in found]
    tables.write(tmp_path, students)
    for one in students:
        feedback.write(tmp_path, one, {})
    rows = read((tmp_path / "grades.csv").read_text(encoding="utf-8"))
    assert rows[0]["last_name"] == "M\\udcfcller" and rows[0]["score"] == "1" and len(rows) == 3
    assert "M\\udcfcller_9" in (tmp_path / "grades_08.csv").read_text(encoding="utf-8")


def test_the_summary_has_the_commonest_mistakes_first():
    mistakes = ["rows sum to less than 1."] * 2 + ["the mask is upside down."]
    found = []
    for n, hint in enumerate(mistakes):
        one = student(str(n), 0)
        one["chapters"]["08"]["exercises"]["08.e0"] |= {"status": "known mistake", "mistake": hint}
        found.append(one)
    text = summary([*found, student("x", 1)])
    assert "| 08.e0 | 1 | 3 | 0 | 0 | 0 |" in text
    assert text.index("08.e0, 2 of 4: rows") < text.index("08.e0, 1 of 4: the mask")
