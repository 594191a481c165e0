"""What of a cell stands on a slide: code and outputs cut to what can be read from the back row."""

from __future__ import annotations

import ast
import html
import math
import re
import textwrap

from course.publish.page import Cell

LINES, WIDTH = 10, 74  # of code on a slide: 25 px where it has 1280 × 720
LINTER = re.compile(r"[ \t]*#[ \t]*(?:noqa|fmt|type:|ruff|pylint).*")
TENSOR = re.compile(r"tensor\((\[[^()]*\])")
DECIMALS = re.compile(r"\.\d{3}|e-")  # more than are read from the back row
NUMBER = re.compile(r"[^\s,\[\]]+")


def bare(source: str) -> str:
    """Code without the statements that only check it, without words to a linter, and without the
    comment that makes a line too long.

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
    """The lines from the one that begins with `first` to the next that begins with `last`.

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
    """The code of a cell, or the lines of it from one to another. Raises ValueError if it is too long."""
    code = chosen(bare(source), *ends) if ends else bare(source)
    if not is_readable(code):
        lines = code.splitlines()
        raise ValueError(
            f"expected at most {LINES} lines of {WIDTH} characters, got {len(lines)} of up to "
            f"{max(map(len, lines))}: choose some, | FIRST | LAST"
        )
    return code


def printed_text(cell: Cell) -> str:
    """What a cell prints."""
    texts = (
        output.get("text") or output["data"].get("text/plain", "") for output in cell["outputs"]
    )
    return "".join(map("".join, texts))


def table(printed: str, rows: list[str], columns: list[str]) -> str:
    """The numbers of printed tensors as a table: the larger, the darker, and another hue below 0.

    Where all lie between 0 and 1 the shade is that of weights (`roots` of draw/picture.py).

    Tensors as wide as the first follow below it, as far as there are names for the rows.
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


def _rows(printed: str) -> list[list[str]]:
    """The rows of numbers in printed tensors, those that are as wide as the first."""
    texts = (row for tensor in TENSOR.findall(printed) for row in tensor.split("]"))
    rows = [numbers for text in texts if (numbers := NUMBER.findall(text))]
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
