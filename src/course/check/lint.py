"""Find faults that comparing outputs can't find: what goes unchecked, and what breaks a slide."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from course.check.habits import translated
from course.check.prose import unsupported
from course.notebooks import changes, contents
from course.outline import COLLAPSED, asks, marks, missing

TAGS = frozenset(
    ("parameters", "raises-exception", "nbval-ignore-output", "hide-input", "hide-output")
    + ("exercise", "quiz", "explorer", "figure", "predict", "evidence")
)
UNCHECKED = "nbval-ignore-output"
SLIDE_TYPES = ("slide", "subslide", "fragment", "skip", "notes")
MAX_LINES = 15  # of a code cell, without blank ones
MARKER = re.compile(r"^\s*#+\s*(?:NBVAL_|PYTEST_VALIDATE_)\w*", re.MULTILINE)


def lint(notebook: dict[str, Any]) -> list[str]:
    """Return a sentence for each fault that comparing outputs can't find; [] if there is none."""
    found = []
    if "widgets" in notebook["metadata"]:
        found.append(
            "metadata.widgets is stored: remove it, because GitHub refuses it without state"
        )
    if not isinstance(was := _course(notebook).get("cells"), list):
        found.append(f"expected metadata.course.cells, a list, got {was!r}: run `course refresh`")
    elif told := changes(was, contents(notebook)):
        found.append(
            f"expected the cells and the numbers in prose of the last `course refresh`, but {told}: "
            "put them back, or refresh again if you meant to change them"
        )
    marked = list(marks(notebook["cells"]))
    stray = defaultdict(list)
    for place, name in missing(notebook["cells"]):
        stray[place].append(f"uses {name}, which only a Deeper section defines: define it here")
    for place, sentence in unsupported(notebook["cells"]):
        stray[place].append(sentence)
    ids = Counter(cell.get("id") for cell in notebook["cells"])
    numbers: Counter[str] = Counter()
    for place, cell in enumerate(notebook["cells"]):
        numbers[kind := cell["cell_type"]] += 1
        sentences = [*_lint_cell(cell), *stray[place]]
        if marked[place] != ("".join(cell["source"]), bool(cell["metadata"].get(COLLAPSED))):
            sentences.append(
                "its minutes or its collapsed sections have changed: run `course refresh`"
            )
        if asks(cell) and not _goes_on(notebook["cells"][place + 1 : place + 2]):
            sentences.append("asks, and words follow: put them into it, so that code answers it")
        if not cell.get("id") or ids[cell["id"]] > 1:
            sentences.append(f"needs an id of its own, got {cell.get('id')!r}")
        if kind == "code":
            sentences += _lint_code(cell, numbers[kind])
        elif not "".join(cell["source"]).strip():
            sentences.append("is empty: write it or delete it")
        found += [f"{kind} cell {numbers[kind]}: {sentence}" for sentence in sentences]
    return found


def _goes_on(below: list[dict[str, Any]]) -> bool:
    """Whether code answers a question, or one more question follows."""
    return any(cell["cell_type"] == "code" or asks(cell) for cell in below)


def _lint_cell(cell: dict[str, Any]) -> Iterator[str]:
    yield from translated(str(_course(cell).get("notes", "")))
    if cell["cell_type"] == "markdown":
        yield from translated("".join(cell["source"]))
    tags = cell["metadata"].get("tags", [])
    if unknown := set(tags) - TAGS:
        yield f"unknown tags {sorted(unknown)}: expected some of {', '.join(sorted(TAGS))}"
    slide = cell["metadata"].get("slideshow", {}).get("slide_type")
    if slide not in SLIDE_TYPES:
        yield f"slideshow.slide_type is {slide!r}: expected one of {', '.join(SLIDE_TYPES)}"


def _lint_code(cell: dict[str, Any], number: int) -> Iterator[str]:
    source, outputs, course = "".join(cell["source"]), cell["outputs"], _course(cell)
    if cell["execution_count"] != number:
        yield (
            f"execution count is {cell['execution_count']}, expected {number}: "
            "restart and run all cells"
        )
    if any(output.get("name") == "stderr" for output in outputs):
        yield "has stored stderr: fix or catch the warning"
    if UNCHECKED in cell["metadata"].get("tags", []) and not _is_reason(course.get("reason")):
        yield f'is tagged {UNCHECKED}: say why in "course": {{"reason": …}}'
    if marker := MARKER.search(source):
        yield f"has the comment {marker[0].strip()!r}: use a tag and give a reason"
    lines = sum(bool(line.strip()) for line in source.splitlines())
    if lines > MAX_LINES and not _is_reason(course.get("long")):
        yield (
            f"has {lines} lines, expected at most {MAX_LINES}: "
            'split it or say why in "course": {"long": …}'
        )
    try:
        tolerance(cell)
    except ValueError as wrong:
        yield str(wrong)


def tolerance(cell: dict[str, Any]) -> dict[str, float]:
    """Return the `rtol` and `atol` that the metadata of a cell give; {} if they give none.

    Raises ValueError unless the form is
    `"course": {"tolerance": {"rtol": 0.01, "atol": 0.01, "reason": "…"}}`, where one number is
    enough.
    """
    given = _course(cell).get("tolerance")
    if given is None:
        return {}
    expected = 'expected {"rtol": …, "atol": …, "reason": "why"} with one or both of the numbers'
    if not isinstance(given, dict):
        raise ValueError(f"tolerance is {given!r}: {expected}")
    numbers = {key: value for key, value in given.items() if key != "reason"}
    known = bool(numbers) and set(numbers) <= {"rtol", "atol"}
    positive = all(type(value) in (int, float) and 0 <= value < 1e9 for value in numbers.values())
    if not (known and positive and _is_reason(given.get("reason"))):
        raise ValueError(f"tolerance is {given}: {expected}")
    return numbers


def _course(cell: dict[str, Any]) -> dict[str, Any]:
    course = cell["metadata"].get("course")
    return course if isinstance(course, dict) else {}


def _is_reason(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())
