"""Cells become HTML: formulas, code and outputs."""

import html
import re

import pytest

from course.errors import CourseError
from course.publish.formulas import convert_math, mathml
from course.publish.page import code_html, one_block, output_html


def words(markup: str) -> str:
    return re.sub(r"<[^>]+>", "", markup)


@pytest.mark.parametrize("display", (False, True))
def test_a_formula_says_how_it_is_set(display):
    kind = "block" if display else "inline"
    assert f'display="{kind}"' in mathml(r"\frac{Q K^{\top}}{\sqrt{d_k}}", display)


def test_an_upright_word_is_one_identifier():
    assert "<mi>softmax</mi>" in mathml(r"\mathrm{softmax}(x)", True)
    assert '<mi>ln</mi><mspace width="0.167em"/><mn>65</mn>' in mathml(r"\ln 65", False)
    assert "<mi>ln</mi><mo" in mathml(r"\ln(65)", False)


@pytest.mark.parametrize(
    ("tex", "says"),
    (
        (r"\foo x", r"\\foo is not known"),
        (r"\arg\max x", r"\\arg is not known"),
        (r"\begin{aligned}a&=b\end{aligned}", "& stands outside"),
        (r"a & b", "& stands outside"),
        (r"\frac{a", "braces"),
        (r"\frac{a}", "a part is missing in mfrac"),
        (r"\left( a", "extra left or missing right"),
        (r"a_", "missing"),
        (r"\begin{matrix} a", "missing end"),
        (" ", "no available tokens"),
    ),
)
def test_a_formula_that_would_be_shown_wrong_is_refused(tex, says):
    with pytest.raises(ValueError, match=says):
        mathml(tex, False)


@pytest.mark.parametrize(
    "markdown",
    (
        "`$x$` and ``a ` $y$``",
        "```python\nprice = '$5 and $6'\n```",
        "~~~\n$x$\n~~~\n",
        r"It costs \$5 and \$6.",
        "It costs $5, or 6 $ at night.",
        "one dollar $ here\n\nand one $ there",
        "<!-- $x$ -->",
    ),
)
def test_what_is_no_formula_stays(markdown):
    assert convert_math(markdown, "here") == markdown


def test_formulas_between_code_are_found():
    found = convert_math("`$a$` then $b$, then `$c$` and\n$$\nd\n$$\n", "here")
    assert found.count("<math") == 2 and "`$a$`" in found and "`$c$`" in found
    assert '<span class="course-math"><math' in found and "\n\n" not in found


def test_an_error_names_notebook_cell_and_formula():
    with pytest.raises(CourseError, match=r"04_x\.ipynb, cell-003: the formula \$\\foo\$ can't"):
        convert_math(r"so $\foo$", "04_x.ipynb, cell-003")


def test_code_keeps_its_text_and_gets_classes():
    found = code_html("x = '<b>'  # why\n\n\ny = 1")
    assert '<span class="c1"># why</span>' in found
    assert html.unescape(words(found)) == "x = '<b>'  # why\n\n\ny = 1"


def test_a_line_of_code_knows_its_indent():
    found = code_html('def f(x):\n    """a\n\n      b"""\n\n    return 1\n')
    lines = re.findall('<span class="line" style="--in:(.)">(.*)</span>', found)
    assert [indent for indent, _ in lines] == ["0", "4", "6", "4"]
    assert words(lines[3][1]) == "    return 1"


def test_long_lines_of_words_are_broken_and_columns_are_not():
    def kind(text):
        return output_html({"output_type": "stream", "text": text}).partition(">")[0]

    long = "word " * 18
    assert kind(f"a\n{long}") == '<pre class="course-output course-words"'
    assert kind(long[:88]) == kind(f"{long}\na   b") == kind("") == '<pre class="course-output"'


def test_what_a_figure_shows_is_heard_once_and_its_first_sentence_is_read():
    says = "It falls to 0.5 at d = 4. Then it rises."
    image = f'<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="{says}">'

    def captions(markup):
        data = {"text/html": markup}
        found = output_html({"output_type": "display_data", "data": data})
        assert found.count('<svg role="img" aria-label="It falls') == 1
        return re.findall("<figcaption.*?</figcaption>", found)

    figure = f"{image}<figcaption>{says}</figcaption>"
    (read,) = captions(figure)
    opens = '<details class="course-says"><summary>It falls to 0.5 at d = 4.</summary>'
    assert read == f"<figcaption>{opens} Then it rises.</details></figcaption>"
    silent = f'<figcaption aria-hidden="true">{says}</figcaption>'
    assert captions(f"{figure}<script>frames</script>") == [silent], "what moves says all at once"
    assert captions(figure.replace(" Then it rises.", "")) == [
        silent.replace(" Then it rises.", "")
    ]
    assert captions(image) == []
    other = "<figcaption>Another.</figcaption>"
    assert captions(image + other) == [other]


def test_outputs_are_shown_by_their_best_form():
    stream = {"output_type": "stream", "name": "stdout", "text": ["a\x1b[31m<\x1b[0m\n", "b"]}
    assert output_html(stream) == '<pre class="course-output">a&lt;\nb</pre>'
    both = {
        "output_type": "execute_result",
        "data": {"text/html": ["<b>", "x</b>"], "text/plain": "x"},
    }
    assert output_html(both) == "<b>x</b>"
    only = {"output_type": "execute_result", "data": {"text/plain": "tensor(<1>)"}}
    assert output_html(only) == '<pre class="course-output">tensor(&lt;1&gt;)</pre>'
    png = {
        "output_type": "display_data",
        "data": {"image/png": "iV\nBO", "text/plain": 'a "figure"'},
    }
    assert 'src="data:image/png;base64,iVBO" alt="a &quot;figure&quot;"' in output_html(png)
    error = {"output_type": "error", "ename": "E", "evalue": "x<y", "traceback": ["\x1b[1mE: x<y"]}
    assert output_html(error) == '<pre class="course-output course-error">E: x&lt;y</pre>'


def test_one_block_has_no_blank_line():
    found = one_block("<pre>a\n\n\n  \nb\n</pre>\n")
    assert not re.search(r"\n[ \t]*\n", found)
    assert found.replace("&#10;", "\n") == "<pre>a\n\n\n  \nb\n</pre>"
    found = one_block("<i>\n\n</i><style a>\nb {}\n \n\nc {}\n</style>\n\n<script>\n\nd</script>")
    assert found == "<i>&#10;\n</i><style a>\nb {}\nc {}\n</style>&#10;\n<script>\nd</script>"
