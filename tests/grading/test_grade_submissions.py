"""What was handed in: whose it is, which chapter, and a sentence on whatever isn't taken."""

import json
import os
import re
import stat
import zipfile
from pathlib import Path

import pytest

from course.errors import CourseError
from grading import submissions
from grading.submissions import file_name, find


def notebook(*cells, exercise=""):
    def cell(source):
        metadata = {"course": {"exercise": exercise}} if exercise else {}
        return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": []}

    made = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [*map(cell, cells)]}
    return json.dumps(made)


NOTEBOOK = notebook("x = 1", 'check("08.mask_weights", mask_weights)')


def put(path: Path, text=NOTEBOOK):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def zipped(path, entries):
    with zipfile.ZipFile(path, "w") as archive:
        for entry, text in entries.items():
            archive.writestr(entry, text)
    return path


def hand_in(folder, paths):
    """Notebooks in a folder; what is after a ! is in a zip."""
    zips = {}
    for path in paths:
        name, _, inner = path.partition("!")
        if inner:
            zips.setdefault(folder / name, {})[inner] = NOTEBOOK
        else:
            put(folder / path)
    for path, entries in zips.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        zipped(path, entries)


OF_NBGRADER = ["submitted/ada/masks/any name.ipynb", "submitted/bob/masks/any name.ipynb"]
OF_MOODLE = [
    "all.zip!Ada Lovelace_12_assignsubmission_file{}a.ipynb",
    "all.zip!Jean-Luc O'Neil_7_assignsubmission_file{}a.ipynb",
]
MOODLES_TWO = {"12": ("Ada Lovelace", "", None), "7": ("Jean-Luc O'Neil", "", None)}
ANONYMOUS = ("", "", None)
FORMS = {  # what is handed in: which place is named, what lies there, whose it is
    "nbgrader": ("", OF_NBGRADER, dict.fromkeys(["ada", "bob"], ("", "masks", None))),
    "in nbgrader's folder": ("submitted", OF_NBGRADER, dict.fromkeys(["ada", "bob"], ("", "masks", None))),
    "Moodle": ("all.zip", [path.format("_/") for path in OF_MOODLE], MOODLES_TWO),
    "Moodle, no folders": ("all.zip", [path.format("_") for path in OF_MOODLE], MOODLES_TWO),
    "Canvas": ("all.zip", ["all.zip!lovelaceada_12_345_08_causal_masking.ipynb", "all.zip!oneil_LATE_7_346_08_causal_masking-1.ipynb"],
        {"12": ("lovelaceada", "", False), "7": ("oneil", "", True)}),
    "a zip in Canvas": ("", ["byte_LATE_12_346_work.zip!x_7_3_a.ipynb"], {"12": ("byte", "", True)}),
    "folders, files, unpacked": ("", ["ada/work.ipynb", "bob.ipynb", "Carl Friedrich_9_assignsubmission_file_/gauss.ipynb", ".ipynb_checkpoints/bob.ipynb"],
        {"9": ("Carl Friedrich", "", None), "ada": ANONYMOUS, "bob": ANONYMOUS}),
    "one file": ("bob.ipynb", ["bob.ipynb", "ada.ipynb"], {"bob": ANONYMOUS}),
    "zips of one name": ("", ["ada/hw.zip!hw/a.ipynb", "bob/hw.zip!hw/a.ipynb", "carl.zip!hw/a.ipynb"],
        {"ada": ("", "hw", None), "bob": ("", "hw", None), "carl": ("", "hw", None)}),
    "a zip's own folder": ("class.zip", ["class.zip!class/ada/a.ipynb", "class.zip!class/bob/a.ipynb"], {"ada": ANONYMOUS, "bob": ANONYMOUS}),
    "and nbgrader's in it": ("class.zip", [f"class.zip!class/submitted/{x}/ps1/a.ipynb" for x in ("ada", "bob")],
        dict.fromkeys(["ada", "bob"], ("", "ps1", None))),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_whose_a_notebook_is(tmp_path, form):
    place, paths, whose = FORMS[form]
    hand_in(tmp_path, paths)
    found, told = find([tmp_path / place])
    assert {one.student: (one.name, one.assignment, one.late) for one in found} == whose
    assert not told and {(one.chapter, one.fault) for one in found} == {("08", "")}
    assert found[0].cells == ("x = 1", 'check("08.mask_weights", mask_weights)')


def faults(found):
    """What is wrong with each learner's notebook, in its first words."""
    return {one.student: one.fault.split(":")[0] for one in found}


def test_a_path_out_of_a_zip_is_refused_and_nothing_is_unpacked(tmp_path):
    """A link in it is read as the text that it is, and leads nowhere."""
    out = ["../../e.ipynb", "/etc/e.ipynb", "a/../../e.ipynb", "C:\\e.ipynb", "..\\e.ipynb"]
    path = zipped(tmp_path / "all.zip", {name: NOTEBOOK for name in [*out, "ada/a.ipynb"]})
    with zipfile.ZipFile(path, "a") as archive:
        link = zipfile.ZipInfo("bob/a.ipynb")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("carl/inner.zip", b"PK")
    found, told = find([path])
    assert faults(found) == {"ada": "", "bob": "it is broken", "carl": "it is a zip in a zip"}
    assert found[-1].fault == "it is a zip in a zip: unpack it"
    assert sum("its path leads out of the zip" in line for line in told) == len(out)
    assert [*tmp_path.iterdir()] == [path]


def test_whatever_cannot_be_taken_has_its_row_and_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(submissions, "LARGEST", 300_000)
    put(tmp_path / "ada" / "08_causal_masking.ipynb", "{")
    put(tmp_path / "bob" / "08_causal_masking.ipynb", "[" * 100_000)
    put(tmp_path / "carl" / "whatever.ipynb", notebook("x = 1"))
    put(tmp_path / "dora" / "notes.txt")
    put(tmp_path / "eve" / "08_a.ipynb", " " * 300_001)
    put(tmp_path / "gus" / "08_a.ipynb")
    for name in ("hal", "ivy"):
        (tmp_path / name).mkdir()
    (tmp_path / "hal" / "08_causal_masking.ipynb").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "ivy" / "08_a.ipynb").symlink_to(tmp_path / "gus" / "08_a.ipynb")
    found, told = find([tmp_path])
    assert faults(found) == {
        **dict.fromkeys(["ada", "bob", "hal"], "it is broken"), "gus": "",
        "carl": "no chapter's exercise is in it; `--chapter NN` says which it is",
        "dora": "it is no notebook (.ipynb)", "ivy": "it is a link", "eve": "it is larger than 0 MB",
    }  # fmt: skip
    assert {one.chapter for one in found if "broken" in one.fault} == {"08"}
    assert "dora/notes.txt: left out, it is no notebook (.ipynb)" in told and len(told) == 7
    assert find([tmp_path / "carl"], "08")[0][0].fault == ""


@pytest.mark.parametrize(
    ("texts", "days", "counts", "why"),
    [
        ([NOTEBOOK, NOTEBOOK], [1, 2], "b", "left out, ada/08_b.ipynb comes later by its date"),
        ([NOTEBOOK, NOTEBOOK], [2, 1], "a", "left out, ada/08_a.ipynb comes later by its date"),
        ([NOTEBOOK, NOTEBOOK], [1, 1], "b", "left out, ada/08_b.ipynb comes later by its name"),
        ([NOTEBOOK, "{"], [1, 2], "a", "left out, it is broken: .*; ada/08_a.ipynb counts"),
    ],
)  # fmt: skip
def test_a_learners_newest_notebook_of_a_chapter_counts(tmp_path, texts, days, counts, why):
    put(tmp_path / "ada" / "other chapter.ipynb", notebook("", exercise="05.dot"))
    for name, text, day in zip("ab", texts, days, strict=True):
        put(tmp_path / "ada" / f"08_{name}.ipynb", text)
        os.utime(tmp_path / "ada" / f"08_{name}.ipynb", (day * 86400, day * 86400))
    found, [told] = find([tmp_path])
    assert [(one.chapter, one.fault) for one in found] == [("05", ""), ("08", "")]
    assert found[1].where == f"ada/08_{counts}.ipynb" and re.search(why, told)


def test_what_lies_beside_a_notebook_has_no_row(tmp_path):
    put(tmp_path / "ada_1_assignsubmission_file_" / "answers.py")
    put(tmp_path / "bob_2_assignsubmission_file_" / "08_a.ipynb")
    put(tmp_path / "bob_2_assignsubmission_file_" / "data" / "a.csv")
    put(tmp_path / "grades.csv")
    found, told = find([tmp_path])
    assert faults(found) == {"1": "it is no notebook (.ipynb)", "2": ""}
    assert len(told) == 3 and all("left out, it is no notebook" in line for line in told)
    with pytest.raises(CourseError, match="found none"):  # the wrong folder, not a class
        find([tmp_path / "ada_1_assignsubmission_file_"])
    with pytest.raises(CourseError, match="there is no"):
        find([tmp_path / "nowhere"])


@pytest.mark.parametrize(
    ("path", "chapter"),
    [
        ("Carl_13_assignsubmission_file_/04.ipynb", "04"),
        ("Carl_13_assignsubmission_file_/04_averaging_the_past.ipynb", "04"),
        ("Carl_13_assignsubmission_file_04.ipynb", "04"),
        ("Carl_13_assignsubmission_file_/mine.ipynb", ""),
        ("carl_13_14_mine.ipynb", ""),
        ("carl_13_14_08_causal_masking.ipynb", "08"),
        ("carl_LATE_13_14_04.ipynb", "04"),
        ("carl_13_14_work/08/mine.ipynb", "08"),
        ("13/mine.ipynb", ""),
        ("13/04/mine.ipynb", "04"),
        ("13/week4/08_masks/mine.ipynb", "08"),
        ("submitted/13/week4/mine.ipynb", ""),
        ("submitted/13/04/mine.ipynb", "04"),
        ("13.ipynb", ""),
        ("04_averaging_the_past.ipynb", "04"),
    ],
)
def test_a_broken_notebooks_chapter_is_in_its_name_not_in_its_learners_id(tmp_path, path, chapter):
    put(tmp_path / path, "{")
    put(tmp_path / "a_1_2_a.ipynb")  # beside it, so that it is a class
    (carl,) = [one for one in find([tmp_path])[0] if one.student != "1"]
    assert carl.student in ("13", path.removesuffix(".ipynb"))
    assert carl.chapter == chapter and "broken" in carl.fault


def test_the_chapter_is_that_of_the_marks_and_the_checks(tmp_path):
    put(tmp_path / "ada" / "05_wrong_name.ipynb")
    put(tmp_path / "bob" / "02_x.ipynb", notebook("y = 1"))
    put(tmp_path / "carl" / "a.ipynb", notebook("y = 1", exercise="13.top_p"))
    assert [one.chapter for one in find([tmp_path])[0]] == ["08", "02", "13"]


@pytest.mark.parametrize(
    "name", ["../../x", "a/b", "", ".", "..", "=1+1", "A" * 300, "é\u202e", "a b"]
)
def test_a_learners_file_is_in_its_folder_and_nobody_elses(name, tmp_path):
    made = tmp_path / f"{file_name(name)}.json"
    assert made.resolve().parent == tmp_path and len(made.name) < 120
    assert file_name(name) not in (file_name(name + "_"), file_name(file_name(name)))
    assert file_name("ada-8") == "ada-8" and file_name("ada@example.org") == "ada@example.org"


# ---------------------------------------------------------------- whose: the outermost part alone

MOODLES = "Bob Byte_12_assignsubmission_file_"


@pytest.mark.parametrize(
    ("hers", "bobs", "ids"),
    [
        ("mallory_7_345_x_12_assignsubmission_file_a.ipynb", "byte_12_346_a.ipynb", ["12", "7"]),
        ("anon_ab_34_x_12_assignsubmission_file_a.ipynb", "byte_12_346_a.ipynb", ["12", "anon_ab_34_x_12_assignsubmission_file_a"]),
        ("M_7_assignsubmission_file_x_12_assignsubmission_file_a.ipynb", f"{MOODLES}a.ipynb", ["12", "M_7_assignsubmission_file_x_12_assignsubmission_file_a"]),
        ("M_12_assignsubmission_file_ X_7_assignsubmission_file_/a.ipynb", f"{MOODLES}/a.ipynb", ["12", "M_12_assignsubmission_file_ X_7_assignsubmission_file_"]),
        ("M_7_assignsubmission_file_x_7_assignsubmission_file_a.ipynb", f"{MOODLES}a.ipynb", ["12", "7"]),
        (f"M_7_assignsubmission_file_/{MOODLES}/a.ipynb", f"{MOODLES}/a.ipynb", ["12", "7"]),
        ("M_7_assignsubmission_file_/x_12_3_a.ipynb", f"{MOODLES}/a.ipynb", ["12", "7"]),
        ("submitted/mallory/ps1/bob/ps1/a.ipynb", "submitted/bob/ps1/a.ipynb", ["bob", "mallory"]),
        ("submitted/mallory/ps1/x_12_3_a.ipynb", "submitted/12/ps1/a.ipynb", ["12", "mallory"]),
        ("mallory/submitted/bob/ps1/a.ipynb", "bob/a.ipynb", ["bob", "mallory"]),
        ("mallory/x_12_3_a.ipynb", "12/a.ipynb", ["12", "mallory"]),
        (f"mallory/{MOODLES}/a.ipynb", "12/a.ipynb", ["12", "mallory"]),
        ("mallory/week4/deep/a.ipynb", "bob/week4/deep/a.ipynb", ["bob", "mallory"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("in_a_zip", [True, False])
def test_nobody_can_hand_in_for_another(tmp_path, hers, bobs, ids, in_a_zip):
    place = tmp_path / "class"
    for path in (bobs, hers):
        put(place / path)
    if in_a_zip:
        place = zipped(tmp_path / "class.zip", {path: NOTEBOOK for path in (bobs, hers)})
    found, told = find([place])
    assert [one.student for one in found] == ids and not told


@pytest.mark.parametrize("folder", ["mallory", "submitted/mallory/ps1"])
@pytest.mark.parametrize("inside", [f"{MOODLES}/a.ipynb", "x_12_3_a.ipynb", "12/ps1/a.ipynb"])
def test_a_learners_zip_is_hers_whatever_stands_in_it(tmp_path, folder, inside):
    put(tmp_path / folder.replace("mallory", "12") / "a.ipynb")
    (tmp_path / folder).mkdir(parents=True)
    zipped(tmp_path / folder / "work.zip", {inside: NOTEBOOK})
    found, told = find([tmp_path])
    assert [one.student for one in found] == ["12", "mallory"] and not told


def test_a_learners_zip_with_the_name_of_a_class_is_no_class(tmp_path):
    """nbgrader's folder `submitted` holds a class; a zip that a learner calls so hands in for nobody else."""
    put(tmp_path / "ada" / "08_a.ipynb")
    theirs = {"ada/08_a.ipynb": NOTEBOOK, "bob/08_a.ipynb": NOTEBOOK}
    zipped(tmp_path / "submitted.zip", theirs)
    found, _ = find([tmp_path])
    assert {one.student: one.where for one in found} == {
        "ada": "ada/08_a.ipynb", "submitted.zip": "submitted.zip/bob/08_a.ipynb",
    }  # fmt: skip


def test_a_learner_does_not_date_her_own_zip(tmp_path):
    """The dates in it say only which of her notebooks is the newest."""
    path = tmp_path / "eve.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for year, name in ((2021, "08_b.ipynb"), (2020, "08_z.ipynb")):
            archive.writestr(zipfile.ZipInfo(name, (year, 1, 1, 0, 0, 0)), NOTEBOOK)
    os.utime(path, (1_790_000_000, 1_790_000_000))
    [eve], told = find([tmp_path])
    assert (eve.where, eve.time) == ("eve/08_b.ipynb", "2026-09-21 14:13:20 UTC")
    assert told == ["eve/08_z.ipynb: left out, eve/08_b.ipynb comes later by its date"]


def test_a_zipped_folder_with_all_that_is_in_it_is_graded(tmp_path):
    beside = [f"x/.git/{n}" for n in range(300)] + ["__MACOSX/._a.ipynb", "x/data.txt"]
    zipped(tmp_path / "eve.zip", {"x/08_a.ipynb": NOTEBOOK} | dict.fromkeys(beside, "x"))
    [eve], _ = find([tmp_path])
    assert (eve.student, eve.fault) == ("eve", "")


@pytest.mark.parametrize(
    "names, got",
    [
        ([], "none"),
        (["../a.ipynb"], "none"),
        ([f"{n}.ipynb" for n in range(201)], "201 of 0 MB"),
        (["08_a.ipynb", "08_b.ipynb"], "2 of 0 MB"),
    ],
)
def test_a_learners_zip_with_nothing_or_too_much_in_it_has_a_row(
    tmp_path, monkeypatch, names, got
):
    monkeypatch.setattr(submissions, "LARGEST", len(NOTEBOOK) if len(names) == 2 else 10**6)
    zipped(tmp_path / "eve.zip", {name: NOTEBOOK for name in names})
    [eve], _ = find([tmp_path])
    assert eve.student == "eve" and eve.fault.endswith(f"got {got}: hand in the notebook alone")


def test_a_learners_own_zip_with_a_folder_in_it_is_hers(tmp_path):
    found, _ = find([zipped(tmp_path / "ada.zip", {"ada/week/a.ipynb": NOTEBOOK})])
    assert [one.student for one in found] == ["ada"]


def test_a_single_folder_around_all_is_one_learners_and_that_is_told(tmp_path):
    for student in ("ada", "bob"):
        put(tmp_path / "class" / student / "a.ipynb")
    found, told = find([tmp_path])
    assert [one.student for one in found] == ["class"]
    assert told[0] == (
        f"{tmp_path}: all of it is in the folder class, so it is taken for one learner's; "
        "if each folder in there is a learner's, name that folder itself"
    )


# ---------------------------------------------------------------- what one learner sends stops nobody


def broken(how, old, after, length, tmp_path):
    """The bytes of a zip, where `length` of them, `after` the last `old`, are others."""
    path = tmp_path / "broken.zip"
    with zipfile.ZipFile(path, "w", how) as archive:
        archive.writestr("08_a.ipynb", NOTEBOOK + " " * 5000)
    data = bytearray(path.read_bytes())
    path.unlink()
    place = data.index(old) + after
    data[place : place + length] = bytes(range(200, 200 + length))
    return bytes(data)


@pytest.mark.parametrize(
    ("how", "old", "after", "length"),
    [
        (zipfile.ZIP_DEFLATED, b"PK\x01\x02", 0, 4),  # the directory
        (zipfile.ZIP_LZMA, b"08_a.ipynb", 19, 40),
        (zipfile.ZIP_STORED, b"PK\x01\x02", 10, 1),  # an unknown way to compress
        (zipfile.ZIP_STORED, b"PK\x05\x06", 0, 2),  # no zip at all
    ],
)
def test_a_learners_broken_zip_is_her_fault_alone(tmp_path, how, old, after, length):
    put(tmp_path / "bob" / "a.ipynb")
    data = broken(how, old, after, length, tmp_path)
    (tmp_path / "mallory").mkdir()
    (tmp_path / "mallory" / "work.zip").write_bytes(data)
    found, told = find([tmp_path])
    assert [one.student for one in found] == ["bob", "mallory"] and not found[0].fault
    assert "it can't be read (" in found[1].fault and "hand it in again" in found[1].fault
    assert told == [f"{found[1].where}: {found[1].fault}"]
    assert found[1].where.startswith("mallory/work")


def test_a_given_zip_that_is_broken_is_an_error(tmp_path):
    path = tmp_path / "class.zip"
    path.write_bytes(broken(zipfile.ZIP_DEFLATED, b"PK\x01\x02", 0, 4, tmp_path))
    with pytest.raises(
        CourseError, match=r"expected a zip in .*class.zip, but .*download it again"
    ):
        find([path])


CONTROL = "\x1b]0;owned\x07\x1b[2J\ncourse: 12: 6 points"


def test_no_control_character_of_a_name_is_told(tmp_path):
    """A terminal would do what it says, and a line break would begin a sentence of ours."""
    (tmp_path / "mallory").mkdir()
    entries = {f"{CONTROL}.txt": "", f"{CONTROL}.ipynb": "{"}
    zipped(tmp_path / "mallory" / "work.zip", entries)
    put(tmp_path / "mallory" / f"{CONTROL}.csv")
    (tmp_path / "mallory" / f"{CONTROL}.ipynb").symlink_to(tmp_path)
    (tmp_path / f"{CONTROL}.zip").write_bytes(b"PK")
    found, told = find([tmp_path])
    assert len(told) == 5 and all(line.isprintable() for line in told)
    assert all("\\x1b]0;owned\\x07\\x1b[2J\\ncourse" in line for line in told)
    texts = [text for one in found for text in (one.student, one.where, one.name, one.fault)]
    assert all(text.isprintable() for text in texts) and len(found) == 2


def test_a_fault_is_no_longer_than_a_page(tmp_path):
    without = json.loads(NOTEBOOK)
    without["cells"][0]["cell_type"] = ["code" * 1_000_000]
    put(tmp_path / "mallory" / "08_a.ipynb", json.dumps(without))
    (one,), told = find([tmp_path])
    assert len(one.fault) == 2000 and one.fault.endswith("…") and len(told[0]) < 2100


def test_a_cell_of_no_kind_is_no_code_and_ends_nobody_elses_grading(tmp_path):
    without = json.loads(NOTEBOOK)
    del without["cells"][0]["cell_type"]
    put(tmp_path / "mallory" / "08_a.ipynb", json.dumps(without))
    put(tmp_path / "ada" / "08_a.ipynb")
    found, told = find([tmp_path])
    assert {one.student: len(one.cells) for one in found} == {"ada": 2, "mallory": 1} and not told


def test_two_learners_with_long_names_that_begin_alike_are_two(tmp_path):
    for end in "ab":
        put(tmp_path / ("x" * 200 + end) / "a.ipynb")
    found, told = find([tmp_path])
    assert len({file_name(one.student) for one in found}) == 2 and not told
