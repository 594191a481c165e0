"""Which numbers in prose are supported, on small notebooks; then every change of one of the course's own."""

import gzip
import json
import re
from base64 import b64encode

import pytest

from course.check.prose import unsupported
from course.notebooks import chapters
from tests.conftest import ROOT


def code(source, printed="", **data):
    outputs = [{"output_type": "stream", "name": "stdout", "text": printed}]
    outputs += [{"output_type": "display_data", "metadata": {}, "data": data}] if data else []
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": outputs}


def prose(text, quoted=False, **numbers):
    metadata = {"course": {"numbers": "quoted" if quoted else numbers}}
    return {"cell_type": "markdown", "metadata": metadata, "source": text}


def html(text):
    return code("show()", **{"text/html": text})


RAISED = code("1 / 0") | {
    "outputs": [{"output_type": "error", "ename": "E", "evalue": "17 left", "traceback": []}]
}
FRAMES = b64encode(gzip.compress(b'{"svg": "<svg><text>17</text></svg>", "alt": "It is 0.4133."}'))
FRAMES = html(f'<script class="course-frames">{FRAMES.decode()}</script>')
NOTHING = code("pass")
TWO, FOUR = [NOTHING] * 2, [NOTHING] * 4
SUPPORTED = {
    "in an output": [code("x", "loss 0.4133\n"), prose("It is 0.4133.")],
    "in a source": [code(["n = 17\n", "m = 18"]), prose("`m` is 18.")],
    "in the words of a frame": [FRAMES, prose("It is 0.4133.")],
    "in an error": [RAISED, prose("17 are left.")],
    "below": [prose("**Predict.** 17 or more?"), NOTHING, code("x", "17")],
    "two cells above": [code("x", "17"), NOTHING, prose("17 it was.")],
    "a digit, four cells above": [code("x", "7"), *FOUR[:3], prose("7 it was, `-7`.")],
    "0 and 1": [prose("From 0 to 1.")],
    "rounded": [code("x", "0.33333 15.57"), prose("A third, 0.33, and about 16.")],
    "of another sign": [code("x", "tensor([-0.5])"), prose("It is −0.5, so `x[-1]` is -0.5.")],
    "a share": [code("x", "0.1234"), prose("That is 12 %.")],
    "shares": [code("x", "35.0% fewer"), prose("Some 35 % fewer.")],
    "thousands": [code("n = 1_115_394", "16,777,217"), prose("1,115,394 and 16777217.")],
    "powers of ten": [code("x", "3.2415e-08"), prose("Within 3.24e-8 of it.")],
    "in a formula and a table": [code("17, 0.25"), prose("$x^{17}$\n\n| a | 0.25 |\n|---|---|")],
    "a figure's sentence": [html('<img src="x" alt=""><p>The mean is 2.30</p>'), prose("2.30")],
    "repeated far away": [
        code("x", "17.25"),
        prose("17.25"),
        *FOUR,
        prose("Some 17.2, no: 17.25"),
    ],
    "a seed far away": [prose("The seed is 1337."), *FOUR, code("seed = 1337")],
    "no results": [
        prose(
            "## 3. Title\n\n4. item\n\nIn chapter 07, chapters 08 and 09, exercise 5, section 3.2 "
            "of *a book* (2017) with GPT-2, UTF-8, float32, x2 and C², [see](page-12.html).\n\n"
            "### Deeper: 75. b\n**Time:** 75 minutes"
        )
    ],
    "arithmetic": [
        code("64, 768"),
        prose("12, 3.5, 4.2 and 0.5", **{"12": "768 / 64", "3.5": "sqrt(12)", "4.2": "log(64)"}),
        prose("1/2 is 0.5, 6 too", **{"0.5": "2**-1", "6": "7 * 2 % 8", "2": "7 // 3"}),
    ],
    "words": [prose("2.199, 17", **{"2.199": "quoted", "17": "given"}), prose("17 again")],
    "all quoted": [prose("2.199, 17", quoted=True), prose("It is 3.", **{"3": "given"})],
    "above": [code("x", "0.37651"), *FOUR, prose("0.3765", **{"0.3765": "above"})],
}
REFUSED = {
    "another number": ([code("x", "0.4133"), prose("0.4134")], "the number 0.4134 is in no"),
    "a digit": ([code("x", "3 and 4"), prose("It prints 5.")], "the number 5 is in no"),
    "wrongly rounded": ([code("x", "0.33333"), prose("0.34")], "the number 0.34 is in no"),
    "a wrong share": ([code("x", "0.1234"), prose("That is 13 %.")], "the number 13 % is in no"),
    "thousands": ([code("x", "16,777,216"), prose("16,777,217")], "the number 16777217 is in no"),
    "three cells above": ([code("x", "17"), *TWO, prose("17")], '"numbers": {"17": …}}'),
    "five cells below": ([prose("7"), *FOUR, code("x", "7")], "the number 7 is in no"),
    "rounded two cells above": (
        [code("x", "0.333"), NOTHING, prose("0.33")],
        "number 0.33 is in no",
    ),
    "in the picture of a frame": ([FRAMES, prose("17")], "the number 17 is in no"),
    "in an image": (
        [html('<img src="data:image/png;base64,A+17+b" width="17">'), prose("17")],
        "",
    ),
    "in base64 of a script": ([html('{"src": "data:image/png;base64,A+17+b"}'), prose("17")], ""),
    "only in prose": ([prose("77"), prose("77")], "the number 77 is in no"),
    "a digit that rounds": ([code("x", "6.8"), prose("7")], "the number 7 is in no"),
    "wrong arithmetic": ([prose("12", **{"12": "7 + 6"})], "'7 + 6', which is 13: correct one"),
    "arithmetic on what is nowhere": (
        [prose("12", **{"12": "768 / 64"})],
        "the number 768 is in no",
    ),
    "a stale origin": ([prose("12", **{"12": "given", "13": "given"})], "says where 13 is from"),
    "not above": ([prose("12", **{"12": "above"}), code("12")], "but no code cell above has it"),
    "an unknown word": ([prose("12", **{"12": "year"})], "expected above, given, quoted or"),
    "code": ([prose("12", **{"12": "__import__('os').getpid()"})], "ValueError('Attribute')"),
    "endless arithmetic": ([prose("12", **{"12": "9**9**9**9**9"})], "OverflowError"),
    "quoted in another cell": ([prose("17", quoted=True), prose("17")], "the number 17 is in no"),
    "no text": ([prose("12", **{"12": 12})], "expected above, given, quoted or arithmetic"),
}


@pytest.mark.parametrize("cells", SUPPORTED.values(), ids=SUPPORTED)
def test_is_supported(cells):
    assert list(unsupported(cells)) == []


@pytest.mark.parametrize(("cells", "sentence"), REFUSED.values(), ids=REFUSED)
def test_is_refused(cells, sentence):
    (place, found), *more = unsupported(cells)
    assert sentence in found and cells[place]["cell_type"] == "markdown"
    assert len(more) == (sentence in ("the number 77 is in no", "the number 768 is in no"))


# ---------------------------------------------------------------- a notebook of the course


def test_a_wrong_result_is_found_even_where_it_is_refreshed():
    """The outputs are evidence: nine in ten wrong last digits stand nowhere near."""
    [path] = (path for path in chapters(ROOT) if path.stem.startswith("07"))
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    found = []
    for cell in cells:
        text = "".join(cell["source"])
        said = r"(?<![/\d])\d+\.\d{3,}"  # not in an address
        for number in re.finditer(said, text) if cell["cell_type"] == "markdown" else ():
            wrong = number[0][:-1] + str((int(number[0][-1]) + 1) % 10)
            cell["source"] = text[: number.start()] + wrong + text[number.end() :]
            found.append(any(True for _ in unsupported(cells)))
        cell["source"] = text
    assert len(found) > 20 and sum(found) / len(found) > 0.9
