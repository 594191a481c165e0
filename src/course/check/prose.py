"""Numbers in prose: each stands in what is computed near it, or its cell says where it is from.

Near are the sources and outputs of two code cells before and two after (of four, for a single
digit). The one just before may be rounded. A number of three digits may stand in any source, and
prose may repeat or round what supported prose has. Of any other number the Markdown cell says
`"course": {"numbers": {"58,660": "167677 - 109017", "2.199": "quoted"}}`: arithmetic on numbers
that are supported themselves, `above` (a code cell further up has it), `given` (the prose itself
sets it) or `quoted` (from another text, program or run). A cell whose numbers are all quoted, such
as a table, says `"numbers": "quoted"`.
"""

import ast
import math
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from course.check.compare import NUMBER, unzipped

NEAR = 2  # measured: with 1, a third more numbers need a word; with 3, more mistakes pass
# The number of a list, a heading, a chapter, a year in brackets, a name: no result.
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
    """The place of a Markdown cell and a sentence, for each number that nothing supports."""
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
    """The numbers of a text, as they stand and as values without a sign; 12 % is 0.12.

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
    """Whether a number is one of the values; one of two digits may be rounded to its last place."""
    half = _half(number) if len(number.as_tuple().digits) > 1 else 0
    return any(abs(value - number) <= half for values in sets for value in values)


def _half(number: Decimal) -> Decimal:
    """Half a unit of the last place."""
    return Decimal(5).scaleb(number.as_tuple().exponent - 1)


def _wrong(origin: str, value: Decimal, above: list[set[Decimal]]) -> str:
    """What is wrong with the origin that a number is said to have; "" if nothing."""
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
                node.value = float(node.value)  # 9**9**9**9 is too large at once
        result = Decimal(eval(compile(tree, "", "eval"), {"__builtins__": {}}, FUNCTIONS))
        right = abs(abs(result) - value) <= _half(value)
    except (SyntaxError, ValueError, NameError, TypeError, ArithmeticError) as error:
        return f"expected above, given, quoted or arithmetic such as 'sqrt(16) / 2': {error!r}"
    return "" if right else f"which is {float(result):.6g}: correct one of the two"
