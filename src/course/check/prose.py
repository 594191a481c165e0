"""Numbers in prose: each must be in the code cells near it, or its cell must say where it is from.

Near means the sources and outputs of two code cells before and two after (four for a single digit).
Prose can also round a number of the cell just before it. It can repeat or round a number in supported
prose, or one of three digits or more in any source. For any other number, its cell gives the origin:
`"course": {"numbers": {"58,660": "167677 - 109017", "2.199": "quoted"}}`. An origin is arithmetic on
supported numbers, `above` (a code cell further up has it), `given` (the prose itself sets it) or
`quoted` (from another text, program or run). A cell whose numbers are all quoted, such as a table,
has `"numbers": "quoted"`.
"""

import ast
import math
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from course.check.compare import NUMBER, unzipped

NEAR = 2  # measured: with 1, a third more numbers need an origin; with 3, more mistakes pass
# Not results: numbers of lists, headings, chapters, in links and names, years in brackets, times.
BY_RULE = re.compile(
    r"^\s*\d+\.\s|^#+ (?:Deeper: )?\d+\.|\]\([^)]*\)|\((?:19|20)\d\d\)|\*\*Time:\*\* [^.]*|[A-Z]{2,}-\d+"
    r"|\b(?:[Cc]hapter|[Ss]ection|[Ff]igure|[Ee]xercise)s? \d[\d.]*(?:(?:,| and) \d+)*",
    re.MULTILINE,
)
THOUSANDS = re.compile(r"(?<=\d)[,_](?=\d{3}(?!\d))")
SHARE = re.compile(NUMBER.pattern + r"(\s?%)?")
UNSEEN = re.compile(r"base64,[\w+/=]+|<svg.*?</svg>|<[/\w!][^>]*>", re.DOTALL)
ARITHMETIC = (ast.Expression, ast.Constant, ast.BinOp, ast.operator, ast.UnaryOp, ast.USub)
ARITHMETIC += (ast.Call, ast.Name, ast.Load)
FUNCTIONS = {"sqrt": math.sqrt, "log": math.log, "exp": math.exp}


def unsupported(cells: list[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """Yield the index of a Markdown cell and a sentence, for each number without a valid origin."""
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    computed = [set(numbers(_shown(cell)).values()) for cell in code]
    sources = numbers("\n".join("".join(cell["source"]) for cell in code)).values()
    told = {value for value in sources if len(value.as_tuple().digits) > 2}
    left = []
    after = 0  # the number of code cells so far
    for place, cell in enumerate(cells):
        after += cell["cell_type"] == "code"
        if cell["cell_type"] != "markdown":
            continue
        origins = cell["metadata"].get("course", {}).get("numbers", {})
        if origins == "quoted":
            continue
        said = numbers(BY_RULE.sub(" ", "".join(cell["source"])))
        declared = {value: text for text in origins for value in numbers(text).values()}
        for value, number in declared.items():
            origin = origins[number]
            if value not in said.values():
                yield place, f"says where {number} is from, but does not contain it: delete that"
            elif wrong := _wrong(origin, value, computed[:after]):
                yield place, f"the number {number} is said to be {origin!r}, {wrong}"
            else:
                parts = numbers(origin).items()  # 2 and 1e-5 are constants, 0.25 is a result
                said |= {n: v for n, v in parts if len(v.normalize().as_tuple().digits) > 1}
        for number, value in said.items():
            reach = NEAR * 2 if len(number) == 1 else NEAR
            near = computed[max(0, after - reach) : after + reach]
            last = computed[max(0, after - 1) : after]
            if value not in {0, 1, *declared}.union(*near) and not _stands(value, last):
                left.append((place, number, value))
            elif len(number) > 1:
                told.add(value)
    for place, number, value in left:
        if not _stands(value, [told]):
            yield (
                place,
                f"the number {number} is in no source or output of the code cells near it: "
                f'correct it, or say where it is from in "course": {{"numbers": {{"{number}": …}}}}',
            )


def numbers(text: str) -> dict[str, Decimal]:
    """Map each number in a text, without sign or thousands separators, to its value: 12 % is 0.12.

    >>> numbers("16,777,217 of −0.5, not 35.0 % or x1")
    {'16777217': Decimal('16777217'), '0.5': Decimal('0.5'), '35.0 %': Decimal('0.350')}
    """
    found = SHARE.finditer(THOUSANDS.sub("", text))
    return {m[0].strip("+-."): abs(Decimal(m[1])).scaleb(-2 if m[2] else 0) for m in found}


def _shown(cell: dict[str, Any]) -> str:
    """What a reader sees of a code cell, without images."""
    texts = [cell["source"]]
    for output in cell["outputs"]:
        texts += [output.get("text", ""), output.get("evalue", "")]
        texts += [text for kind, text in output.get("data", {}).items() if "text/" in kind]
    return UNSEEN.sub(" ", unzipped("\n".join("".join(text) for text in texts)))


def _stands(number: Decimal, sets: list[set[Decimal]]) -> bool:
    """Whether a number is among the values; with two digits or more, it may be a rounded value."""
    half = _half(number) if len(number.as_tuple().digits) > 1 else 0
    return any(abs(value - number) <= half for values in sets for value in values)


def _half(number: Decimal) -> Decimal:
    """Half a unit of the last place."""
    return Decimal(5).scaleb(number.as_tuple().exponent - 1)


def _wrong(origin: str, value: Decimal, above: list[set[Decimal]]) -> str:
    """Return what is wrong with the origin given for a number; "" if nothing is."""
    if origin in ("given", "quoted"):
        return ""
    if origin == "above":
        return "" if _stands(value, above) else "but no code cell above has it: correct it"
    try:
        tree = ast.parse(origin, mode="eval")
        for node in ast.walk(tree):
            if not isinstance(node, ARITHMETIC):
                raise ValueError(type(node).__name__)
            if isinstance(node, ast.Constant):
                node.value = float(node.value)  # as floats, 9**9**9**9 overflows at once
        result = Decimal(eval(compile(tree, "", "eval"), {"__builtins__": {}}, FUNCTIONS))
        right = abs(abs(result) - value) <= _half(value)
    except (SyntaxError, ValueError, NameError, TypeError, ArithmeticError) as error:
        return f"expected above, given, quoted or arithmetic such as 'sqrt(16) / 2': {error!r}"
    return "" if right else f"which is {float(result):.6g}: correct one of the two"
