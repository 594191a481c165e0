"""What a search shows of a page: its text, without what is closed there."""

import json
import re

import pytest

from course.errors import CourseError
from course.publish.search_index import hide_closed, open_text


def test_what_is_closed_or_not_read_stays_out():
    answers = "<details><summary>Hint 1</summary><p>tril</p></details>"
    folded = '<details class="course-folded"><summary>Why</summary>42</details>'
    assert open_text(f"a{answers}b{folded}<script>c</script><svg><text>d</text></svg>") == (
        "a Hint 1 b Why 42"
    )


def test_each_section_keeps_what_is_open(tmp_path):
    closed = "<details><summary>Hint</summary>no</details>"
    page = (
        f'<h1 id=\'no\'>0</h1>i<h1 id="a">A</h1>it\'s <code>\\n</code>{closed}<h3 id="b">B</h3>c'
    )
    (tmp_path / "a.html").write_text(f"<nav>n</nav><main>{page}</main><footer>")
    bodies = {"a": "it's \\n no", "b": '"'}
    docs = {str(n): {"body": body, "title": "t"} for n, body in enumerate(bodies.values())}
    index = {"doc_urls": [f"a.html#{name}" for name in bodies], "index": {"documentStore": {}}}
    index["index"]["documentStore"]["docs"] = docs
    stored = re.sub(r"([\\'])", r"\\\1", json.dumps(index, separators=(",", ":")))
    path = tmp_path / "searchindex-0123abcd.js"
    path.write_text(f"x = f(y, JSON.parse('{stored}'));")
    hide_closed(tmp_path)
    text = path.read_text()
    found = json.loads(re.sub(r"\\([\\'])", r"\1", re.search(r"JSON\.parse\('(.*)'\)\)", text)[1]))
    shown = [doc["body"] for doc in found["index"]["documentStore"]["docs"].values()]
    assert shown == ["it's \\n Hint", "c"]
    assert text.startswith("x = f(y, ") and text.endswith(");")


def test_another_index_is_refused(tmp_path):
    (tmp_path / "searchindex-1.js").write_text("Object.assign({})")
    with pytest.raises(CourseError, match="expected mdBook's search index in .*: install"):
        hide_closed(tmp_path)
