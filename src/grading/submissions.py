"""Find out who handed in what: from files, folders, and the downloads of nbgrader, Moodle and Canvas.

The path of a notebook says whose it is, by the documented patterns:

    submitted/STUDENT/ASSIGNMENT/any.ipynb              nbgrader
    First Last_123_assignsubmission_file_/any.ipynb     Moodle; also without the folder
    lastfirst_123_456_any.ipynb, lastfirst_LATE_123_... Canvas
    STUDENT/any.ipynb, STUDENT.ipynb                    any other folder

Only the outermost part of a path counts, because learners choose all other names. So nobody can hand in
for someone else. Zips aren't unpacked; a notebook in a zip is read where it is. A sentence reports
whatever can't be read, so that no submission is lost silently.
"""

import hashlib
import re
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from course.errors import CourseError
from course.learn.exercises import known
from course.notebooks import parse

LARGEST = 64 << 20  # bytes of a notebook, and of all notebooks in a learner's zip
MANY = 200  # notebooks in a learner's zip
LONGEST = 2000  # characters of a text that comes from a learner
NBGRADER = "submitted"
MOODLE = re.compile(  # Moodle writes a name without underscores
    r"(?P<name>[^_]*)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_|$)(?!.*_(?!(?P=id)_)\d+_assignsubmission_)"
)
CANVAS = re.compile(r"(?P<name>[^_]+)_(?P<late>LATE_)?(?P<id>\d+)_\d+_(?=.)")
NO_SUBMISSION = re.compile(r"(^|/)(__MACOSX|\.ipynb_checkpoints|\.git|\.DS_Store|Thumbs\.db)(/|$)")
OUT = re.compile(r"^[/\\]|^[A-Za-z]:|(^|[/\\])\.\.([/\\]|$)")
MARKED = re.compile("-[0-9a-f]{8}$")
NO_NOTEBOOK = "it is no notebook (.ipynb)"
CHECKED = re.compile(r"""\bcheck\(\s*["'](\d\d)\.\w+["']""")
NUMBER = re.compile(r"(?<!\d)(\d\d)_[a-z]")


@dataclass(frozen=True)
class Submission:
    """One learner's notebook of one chapter, or why there is none."""

    student: str
    name: str = ""  # as the platform wrote it
    assignment: str = ""
    where: str = ""
    time: str = ""
    late: bool | None = None  # only Canvas says it
    chapter: str = ""
    hash: str = ""
    cells: tuple[str, ...] = ()  # the code, in order
    fault: str = ""
    order: str = ""  # of several in one zip


@dataclass(frozen=True)
class Entry:
    """A file that was handed in."""

    path: str  # as `plain` writes it
    time: datetime
    open: Callable[[], IO[bytes]]
    left_out: str = ""  # why it isn't a notebook
    fault: str = ""  # why it can't be read
    zipped: datetime | None = None  # its date in a learner's zip, which the learner can set


def find(places: list[Path], chapter: str = "") -> tuple[list[Submission], list[str]]:
    """Find each learner's newest submission of each chapter, and a sentence for each file that doesn't count.

    `chapter` is that of all notebooks, or "" if each names its own. Raises CourseError if there are none.
    """
    told: list[str] = []
    entries = [entry for place in places for entry in _entries(place, told)]
    found = [_submission(entry, chapter) for entry in entries if not entry.left_out]
    others = [entry for entry in entries if entry.left_out]
    told += [f"{entry.path}: left out, {entry.left_out}" for entry in others]
    if not found:
        lines = "".join(f"\n{line}" for line in told)
        where = ", ".join(map(str, places))
        raise CourseError(f"expected notebooks (.ipynb) in {where}, found none{lines}")
    chosen = _newest(found, told)
    told += [f"{one.where}: {one.fault}" for one in chosen.values() if one.fault]
    numbered = {student for student, number in chosen if number}
    kept = [one for one in chosen.values() if one.chapter or one.student not in numbered]
    there = {one.student for one in found}
    without = {
        one.student: replace(one, fault=entry.left_out)
        for entry in others
        if _is_in_learners_place(entry.path) and (one := _handed_in(entry)).student not in there
    }
    return sorted([*kept, *without.values()], key=lambda one: (one.student, one.chapter)), told


def _newest(found: list[Submission], told: list[str]) -> dict[tuple[str, str], Submission]:
    """The newest readable submission by (learner, chapter); `told` gets a sentence about each other one."""
    newest: dict[tuple[str, str], Submission] = {}
    for one in sorted(found, key=lambda one: (not one.fault, one.time, one.order, one.where)):
        key = one.student, one.chapter
        if other := newest.get(key):
            why = f"{one.where} comes later by its " + (
                "date" if (one.time, one.order) > (other.time, other.order) else "name"
            )
            if other.fault and not one.fault:
                why = f"{other.fault}; {one.where} counts"
            told.append(f"{other.where}: left out, {why}")
        newest[key] = one
    return newest


def _is_in_learners_place(path: str) -> bool:
    """True if a path says whose file it is; a file next to the learners' folders could be anyone's."""
    parts = PurePosixPath(path).parts
    return len(parts) > 1 or bool(_by_platform(parts[0]))


# ---------------------------------------------------------------- files


def _entries(place: Path, told: list[str]) -> list[Entry]:
    """The files in a notebook, zip or folder, without an outer folder that `_around` finds."""
    if place.is_dir():
        entries = [*_in_folder(place, told)]
    elif zipfile.is_zipfile(place):
        entries = _in_given_zip(place, told)
    elif place.is_file():
        entries = [_file(place, plain(place.name))]
    else:
        raise CourseError(f"expected a notebook, a zip or a folder, there is no {place}")
    around = _around(place, [entry for entry in entries if not entry.left_out], told)
    return [replace(entry, path=entry.path.removeprefix(around)) for entry in entries]


def _in_given_zip(place: Path, told: list[str]) -> list[Entry]:
    """The files in the instructor's zip. Raises CourseError if it is broken."""
    try:
        return list(_in_zip(place, told))
    except Exception as error:  # broken zips can raise any kind of error
        raise CourseError(
            f"expected a zip in {place}, but {type(error).__name__}: {error}: download it again"
        ) from None


def _in_learners_zip(path: Path, name: str, told: list[str]) -> list[Entry]:
    """The files in a learner's zip in a folder; a broken zip becomes one entry with a fault."""
    whole = replace(_file(path, name), left_out="")
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(f.file_size for f in archive.infolist() if not _no_notebook(f.filename))
            many = len(archive.infolist()) > 100 * MANY
        inner = [] if many else list(_in_zip(path, told))
        notebooks = [entry for entry in inner if not entry.left_out]
        if not inner or len(notebooks) > MANY or size > LARGEST:
            most = f"expected at most {MANY} notebooks of {LARGEST >> 20} MB together in a zip"
            got = (
                f"{len(notebooks)} of {size >> 20} MB"
                if inner
                else "too many files"
                if many
                else "none"
            )
            return [replace(whole, fault=f"{most}, got {got}: hand in the notebook alone")]
    except Exception as error:  # broken zips can raise any kind of error
        return [replace(whole, fault=_unreadable(error))]
    outer = name if name[:-4] == NBGRADER else name[:-4]  # a learner's zip is no class's folder
    return [
        replace(entry, path=f"{outer}/{entry.path}", time=whole.time, zipped=entry.time)
        for entry in inner
    ]


def _unreadable(error: Exception) -> str:
    return plain(f"it can't be read ({type(error).__name__}: {error}): hand it in again")


def _in_folder(folder: Path, told: list[str]) -> Iterator[Entry]:
    """Yield the files in a folder, and those in its zips."""
    for path in sorted(folder.rglob("*")):
        name = plain(path.relative_to(folder).as_posix())
        if NO_SUBMISSION.search(name) or not (path.is_file() or path.is_symlink()):
            continue
        if path.suffix.lower() == ".zip" and not path.is_symlink():
            yield from _in_learners_zip(path, name, told)
        else:
            yield _file(path, name)


def _file(path: Path, name: str) -> Entry:
    """The entry of a file. A link is left out, because it could lead anywhere."""
    when = datetime.fromtimestamp(path.lstat().st_mtime, UTC)
    why = "it is a link" if path.is_symlink() else _no_notebook(name)
    return Entry(name, when, partial(path.open, "rb"), why)


def _in_zip(path: Path, told: list[str]) -> Iterator[Entry]:
    """Yield the files in a zip, which are read without unpacking it."""
    archive = zipfile.ZipFile(path)  # stays open as long as there is an entry
    for info in archive.infolist():
        name, when = plain(info.filename), datetime(1980, 1, 1, tzinfo=UTC)
        if info.is_dir() or NO_SUBMISSION.search(name):
            continue
        if OUT.search(info.filename):
            told.append(f"{plain(path.name)}, {name}: left out, its path leads out of the zip")
            continue
        with suppress(ValueError):  # not a valid date
            when = datetime(*info.date_time, tzinfo=UTC)
        yield Entry(name, when, partial(archive.open, info), _no_notebook(name))


def _no_notebook(name: str) -> str:
    if name.lower().endswith(".zip"):
        return "it is a zip in a zip: unpack it"
    return "" if name.lower().endswith(".ipynb") else NO_NOTEBOOK


# ---------------------------------------------------------------- whose, and which chapter


def _handed_in(entry: Entry) -> Submission:
    """The submission as far as the path of its file describes it."""
    time = f"{entry.time:%Y-%m-%d %H:%M:%S} UTC"
    order = f"{entry.zipped or ''}"
    one = _whose(entry.path)
    return replace(one, where=entry.path, time=time, order=order, fault=entry.fault)


def _submission(entry: Entry, chapter: str) -> Submission:
    """The submission in a file, with its chapter and its code, or with a fault."""
    one = _handed_in(entry)
    if one.fault:
        return one
    try:
        with entry.open() as file:
            data = file.read(LARGEST + 1)
    except Exception as error:  # broken zips can raise any kind of error
        return replace(one, fault=_unreadable(error))
    one = replace(one, hash=hashlib.sha256(data).hexdigest())
    if len(data) > LARGEST:
        return replace(one, fault=f"it is larger than {LARGEST >> 20} MB")
    guess = chapter or _in_name(entry.path, one.assignment)
    try:
        notebook = parse(data.decode("utf-8-sig"), PurePosixPath(entry.path).name)
    except (CourseError, UnicodeDecodeError) as error:
        return replace(one, chapter=guess, fault=plain(f"it is broken: {error}"))
    code = [cell for cell in notebook["cells"] if cell.get("cell_type") == "code"]
    number = chapter or _in_cells(code) or guess
    fault = "" if number else "no chapter's exercise is in it; `--chapter NN` says which it is"
    cells = tuple(cell["source"] for cell in code)
    return replace(one, chapter=number, cells=cells, fault=fault)


def _whose(path: str) -> Submission:
    """The learner and the assignment that a path names. Only its outermost part can name the learner."""
    parts = PurePosixPath(path).parts
    if parts[0] == NBGRADER and len(parts) > 1:
        parts = parts[1:]
    elif found := _by_platform(parts[0]):
        late = bool(found["late"]) if found.re is CANVAS else None
        return Submission(found["id"], found["name"], late=late)
    student = parts[0] if len(parts) > 1 else PurePosixPath(path).stem
    return Submission(student, assignment=parts[1] if len(parts) > 2 else "")


def _by_platform(part: str) -> re.Match[str] | None:
    """The match of a name with Moodle's or Canvas's pattern, or None; no name fits both."""
    return MOODLE.match(part) or CANVAS.match(part)


def in_moodles_names(path: str) -> str:
    """How a file's name begins so that Moodle gives it to the learner of `path`; "" if that isn't Moodle's.

    >>> in_moodles_names("Ada King_12_assignsubmission_file_/a.ipynb")
    'Ada King_12_assignsubmission_file_'
    """
    found = MOODLE.match(PurePosixPath(path).parts[0])
    return f"{found[0].removesuffix('_')}_" if found else ""


def _around(place: Path, entries: list[Entry], told: list[str]) -> str:
    """If all files of NAME.zip are in a folder NAME, and a class is in it, return "NAME/", otherwise "".

    Any other folder around a class is taken for one learner's, and a sentence in `told` says so.
    """
    outer = {PurePosixPath(entry.path).parts[0] for entry in entries}
    name = min(outer, default="")
    inner = [replace(one, path=one.path.removeprefix(f"{name}/")) for one in entries]
    is_learners = name == NBGRADER or _by_platform(name) or not _holds_a_class(inner)
    if len(outer) != 1 or is_learners:
        return ""
    if place.is_file() and name == plain(place.stem):
        return f"{name}/"
    told.append(
        f"{place}: all of it is in the folder {name}, so it is taken for one learner's; "
        "if each folder in there is a learner's, "
        + ("unpack the zip, and " if place.is_file() else "")
        + "name that folder itself"
    )
    return ""


def _holds_a_class(entries: list[Entry]) -> bool:
    """True if there are several folders, or names as nbgrader, Moodle or Canvas give them."""
    paths = [PurePosixPath(entry.path).parts for entry in entries]
    folders = {path[0] for path in paths if len(path) > 1}
    named = NBGRADER in folders or any(_by_platform(path[0]) for path in paths)
    return named or len(folders) > 1


def _in_cells(code: list[dict]) -> str:
    """The chapter with the most exercises in the cells, by metadata and calls of `check`, or ""."""
    marks = [str(cell["metadata"].get("course", {}).get("exercise", ""))[:2] for cell in code]
    marks += [found for cell in code for found in CHECKED.findall(cell["source"])]
    chapters = {id[:2] for id in known()}
    there = [mark for mark in marks if mark in chapters]
    return max(sorted(set(there)), key=there.count, default="")


def _in_name(path: str, assignment: str) -> str:
    """The chapter in the name of a file, its assignment or its folders, but not in a learner's id, or ""."""
    chapters = {id[:2] for id in known()}
    first, *rest = PurePosixPath(path.removeprefix(f"{NBGRADER}/")).parts
    if found := _by_platform(first):
        rest = [first[found.end() :], *rest]
    names = [PurePosixPath(name).stem for name in (*rest[-1:], assignment, *rest[:-1])]
    texts = [f"{name}_x" for name in names] if rest else [first]
    numbers = [number for text in texts for number in NUMBER.findall(text)]
    return next((number for number in numbers if number in chapters), "")


def plain(text: str, kept: str = "") -> str:
    """A learner's text so that it is safe in any file and terminal; a long one is cut and ends in "…".

    Control characters and halves of characters are written as repr writes them, except those in `kept`.

    >>> print(plain(f"José {chr(27)}[2J"))
    José \\x1b[2J
    """
    shown = (c if _is_harmless(c) or c in kept else repr(c)[1:-1] for c in text[: LONGEST + 1])
    whole = "".join(shown)
    return whole if len(whole) <= LONGEST else f"{whole[: LONGEST - 1]}…"


def _is_harmless(character: str) -> bool:
    return character.isprintable() or unicodedata.category(character) == "Zs"  # Zs: wide spaces


def file_name(student: str) -> str:
    """A file name for a learner: no two learners have the same, and none leads to another folder.

    If the learner's name had to be changed, or looks as if it had been, the file name ends in a hash.
    """
    fit = re.sub(r"[^\w.@+-]", "_", student).strip(".")
    as_it_is = fit == student and 0 < len(fit.encode()) < 100 and not MARKED.search(fit)
    mark = hashlib.sha256(student.encode()).hexdigest()[:8]
    return fit if as_it_is else f"{fit[:40]}-{mark}"
