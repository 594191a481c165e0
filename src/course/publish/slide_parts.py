"""Choose what a slide shows of a cell: code and outputs that can be read from the back row."""

from __future__ import annotations

import ast
import html
import math
import re
import textwrap

from course.publish.page import Cell

LINES, WIDTH = 10, 74  # of code on a slide, in 25 px type at 1280 × 720
LINTER = re.compile(r"[ \t]*#[ \t]*(?:noqa|fmt|type:|ruff|pylint).*")
TENSOR = re.compile(r"tensor\((\[[^()]*\])")
DECIMALS = re.compile(r"\.\d{3}|e-")  # more digits than the back row can read
DIGITS = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
TRUTH = re.compile(r"\b(?:True|False)\b")
ROW_NAMES = re.compile(r"<g [^>]*><text [^>]*class='row'.*?</g>")
NUMBER = re.compile(r"[^\s,\[\]]+")


def bare(source: str) -> str:
    """Return code without the statements that only check it, without comments for linters, and without
    comments that make a line too long.

    >>> print(bare("x = f(2)  # noqa: B008\\nassert x > 1\\ntorch.testing.assert_close(x, y)"))
    x = f(2)
    """
    lines = source.splitlines()
    for node in reversed(ast.parse(source).body):
        if re.match(r"assert |torch\.testing\.assert_", ast.unparse(node)):
            del lines[node.lineno - 1 : node.end_lineno]
    lines = [LINTER.sub("", line) for line in lines]
    lines = [re.sub("  #.*", "", line) if len(line) > WIDTH else line for line in lines]
    text = "\n".join(line.rstrip() for line in lines)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def chosen(text: str, first: str, last: str) -> str:
    """Return the lines from the one that begins with `first` to the next that begins with `last`.

    >>> chosen("a = 1\\nb = 2\\nc = 3", "b", "c")
    'b = 2\\nc = 3'
    """
    lines = text.splitlines()
    begins = [n for n, line in enumerate(lines) if line.strip().startswith(first)]
    if len(begins) != 1:
        raise ValueError(f"expected one line that begins with {first!r}, found {len(begins)}")
    for n in range(begins[0], len(lines)):
        if lines[n].strip().startswith(last):
            return textwrap.dedent("\n".join(lines[begins[0] : n + 1]))
    raise ValueError(f"expected a line that begins with {last!r} after it, found none")


def is_readable(code: str, width: int = WIDTH) -> bool:
    """Whether code can be read from the back row."""
    lines = code.splitlines()
    return len(lines) <= LINES and all(len(line) <= width for line in lines)


def readable(source: str, *ends: str) -> str:
    """Return a cell's code, or the lines that `ends` choose. Raises ValueError if it is too long."""
    code = chosen(bare(source), *ends) if ends else bare(source)
    if not is_readable(code):
        lines = code.splitlines()
        raise ValueError(
            f"expected at most {LINES} lines of {WIDTH} characters, got {len(lines)} of up to "
            f"{max(map(len, lines))}: choose some, | FIRST | LAST"
        )
    return code


def printed_text(cell: Cell) -> str:
    """Return the text that a cell outputs."""
    texts = (
        output.get("text") or output["data"].get("text/plain", "") for output in cell["outputs"]
    )
    return "".join(map("".join, texts))


def table(printed: str, rows: list[str], columns: list[str]) -> str:
    """Return the numbers of printed tensors as a table: larger is darker, negative has a different hue.

    If all numbers are between 0 and 1, they are shaded like weights (`roots` in draw/picture.py).

    Rows as wide as the first one are used, up to the number of `rows`. Raises ValueError if names don't fit.
    """
    found = _rows(printed)[: len(rows) or None]
    width = len(found[0]) if found else 0
    if not found or len(found) < len(rows) or len(columns) not in (0, width):
        raise ValueError(
            f"expected names for {len(found)} rows of {width}, got {len(rows)} and {len(columns)}"
        )
    values = [x for row in found for text in row if math.isfinite(x := _value(text))]
    most = max(map(abs, values), default=0) or 1.0
    above = "above" if min(values, default=0) < 0 else "share"
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in columns)
    lines = [f"<tr>{'<td></td>' * bool(rows)}{head}</tr>"] if head else []
    for number, row in enumerate(found):
        name = f'<th scope="row">{html.escape(rows[number])}</th>' if rows else ""
        lines.append(f"<tr>{name}{''.join(_td(text, most, above) for text in row)}</tr>")
    return f'<table class="tensor">{"".join(lines)}</table>'


def bars(printed: str, names: list[str], word: str = "") -> str:
    """Return printed numbers as bars: those of the tensors, or otherwise the last number of each line, or
    of each of its parts between commas.

    With `word`, a regular expression, only lines and parts that match it count, with the first number
    after the match. Names replace the text before the numbers; the name - leaves a number out.
    """
    found = _counted(printed, word)
    names = names or [name for name, _ in found]
    if not found or len(found) < len(names):
        raise ValueError(f"expected names for {len(found)} numbers, got {len(names)}")
    kept = [(name, text) for name, (_, text) in zip(names, found, strict=False) if name != "-"]
    values = [float(text.replace(",", "")) for _, text in kept]
    low, high = min(0.0, *values), max(0.0, *values)
    width = high - low or 1
    rows = (
        _bar(name, text, (min(value, 0) - low) / width, value / width)
        for (name, text), value in zip(kept, values, strict=True)
    )
    most = max(map(abs, values), default=0) or 1
    return f'<table class="bars" data-most="{most:g}">{"".join(rows)}</table>'


def _counted(printed: str, word: str) -> list[tuple[str, str]]:
    """Return the numbers for bars, each after the text that is printed before it."""
    said = "\n".join(line for line in printed.splitlines() if re.search(word, line))
    if numbers := [text for tensor in TENSOR.findall(said) for text in NUMBER.findall(tensor)]:
        return [("", text) for text in numbers]
    found = []
    for part in re.split(r", |\n|(?<=\)) (?=tensor)", said):
        after = re.search(word, part) if word else None
        numbers = list(DIGITS.finditer(part, after.end() if after else 0))
        if numbers and (after or not word):
            number = numbers[0 if word else -1]
            found.append((part[: number.start()].strip(" :=("), number[0]))
    return found


def _brief(text: str) -> str:
    """Return a number rounded to three digits, or from 100 on to an integer.

    >>> _brief("0.9544"), _brief("0.0029"), _brief("1066.11"), _brief("2.3028"), _brief("99.999")
    ('0.954', '0.0029', '1066', '2.30', '100')
    """
    _, point, digits = text.partition(".")
    if not point or len(digits) < 3 and abs(float(text.replace(",", ""))) < 100:
        return text
    value = float(text.replace(",", ""))
    written = min(3, len(text.replace(".", "").lstrip("-0")))
    if not value or abs(value) >= 100:
        return f"{value:.0f}".replace("-0", "0")
    return f"{value:#.{written}g}".removesuffix(".")


def strip(printed: str, names: list[str], word: str = "") -> str:
    """Return printed lists as rows of boxes: each line's name, then the items in its brackets, or its words.

    Only lines that match `word`, a regular expression, are shown. The item after an arrow is marked.
    """
    lines = [line for line in printed.splitlines() if line.strip() and re.search(word, line)]
    if len(lines) < len(names):
        raise ValueError(f"expected names for {len(lines)} lines, got {len(names)}")
    rows = []
    for n, line in enumerate(lines[: len(names) or None]):
        before, bracket, listed = line.partition("[")
        inside, _, after = listed.partition("]")
        boxes = inside.split(",") if bracket else line.split()
        boxes = [box.strip(" ").removeprefix("'").removesuffix("'") for box in boxes]
        name = names[n] if names else before.removesuffix("tensor(").strip() * bool(bracket)
        if not bracket and names and boxes[0] == name:
            boxes = boxes[1:]
        row = "".join(f"<td>{html.escape(box).replace(' ', '␣')}</td>" for box in boxes)
        if "->" in after:
            row += f'<td class="next">{html.escape(after.partition("->")[2].strip())}</td>'
        rows.append(f'<tr><th scope="row">{html.escape(name)}</th>{row}</tr>')
    return f'<table class="strip">{"".join(rows)}</table>'


def _bar(name: str, text: str, begins: float, share: float) -> str:
    place = f"--from: {100 * begins:.1f}%; --share: {100 * abs(share):.1f}%"
    kind = "below" if share < 0 else "above"
    return (
        f'<tr><th scope="row">{html.escape(name)}</th><td><i class="{kind}" style="{place}"></i></td>'
        f"<td>{_brief(text).replace('-', '−')}</td></tr>"
    )


def panels(drawn: str, chosen: list[int]) -> str:
    """Return a figure with only the chosen panels, counted from 1, and without its title.

    Panels next to each other share row names. If the first chosen panel has none, it takes the first panel's.
    """
    begins = [found.start() for found in re.finditer("<g class='panel'>", drawn)]
    ends = [_end(drawn, begin) for begin in begins]
    if not set(chosen) <= set(range(1, len(begins) + 1)):
        raise ValueError(f"expected panels from 1 to {len(begins)}, got {chosen}")
    parts = [drawn[begin:end] for begin, end in zip(begins, ends, strict=True)]
    kept = [parts[number - 1] for number in sorted(chosen)]
    if ROW_NAMES.search(parts[0]) and not ROW_NAMES.search(kept[0]):
        moved = _left(kept[0]) - _left(parts[0])
        names = "".join(found[0] for found in ROW_NAMES.finditer(parts[0]))
        kept[0] += re.sub(r" x='([\d.]+)'", lambda x: f" x='{float(x[1]) + moved:.1f}'", names)
    drawn = drawn[: begins[0]] + "".join(kept) + drawn[ends[-1] :]
    return re.sub("<text [^>]*class='title'[^>]*>[^<]*</text>", "", drawn)


def _left(panel: str) -> float:
    """Return the smallest x at which a path of a panel begins."""
    return min(float(x) for x in re.findall(r"[ML] ([\d.]+) ", panel))


def _end(drawn: str, begin: int) -> int:
    """Return the index at which the group that begins at `begin` ends."""
    depth = 0
    for found in re.finditer("<g[ >]|</g>", drawn[begin:]):
        depth += -1 if found[0] == "</g>" else 1
        if depth == 0:
            return begin + found.end()
    raise ValueError("expected a group that ends")


def _rows(printed: str) -> list[list[str]]:
    """Return the rows of numbers in printed tensors that are as wide as the first row; without tensors,
    every True and False in each line."""
    texts = (row for tensor in TENSOR.findall(printed) for row in tensor.split("]"))
    rows = [numbers for text in texts if (numbers := NUMBER.findall(text))]
    rows = rows or [found for line in printed.splitlines() if (found := TRUTH.findall(line))]
    return [row for row in rows if len(row) == len(rows[0])]


def _value(text: str) -> float:
    return float({"True": "1", "False": "0"}.get(text, text))


def _td(text: str, most: float, above: str) -> str:
    value, says = _value(text), text.removesuffix(".")
    if not math.isfinite(value):
        return f"<td>{says.replace('-', '−')}</td>"
    if value == 0 and text != "False":
        return '<td class="none">0</td>'
    says = (f"{value:.2f}" if DECIMALS.search(text) else says).replace("-", "−")
    kind = "below" if value < 0 else above
    dark = 63 * value**0.5 if kind == "share" and most <= 1 else 50 * abs(value) / most
    return f'<td class="{kind}" style="--dark: {round(dark)}%">{says}</td>'
