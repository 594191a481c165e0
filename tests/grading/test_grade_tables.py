"""What is written for those who keep the grades is read back as they read it."""

import csv
import io
import json
import os
import zipfile
from datetime import datetime
from pathlib import Path

import pytest

from course.errors import CourseError
from grading import results, rules, tables
from grading.feedback import path, write
from grading.submissions import Submission, find
from grading.summary import summary


def result(status="passed", told=("it is said",), mistake=""):
    return {"version": "1", "status": status, "told": [*told], "mistake": mistake}


def student(id, *points, name="", chapter="08", fault=""):
    facts = {"assignment": "", "where": f"{id}/a.ipynb", "time": "2026-01-02 03:04:05 UTC"}
    facts |= {"late": None, "hash": "h", "fault": fault, "name": name}
    exercises = {
        f"{chapter}.e{n}": result("passed" if p else "wrong") for n, p in enumerate(points)
    }
    return worth({"student": id, "chapters": {chapter: {**facts, "exercises": exercises}}})


def worth(one, **said):
    """A learner's results with what they are worth."""
    rules.apply(rules.Rules(**said), [one], "secret", {})
    return one


ADA, BOB = student("12", 1, 1, 0, name="Ada de Lovelace"), student("7", 0, 0, 0, name="=cmd()")
CLASS = [ADA, BOB]


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_tables_have_the_columns_that_nbgrader_and_otter_have():
    ada, bob = read(tables.grades(CLASS))
    assert tuple(ada) == (
        "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
        "raw_score", "late_submission_penalty", "score", "max_score",
    )  # fmt: skip
    assert (ada["student_id"], ada["first_name"], ada["last_name"]) == ("12", "Ada de", "Lovelace")
    assert (ada["score"], ada["max_score"], bob["score"]) == ("2", "3", "0")
    most, ada, bob = read(tables.by_exercise(CLASS, "08"))
    assert most["student_id"] == "points-per-question" and most["08.e0"] == "1"
    assert [ada[f"08.e{n}"] for n in range(3)] == ["1", "1", "0"]
    assert float(ada["percent_correct"]) == pytest.approx(2 / 3, abs=1e-5)
    assert ada["total_points_earned"] == "2" and bob["grading_status"] == "Completed"
    broken = [student("x", 0, fault="it is broken")]
    assert read(tables.by_exercise(broken, "08"))[1]["grading_status"] == "it is broken"


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
    export.write_text("Student,ID,08 Masks\nPoints Possible,,3\nAda,12,\n", encoding="utf-8")
    assert tables.canvas(export, CLASS, "")[0].endswith("Ada,12,2\n")  # right after the id


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


@pytest.mark.parametrize("fault", ["", "it can't be read"])
def test_a_submission_whose_judge_was_ended_is_tried_again(tmp_path, fault):
    one = Submission("ada", chapter="08", hash="h", fault=fault)
    results.keep(tmp_path, one, {"08.e": result("not graded")})
    assert results.is_done(tmp_path, one, {"08.e": "1"}) == bool(fault), (
        "what is unreadable stays so"
    )


def test_a_regrade_replaces_a_chapter_and_keeps_the_others(tmp_path):
    one = Submission("ada", chapter="08", hash="h")
    results.keep(tmp_path, one, {"08.e": result("wrong")})
    results.keep(tmp_path, Submission("ada", chapter="05", hash="g"), {"05.e": result()})
    assert results.is_done(tmp_path, one, {"08.e": "1"})
    assert not results.is_done(tmp_path, one, {"08.e": "2"})
    assert not results.is_done(tmp_path, Submission("ada", chapter="08", hash="i"), {"08.e": "1"})
    results.keep(tmp_path, one, {"08.e": result()})
    kept = results.stored(tmp_path, "ada")["chapters"]
    assert {found["exercises"].popitem()[1]["status"] for found in kept.values()} == {"passed"}
    results.path(tmp_path, "ada").write_text("{", encoding="utf-8")
    with pytest.raises(CourseError, match="delete the file, and the learner is graded again"):
        results.stored(tmp_path, "ada")


def pages(out, *students):
    """The feedback pages of these learners."""
    write(out, students, {}, {})
    return [path(out, one["student"], "08").read_text(encoding="utf-8") for one in students]


def test_whatever_the_results_hold_can_be_written_as_feedback_and_tables(tmp_path):
    """Half a character, a control character, 6 MB."""
    told = ["\ud800 \x1b[2J two\nlines", "w" * 6_000_000]
    ada = Submission("ada", chapter="08", where="ada/a.ipynb")
    results.keep(tmp_path, ada, {"08.e": result("wrong", told=told)})
    assert results.path(tmp_path, "ada").stat().st_size < 10_000
    one = worth(results.stored(tmp_path, "ada"))
    kept = ["\\ud800 \\x1b[2J two\nlines", "w" * 1999 + "…"]
    assert one["chapters"]["08"]["exercises"]["08.e"]["told"] == kept
    tables.write(tmp_path, [one], {})
    [page] = pages(tmp_path, one)
    assert len(page) < 10_000 and "\\ud800" in page


def test_feedback_names_the_learner_and_says_once_why_a_notebook_was_not_graded(tmp_path):
    [page] = pages(tmp_path, student("9", 0, 0, 0, name="Bo <Li>", fault="it is broken"))
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
    texts = dict(zip(places, pages(tmp_path, *students), strict=True))
    with zipfile.ZipFile(tmp_path / "feedback_08.zip") as archive:
        parts = {name: name.split("_", 4) for name in archive.namelist()}
        assert sorted(part[1] for part in parts.values()) == ["12", "5", "7"]
        for name, (who, id, *plugin, page) in parts.items():
            assert plugin == ["assignsubmission", "file"] and page == "08.html"
            assert places[id].startswith(f"{who}_{id}_")
            assert archive.read(name).decode() == texts[id]
            assert archive.getinfo(name).external_attr >> 16 == 0o644
    pages(tmp_path / "none", *CLASS)  # which doesn't come from Moodle
    assert not list((tmp_path / "none").glob("*.zip"))


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
        results.keep(tmp_path, one, {"08.e": result()})
    students = [worth(results.stored(tmp_path, one.student)) for one in found]
    tables.write(tmp_path, students, {})
    write(tmp_path, students, {}, {})
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


# ---------------------------------------------------------------- what it is worth


def at(time, canvas=None, points=(1, 1, 0), **said):
    one = student("ada", *points)
    one["chapters"]["08"] |= {"time": time, "late": canvas}
    return worth(one, **said)["chapters"]["08"]


DUE = datetime(2026, 1, 2, 12)
TENTH = {"due": DUE, "late": "10% a day"}


@pytest.mark.parametrize(
    ("time", "canvas", "off"),
    [
        ("2026-01-02 12:00:00 UTC", None, 0),
        ("2026-01-02 12:00:01 UTC", None, 0.3),  # of 3 possible, for the day that has begun
        ("2026-01-04 11:00:00 UTC", None, 0.6),
        ("2027-01-01 00:00:00 UTC", None, 2),  # never below 0
        ("2026-01-01 00:00:00 UTC", True, 0.3),  # Canvas knows better than the date of a file
        ("2026-01-04 11:00:00 UTC", False, 0),
        ("", None, 0),
    ],
)
def test_late_work_loses_what_the_rule_says(time, canvas, off):
    found = at(time, canvas, **TENTH)
    assert (found["raw"], found["off"], found["points"]) == (2, off, 2 - off)
    assert bool(off) == ("points less (10% a day)" in found["said"])


def test_a_rule_in_points_an_hour_a_chapters_own_date_and_one_with_a_zone():
    two, half_past = {"due": DUE, "late": "2 points an hour"}, "2026-01-02 12:30:00 UTC"
    assert at(half_past, points=(1,) * 9, **two)["off"] == 2
    assert at(half_past, dues={"08": datetime(2026, 2, 1)}, **two)["off"] == 0
    aware = {"due": datetime.fromisoformat("2026-01-02T14:00+02:00"), "late": "10% a day"}
    assert at("2026-01-02 11:59:00 UTC", **aware)["off"] == 0
    assert at("2026-01-02 12:01:00 UTC", **aware)["off"] == 0.3


def test_points_of_an_exercise_one_left_out_and_grades_set_by_hand(tmp_path):
    hand = [{"student": "ada", "what": "08.e2", "points": 1.5, "why": "The idea is right."}]
    points = {"08.e0": 4, "08.e1": 0}
    one = worth(student("ada", 1, 1, 0), points=points, by_hand=hand)
    found = one["chapters"]["08"]
    assert (found["points"], found["max"]) == (5.5, 5)
    [page] = pages(tmp_path, one)
    by_hand = "1.5 of 1 points. Set by hand. The idea is right."
    assert all(words in page for words in ("4 of 4 points.", "t count.", by_hand, "5.5 of 5"))
    broken = student("ada", 0, fault="it is broken")
    whole = [{"student": results.mark("ada", "secret"), "what": "08", "points": 7}]
    assert not results.is_graded(broken["chapters"]["08"])
    found = worth(broken, by_hand=whole)["chapters"]["08"]
    assert found["points"] == 7 and results.is_graded(found)
    assert read(tables.grades([broken]))[0]["score"] == "7"


RULES = """
due = 2026-01-02T12:00:00
late = "10% a day"
[points]
"08.as_allowed" = 2
[dues]
"09" = 2026-02-02T12:00:00
[[by_hand]]
student = "ada"
what = "08.as_allowed"
points = 1
"""


def test_rules_are_read_and_the_command_line_goes_before(tmp_path):
    assert rules.read(tmp_path) == rules.Rules()
    (tmp_path / rules.FILE).write_text(RULES, encoding="utf-8")
    read = rules.read(tmp_path, due="2026-03-01 10:00", late="2 points an hour")
    assert (read.due, read.late) == (datetime(2026, 3, 1, 10), "2 points an hour")
    assert read.points == {"08.as_allowed": 2} and read.due_of("09") == datetime(2026, 2, 2, 12)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("due = ", "expected TOML in .*grading.toml"),
        (
            "dew = 1",
            "expected one of due, late, points, dues, by_hand in .*grading.toml, got 'dew'",
        ),
        ('due = "soon"', "another kind of value for due"),
        ('late = "a lot"', 'expected late work as "10% a day"'),
        ('late = "10% a day"', "expected a date after which work is late"),
        (
            '[points]\n"08.nothing" = 1',
            "expected an exercise or a chapter in points.*got '08.nothing'",
        ),
        (
            '[points]\n"08.as_allowed" = nan',
            "another kind of value for 08.as_allowed in points.*got nan",
        ),
        ("by_hand = [1]", "another kind of value for by_hand .*got 1"),
        (
            "[dues]\n99 = 2026-01-02T12:00:00",
            "expected an exercise or a chapter in dues.*got '99'",
        ),
        (
            '[points]\n"08.as_allowed" = -1',
            "another kind of value for 08.as_allowed in points.*got -1",
        ),
        ('[[by_hand]]\nstudent = "ada"', "expected points, what in each by_hand"),
        ('[[by_hand]]\nstudent = "a"\nwhat = "x"\npoints = 1', "exercise or a chapter.*got 'x'"),
    ],
)
def test_rules_that_cannot_be_meant_are_refused(tmp_path, text, says):
    (tmp_path / rules.FILE).write_text(text, encoding="utf-8")
    with pytest.raises(CourseError, match=says):
        rules.read(tmp_path)
    with pytest.raises(CourseError, match='expected a date such as "2026-10-12 23:59"'):
        rules.read(tmp_path / "other", due="soon")


def test_moodles_worksheet_says_when_a_learner_has_handed_in(tmp_path):
    export = tmp_path / "grades.csv"
    rows = 'Identifier,Grade,Last modified (submission)\nParticipant 12,,"Friday, 2 January 2026, 12:01 PM"\nParticipant 7,,-\n'
    export.write_text(rows, encoding="utf-8")
    assert tables.moodles_times(export) == {"12": "2026-01-02 12:01:00"}
    one = student("12", 1)
    rules.apply(rules.Rules(**TENTH), [one], "", tables.moodles_times(export))
    assert one["chapters"]["08"]["off"] == 0.1
