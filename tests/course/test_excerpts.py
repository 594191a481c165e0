"""What a search shows of a page: its text, formulas and code as they are written."""

import json
import re

import pytest

from course.errors import CourseError
from course.publish.excerpts import SIGN, rewrite, sections, written
from course.publish.page import code_html, mathml

FORMULAS = {
    r"w_j = \frac{e^{s_j}}{\sum_i e^{s_i}}": "w_j = e^(s_j) / (∑_i e^(s_i))",
    r"\mathrm{softmax}\left(\frac{Q K^{\top}}{\sqrt{d_k}}\right) V": "softmax(QK^⊤ / √(d_k))V",
    r"\sum_{i=1}^{n} x_i^2": "∑_(i = 1)^n x_i^2",
    r"\begin{pmatrix} 1 & 0 \\ 0 & 2 \end{pmatrix}": "(1, 0; 0, 2)",
}


@pytest.mark.parametrize("tex", FORMULAS)
def test_a_formula_is_one_line(tex):
    assert written(f"<p>{mathml(tex, display=True)}</p>") == FORMULAS[tex]


def test_code_has_no_spaces_that_nobody_wrote():
    shown = written(code_html('check("04.mean_past", torch.tril(x[1:]))'))
    assert shown.replace(f"{SIGN} ", "") == 'check("04.mean_past", torch.tril(x[1:]))'
    assert {"tril(", 'check("04.mean_past",'} <= set(shown.replace(SIGN, "").split(" "))
    shown = written("<p><b>one</b></p><p>t<em>wo</em> <i>and</i>, &lt; 3</p>")
    assert shown == f"one t{SIGN} wo and, < 3"


def test_what_is_hidden_or_not_read_stays_out():
    answers = "<details><summary>Hint 1</summary><p>tril</p></details>"
    folded = '<details class="course-folded"><summary>Why</summary>42</details>'
    assert written(f"a{answers}b{folded}<script>c</script><svg><text>d</text></svg>") == (
        "a Hint 1 b Why 42"
    )


def site(folder, page, **bodies):
    docs = {str(n): {"body": body, "title": "t"} for n, body in enumerate(bodies.values())}
    index = {"doc_urls": [f"a.html#{name}" for name in bodies], "index": {"documentStore": {}}}
    index["index"]["documentStore"]["docs"] = docs
    text = re.sub(r"([\\'])", r"\\\1", json.dumps(index, separators=(",", ":")))
    (folder / "searchindex-0123abcd.js").write_text(f"x = f(y, JSON.parse('{text}'));")
    (folder / "a.html").write_text(f"<nav>n</nav><main>{page}</main><footer>")
    return folder


def test_each_section_is_shown_as_it_is_written(tmp_path):
    page = '<h1 id=\'no\'>0</h1>i<h1 id="a">A</h1>it\'s <code>\\n f<b>(</b>x)</code><h3 id="b">B</h3>c'
    site(tmp_path, page, a="it's \\n f ( x )", b='"')
    assert sections(tmp_path / "a.html")["b"] == "c"
    rewrite(tmp_path)
    text = (tmp_path / "searchindex-0123abcd.js").read_text()
    found = json.loads(re.sub(r"\\([\\'])", r"\1", re.search(r"JSON\.parse\('(.*)'\)\)", text)[1]))
    shown = [doc["body"] for doc in found["index"]["documentStore"]["docs"].values()]
    assert [body.replace(f"{SIGN} ", "") for body in shown] == ["it's \\n f(x)", "c"]
    assert f"f({SIGN} x)" in shown[0] and text.startswith("x = f(y, ") and text.endswith(");")


def test_another_index_is_refused(tmp_path):
    (tmp_path / "searchindex-1.js").write_text("Object.assign({})")
    with pytest.raises(CourseError, match="expected mdBook's search index in .*: install"):
        rewrite(tmp_path)
