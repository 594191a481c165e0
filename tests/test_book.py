"""The book: built by real mdBook, refused with a sentence, and used in Chromium like a reader."""

import functools
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import axe_playwright_python
import pytest

from course import cli
from course.colours import COLOURS
from course.errors import CourseError
from course.learn.html import RIGHT, WRONG
from course.notebooks import chapters
from course.publish import book, mdbook
from course.publish.book import preprocess
from course.publish.home import wheel
from course.publish.mdbook import build
from course.publish.page import anchor
from tests.browser import browser, end, listens, wait_for, watched
from tests.conftest import ROOT

THEMES = ("light", "rust", "coal", "navy", "ayu")
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
LIGHT_AND_DARK = ("light", "navy")  # all five once a week
PHONE, DESK = {"width": 390, "height": 800}, {"width": 1280, "height": 800}
SHOTS = ROOT / "build" / "screenshots"


# ---------------------------------------------------------------- a small course


def cell(source, kind="markdown", outputs=(), **metadata):
    new = {"cell_type": kind, "id": f"c{abs(hash(source)) % 10**6}", "metadata": metadata}
    new["source"] = source
    if kind == "code":
        new |= {"outputs": list(outputs), "execution_count": 1}
    return new


def printed(text):
    return {"output_type": "stream", "name": "stdout", "text": text}


def shown(markup):
    return {"output_type": "display_data", "metadata": {}, "data": {"text/html": markup}}


def notebook(*cells):
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)})


def two(text):
    return notebook({**cell(f"# Two\n\n## Why two?\n\n{text}"), "id": "here"})


def furnish(root):
    """Give a course what mdBook needs besides its pages."""
    course = Path("src", "course")
    shutil.copytree(ROOT / course / "publish" / "assets", root / course / "publish" / "assets")
    shutil.copy(ROOT / course / "colours.css", root / course)
    (root / course / "draw").mkdir(exist_ok=True)
    for file in (ROOT / course / "draw").glob("*.[cj]s*"):
        shutil.copy(file, root / course / "draw")
    shutil.copy(ROOT / "book.toml", root)


@pytest.fixture
def small(tmp_path):
    """A course of two pages, with a build of it that must survive everything that goes wrong."""
    root = tmp_path / "course"
    (root / "notebooks").mkdir(parents=True)
    furnish(root)
    pages = {"one": "# One\n\nSee [two](two.ipynb#Why-two?).", "two": "# Two\n\n## Why two?\n"}
    for name, text in pages.items():
        (root / "notebooks" / f"{name}.ipynb").write_text(notebook(cell(text)))
    summary = "# Summary\n\n- [One](one.ipynb)\n- [Two](two.ipynb)\n"
    (root / "notebooks" / "SUMMARY.md").write_text(summary)
    (root / "build" / "book").mkdir(parents=True)
    (root / "build" / "book" / "last_good").write_text("as it was")
    return root


def text_of(name, *cells, repository=""):
    """The page of a notebook whose only neighbour is `other.ipynb`."""
    texts = {name: notebook(*cells), "other.ipynb": notebook(cell("# Other\n\n## Why `scale`?\n"))}
    context = {
        "mdbook_version": "0.5.4",
        "root": "nowhere",
        "config": {"book": {"src": "notebooks"}},
    }
    context["config"]["output"] = {"html": {"git-repository-url": repository}}
    items = [
        {"Chapter": {"path": path, "content": text, "sub_items": []}}
        for path, text in texts.items()
    ]
    return preprocess(context, {"items": items})["items"][0]["Chapter"]["content"]


def test_a_build_takes_the_place_of_the_last_one(small):
    assert build(small) == 0
    folder = small / "build" / "book"
    assert not (folder / "last_good").exists()
    one = (folder / "one.html").read_text()
    assert '<a href="two.html#why-two">two</a>' in one
    assert 'id="why-two"' in (folder / "two.html").read_text()
    assert json.loads((folder / "one.ipynb").read_text()) == json.loads(
        (small / "notebooks" / "one.ipynb").read_text()
    )
    assert f'<a href="{wheel()}" download' in one and (folder / wheel()).is_file()
    assert {path.name for path in (small / "build").iterdir()} == {"book", ".book.lock"}


def test_only_what_the_summary_names_and_its_pages_show_is_published(small):
    src = small / "notebooks"
    kept = {"data/words.csv": "a,b", "a b.png": "x", "style.png": "x", "part/note.md": "# Note\n"}
    secret = (
        ".env",
        ".git/config",
        ".ipynb_checkpoints/one.ipynb",
        "one.ipynb~",
        "data/other.csv",
    )
    for name in (*kept, *secret, "draft.md", "words.csv"):
        (src / name).parent.mkdir(exist_ok=True)
        (src / name).write_text(kept.get(name, "quokka"))
    (src / "elsewhere").symlink_to(small.parent)
    (src / "one.ipynb").write_text(
        notebook(
            cell("# One\n\n[a](data/words.csv?x#y) ![b](a%20b.png)"),
            cell("1", "code", [shown("<b style='background: url(style.png)'>")]),
        )
    )
    (src / "part" / "note.md").write_text("# Note\n\n[one](../one.ipynb#one) ![b](../a%20b.png)\n")
    with (src / "SUMMARY.md").open("a") as summary:
        summary.write("- [Note](part/note.md)\n")
    build(small)
    folder = small / "build" / "book"
    own = re.compile(r"(css|fonts|src)/|.*-[0-9a-f]{8}\.")  # of mdBook
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    pages = {
        f"{page}.html" for page in ("one", "two", "part/note", "index", "print", "404", "toc")
    }
    assert {name for name in names if not own.match(name)} == {
        *pages, "one.ipynb", "two.ipynb", "data/words.csv", "a b.png", "style.png", ".nojekyll",
        wheel(),
    }  # fmt: skip
    assert not [p for p in folder.rglob("*") if p.is_file() and b"quokka" in p.read_bytes()]
    note = (folder / "part" / "note.html").read_text()
    assert '<a href="../one.html#one">' in note and 'src="../a%20b.png"' in note
    assert {path.name for path in src.iterdir()} >= {".env", "draft.md"}, "nothing is taken away"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    (
        ("SUMMARY.md", "# Summary\n\n- [One](one.ipynb)\n", "does not list two.ipynb"),
        ("SUMMARY.md", "- [1](one.ipynb)\n- [1](one.ipynb)\n- [2](two.ipynb)\n", "lists one.ipynb 2"),
        ("SUMMARY.md", "- [1](one.ipynb)\n- [2](two.ipynb)\n- [3](three.ipynb)\n", "no such file"),
        ("two.ipynb", '{"cells": [', r"expected a notebook .* in two\.ipynb, but it is not JSON"),
        ("two.ipynb", '{"nbformat": 3}', r"nbformat 4\) in two\.ipynb, but its nbformat is 3"),
        ("two.ipynb", '{"nbformat": 4}', r"two\.ipynb, but its structure is wrong"),
        ("two.ipynb", two("\ud800"), r"in two\.ipynb, but after .* stands half of a character"),
        ("two.ipynb", notebook(cell("x", tags=None)), "metadata.tags of cell c[0-9]+ is null"),
        (
            "two.ipynb",
            two("$\\foo$"),
            r"two\.ipynb, cell here: the formula \$\\foo\$ can't be shown",
        ),
        (
            "two.ipynb",
            two("[x](three.ipynb)"),
            r"two\.ipynb, cell here: the link to 'three\.ipynb' leads nowhere",
        ),
        (
            "two.ipynb",
            notebook(cell("## Why two?"), cell("1", "code") | {"execution_count": None}),
            r"two\.ipynb has code, but no stored outputs: run `course refresh two`",
        ),
        ("two.ipynb", two("[x](one.ipynb#no)"), "one.ipynb has no such heading"),
        ("two.ipynb", two("[x](#no)"), "has no such heading"),
        ("two.ipynb", two("![x](https://a.b/c.png)"), "must work offline"),
        ("../book.toml", "[book]\nsrc = 'notebooks'\nfoo = 1\n", "mdBook could not build.*foo"),
    ),
)  # fmt: skip
def test_bad_input_is_a_sentence_and_the_last_build_stays(small, name, content, says):
    (small / "notebooks" / name).write_text(content)
    with pytest.raises(CourseError, match=f"(?s){says}"):
        build(small)
    assert (small / "build" / "book" / "last_good").read_text() == "as it was"
    assert {path.name for path in (small / "build").iterdir()} - {".book.lock"} == {"book"}


def test_a_port_in_use_is_said_before_anything_is_built(small):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CourseError, match=f"port {port} .* choose another one with --port"):
            build(small, serve=True, port=port)
    assert (small / "build" / "book" / "last_good").exists()


def test_a_port_without_a_server_is_a_sentence(small, monkeypatch, capsys):
    monkeypatch.chdir(small)
    assert cli.main(["book", "--port", "3001"]) == 2
    assert capsys.readouterr().err == (
        "course: --port is the port of --serve: add --serve, or leave out --port\n"
    )
    assert (small / "build" / "book" / "last_good").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
def test_mdbook_does_not_hear_ctrl_c(small, monkeypatch, tmp_path):
    """It would end before the command could end what mdBook has started."""
    fake = tmp_path / "mdbook"
    says = "import os, sys; sys.exit(f'course: {os.getpgrp()}')"
    fake.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{says}"\n')
    fake.chmod(0o755)
    monkeypatch.setattr(mdbook, "_mdbook", lambda: str(fake))
    with pytest.raises(CourseError) as said:
        build(small)
    assert int(str(said.value)) != os.getpgrp()


def test_an_mdbook_of_another_version_is_refused(small, monkeypatch, tmp_path):
    other = tmp_path / "bin" / "mdbook"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\necho mdbook v0.4.40\n")
    other.chmod(0o755)
    monkeypatch.setattr(mdbook.sys, "executable", str(other.with_name("python")))
    with pytest.raises(CourseError, match=r"expected mdBook 0\.5\.x, found mdbook v0\.4\.40 in"):
        build(small)
    other.unlink()
    monkeypatch.setenv("PATH", str(other.parent))
    with pytest.raises(CourseError, match=r"expected mdBook .*, found none"):
        build(small)
    assert (small / "build" / "book" / "last_good").exists()


def test_the_preprocessor_itself_knows_its_protocol():
    with pytest.raises(CourseError, match=r"found 0\.4\.40"):
        preprocess({"mdbook_version": "0.4.40"}, {"sections": []})
    assert book.main(["supports", "html"]) == 0
    assert book.main(["supports", "markdown"]) == 1


def refused(*_):
    raise OSError("no semaphores")


@pytest.mark.parametrize("pool", [book.ProcessPoolExecutor, refused])
def test_pages_made_side_by_side_are_those_made_in_a_row(pool, monkeypatch):
    """What the function knows needs no pickle, its errors come through; else `map` is there."""
    monkeypatch.setattr(book, "ProcessPoolExecutor", pool)
    known = {f"{n}": (lambda n=n: n) for n in range(9)}  # no lambda can be pickled
    found = book._side_by_side(lambda name: (known[name](), os.getpid()), [*known])
    numbers, processes = zip(*found, strict=True)
    assert numbers == (*range(9),) and (os.getpid() in processes) == (pool is refused)

    def wrong(name):
        raise CourseError(f"{name}: correct it")

    with pytest.raises(CourseError, match="0: correct it"):
        list(book._side_by_side(wrong, [*known]))


def test_the_command_says_it_in_one_line(small):
    (small / "notebooks" / "two.ipynb").write_text("{}")
    command = [sys.executable, "-m", "course", "book"]
    done = subprocess.run(command, cwd=small, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert re.fullmatch(r"course: .*two\.ipynb.*\n", done.stderr)


# ---------------------------------------------------------------- cells


def test_tags_say_what_is_shown():
    def shown(*tags):
        return text_of("a.ipynb", cell("x = 1", "code", [printed("42")], tags=list(tags)))

    assert "nohighlight" in shown() and "42</pre>" in shown()
    assert "nohighlight" not in shown("remove-input") and "42" in shown("remove-input")
    assert "nohighlight" in shown("remove-output") and "42" not in shown("remove-output")
    assert "course-cell" not in shown("remove-cell")
    assert "<summary>The code</summary>" in shown("hide-input")
    imports = text_of("a.ipynb", cell("import torch", "code", tags=["hide-input"]))
    assert "<summary>The imports</summary>" in imports
    assert "<summary>The output</summary>" in shown("hide-output")
    assert "<details" not in shown("figure", "explorer", "quiz")


def test_what_is_deeper_is_folded_under_its_heading():
    found = text_of(
        "a.ipynb", cell("# A"), cell("## Deeper: b\n\nText."), cell("1", "code", [printed("42")]),
        cell("## Deeper: c"), cell("## D"), cell("## Deeper: e"),
    )  # fmt: skip
    parts = re.split(r"(<details.*?>|</details>)", re.sub(r"<a .*?>|</a>|\n", "", found))
    opened = '<details class="course-deeper">'
    assert parts[1:4:2] == [opened, "</details>"] and parts.count(opened) == 3
    assert parts[2].startswith('<summary><h2 id="deeper-b">Deeper: b</h2></summary>')
    assert 'href="#d"' in found and "#deeper" not in found  # a click opens it, and goes nowhere
    assert "42" in parts[2] and "Text." in parts[2]
    assert parts[8].strip() == '<h2 id="d">D</h2>' and parts[-2] == "</details>"


def test_what_was_asked_for_waits_for_a_click_with_its_explanation():
    asks, why = cell("**Predict.** How many?", tags=["predict"]), cell("Because.")
    says = cell("6 * 7", "code", [printed("42")])
    found = text_of(
        "a.ipynb", asks, says, why, why, says, why, asks, says, asks, says, cell("## B")
    )
    parts = re.split(r"(<details.*?</details>)", found, flags=re.DOTALL)
    folded, rest = parts[1::2], "".join(parts[::2])
    assert [part.count("Because.") for part in folded] == [1, 0, 0]
    assert [part.count("42</pre>") for part in folded] == [1, 1, 1]
    assert rest.count("Because.") == 2 and rest.count("42</pre>") == 1 and 'id="b"' in rest
    assert rest.count("6</span>") == 4 and rest.count("Predict") == 3
    explorer = cell("6 * 7", "code", [printed("42")], tags=["explorer"])
    open_, folded = text_of("a.ipynb", asks, explorer, why, why).split("<details", 1)
    assert "42</pre>" in open_ and "Because." in folded.split("</details>")[0]
    assert folded.count("Because.") == 2 and folded.count("</details>") == 1


class Boxes(HTMLParser):
    """The words of a page by the boxes, of a class each, in which they stand."""

    def __init__(self, text):
        super().__init__()
        self.open, self.found = [], {}
        self.feed(text)
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag, attrs):
        if tag in ("div", "details"):
            self.open.append((tag, dict(attrs).get("class", "")))

    def handle_endtag(self, tag):
        if tag in ("div", "details"):
            assert self.open.pop()[0] == tag

    def handle_data(self, data):
        classes = [name for _, name in self.open if name != "course-cell"]
        self.found |= {word: " ".join(classes) for word in data.split()}


def test_a_prediction_is_a_box_with_its_code_and_folded_in_it_the_answer():
    asks = cell("## Deeper: a\n\nText.\n\n**Predict.** How?\n\n- Think.", tags=["predict"])
    why, on = cell("Because."), cell("Then.")
    gives = cell("code", "code", [printed("42")])
    found = Boxes(text_of("a.ipynb", asks, gives, why, on, cell("## End"))).found
    assert {word: found[word] for word in ("Text.", "Then.", "End")} == {
        "Text.": "course-deeper", "Then.": "course-deeper", "End": "",
    }  # fmt: skip
    assert found["How?"] == found["Think."] == found["code"] == "course-deeper course-ask"
    assert found["42"] == found["Because."] == "course-deeper course-ask course-folded"
    shows = cell("code", "code", [printed("42")], tags=["explorer"])
    found = Boxes(text_of("a.ipynb", asks, shows, why, on)).found
    assert found["42"] == "course-deeper course-ask" != found["Because."]
    for cells in ((asks,), (asks, on), (asks, asks, gives), (asks, cell("code", "code"), why)):
        found = Boxes(text_of("a.ipynb", *cells, cell("## End"))).found
        assert found["How?"] == "course-deeper course-ask" and found["End"] == ""
        assert found.get("Because.", "").count("course-folded") == ("Because." in found)


def test_a_bar_has_one_meaning_in_notebooks_book_and_decks():
    """All of them stand in colours.css, a colour once, but those of exercises, in learn/html.py."""
    sheets = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.css")}
    bars = {path.name for path, text in sheets.items() if "border-left" in text}
    assert bars == {"colours.css"}
    text = (ROOT / "src" / "course" / "colours.css").read_text(encoding="utf-8")
    assert dict(re.findall(r"^\.([\w-]+) \{ border-left: \dpx solid var\((--\w+)\)", text, re.M)) == {
        "course-ask": "--key", "course-deeper": "--quiet", "solution": "--value",
    }  # fmt: skip
    assert COLOURS["value"] == RIGHT and COLOURS["wrong"] == WRONG


def test_links_lead_to_pages_and_headings():
    found = text_of(
        "a.ipynb", cell("[a](other.ipynb), [b](other.ipynb#Why-scale?) `[c](d.ipynb)`")
    )
    assert '<a href="other.html">a' in found and '<a href="other.html#why-scale">b' in found
    assert "<code>[c](d.ipynb)</code>" in found
    found = text_of("a.ipynb", cell("[x][r]\n\n[r]: other.ipynb#Why-scale%3F\n"))
    assert '<a href="other.html#why-scale">x' in found
    assert "mailto:a@b.c" in text_of("a.ipynb", cell("[a](mailto:a@b.c)"))
    assert "[nan, nan]: <em>not</em> so" in text_of("a.ipynb", cell("[nan, nan]: *not* so"))


def test_headings_of_one_name_stay_apart():
    found = text_of("a.ipynb", cell("# A\n\n## Try\n\n```\n# no heading\n```"), cell("## Try"))
    assert re.findall(r' id="(.*?)"', found) == ["a", "try", "try-1"]
    assert anchor("What does $x$ ask?") == "what-does-x-ask"


def test_each_page_offers_its_notebook_and_a_place_to_run_it_only_where_there_is_one():
    plain = text_of("a.ipynb", cell("# A\n\ntext"))
    assert plain.index("<h1") < plain.index('<a href="a.ipynb" download>') < plain.index("text")
    assert not any(word in plain for word in ("colab", "binder", "How to run it"))
    named = text_of("a.ipynb", cell("# A"), repository="https://github.com/who/what")
    assert "https://colab.research.google.com/github/who/what/blob/gh-pages/a.ipynb" in named
    assert "https://mybinder.org/v2/gh/who/what/main?labpath=notebooks/a.ipynb" in named
    assert '<a href="https://github.com/who/what#set-up">How to run it</a>' in named
    assert "## Set up\n" in (ROOT / "README.md").read_text(encoding="utf-8")
    other = text_of("a.ipynb", cell("# A"), repository="https://example.org/what")
    assert 'href="https://example.org/what#set-up"' in other and "colab" not in other


def test_code_and_outputs_are_one_block():
    found = text_of("a.ipynb", cell("a = 1\n\n\nb = 2", "code", [printed("x\n\n\ny\n")]))
    block = found[found.index('<div class="course-cell">') :].strip()
    assert "\n\n" not in block and block.endswith("</div>")


def test_python_within_prose_is_coloured_too():
    found = text_of(
        "a.ipynb", cell("say\n\n```python\nfor x in y:\n    pass\n```\n\n```\nno\n```")
    )
    assert '<span class="k">for</span>' in found and "<pre><code>no\n</code></pre>" in found


# ---------------------------------------------------------------- the whole book, on the disk


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The book of the real course, built in a copy: the folder of the site."""
    root = tmp_path_factory.mktemp("book") / "course"
    ignored = shutil.ignore_patterns(".ipynb_checkpoints", ".*.tmp")
    shutil.copytree(ROOT / "notebooks", root / "notebooks", ignore=ignored)
    furnish(root)
    build(root)
    return root / "build" / "book"


@pytest.fixture(scope="module")
def sources(site):
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(site.glob("*.html"))}


def names():
    return [path.stem for path in chapters(ROOT)]


def test_every_chapter_is_a_page_with_its_notebook(site, sources):
    for name in names():
        assert f"{name}.html" in sources
        assert f'<a href="{name}.ipynb" download' in sources[f"{name}.html"]
        assert (site / f"{name}.ipynb").is_file()


def test_every_link_and_heading_reaches_its_target(site, sources):
    ids = {name: set(re.findall(r'\sid="?([^"\s>]+)', text)) for name, text in sources.items()}
    ids |= {name: {unescape(i) for i in found} for name, found in ids.items()}
    count = 0
    for name, text in sources.items():
        text = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
        for url in map(unescape, re.findall(r'\s(?:href|src)="([^"]*)"', text)):
            place = urlsplit(url)
            if place.scheme or url in ("", "/"):  # "/" is the base of 404.html
                continue
            target = unquote(place.path) or name
            assert (site / target).is_file(), (name, url)
            if place.fragment:
                assert unquote(place.fragment) in ids[target], (name, url)
            count += 1
    assert count > 20 * len(names())


def test_nothing_is_loaded_from_elsewhere(sources):
    for name, text in sources.items():
        loaded = re.findall(
            r'<(?:script|img|link|iframe)\b[^>]*?(?:src|href)="(https?:[^"]*)', text
        )
        assert not loaded, (name, loaded)


def test_no_formula_and_no_shortcode_is_left_raw(sources):
    for name in names():
        main = sources[f"{name}.html"].partition("<main>")[2].partition("</main>")[0]
        prose = re.sub(r"<(pre|code|script|math|svg|figure)\b.*?</\1>", "", main, flags=re.DOTALL)
        text = re.sub(r"<[^>]*>", "", prose)
        assert not re.search(r"\\[a-zA-Z]+|\$[^ \d]", text), name
        assert "{{#" not in text and "{#" not in text, name


# ---------------------------------------------------------------- in Chromium


@pytest.fixture(scope="module")
def reader(site, chromium):
    """A Chromium and the address of the site on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            with browser(chromium) as b:
                yield b, f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def opened(reader, name="", **options):
    b, address = reader
    page, errors, outside = watched(b, **{"viewport": {"width": 1200, "height": 900}, **options})
    page.goto(f"{address}/{name}")
    return page, errors, outside


# Those of a kind, by tags and classes up to the body, look alike on all pages: axe gets one of each.
KINDS = """known => {
    const seen = new Set(known), before = seen.size;
    for (const e of document.querySelectorAll('body *')) {
        let kind = '';
        for (let up = e; up !== document.body; up = up.parentElement)
            kind += up.tagName + '.' + up.className + ' ';
        if (!e.checkVisibility() || seen.has(kind)) continue;
        seen.add(kind);
        e.setAttribute('data-kind', seen.size);
    }
    return [...seen].slice(before);
}"""
# Contrast is axe's slowest rule by far: before it the others are taken out.
ALONE = """() => {
    for (const e of document.querySelectorAll('#mdbook-sidebar *, main *, .slides *'))
        if (!e.dataset.kind && !e.querySelector('[data-kind]')) e.remove();
}"""
AXE_RUN = """async ([everything, part]) => {
    const rules = everything ? {'color-contrast': {enabled: false}} : {};
    const options = {preload: false, resultTypes: ['violations'], rules};
    if (!everything) options.runOnly = ['color-contrast', 'link-in-text-block'];
    const where = everything && !part ? document : {include: [['[data-kind]']]};
    const {violations} = await axe.run(where, options);
    return violations.filter(v => ['serious', 'critical'].includes(v.impact))
        .map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 150) + n.failureSummary)]);
}"""
OPEN = "document.querySelectorAll('details').forEach(each => { each.open = true })"


def axe_finds_nothing(page, name, known, themes):
    """Axe on what no earlier page had, in some themes; returns the kinds that are new."""
    if new := page.evaluate(KINDS, known):
        page.evaluate(AXE.read_text(encoding="utf-8"))
        whole = not known or name in ("404", "toc")
        assert not (found := page.evaluate(AXE_RUN, [True, not whole])), (name, found)
        page.evaluate(ALONE)  # from here on an explorer may miss what was taken out
        for theme in themes if name != "toc" else themes[:1]:
            if name != "toc":
                page.evaluate(f"document.getElementById('mdbook-theme-{theme}').click()")
            assert not (found := page.evaluate(AXE_RUN, [False])), (name, theme, found)
    return new


def of_each_kind(sources):
    """The chapters with a class or a live explorer that no chapter before them has."""
    known = set()
    for name in names():
        main = sources[f"{name}.html"].partition("<main>")[2].partition("</main>")[0]
        kinds = set(re.findall(r'<(?!span)\w+[^>]*? class="[^"]*"|"module": "\w+"', main))
        kinds = {re.sub(r'<(\w+).*?(class=".*")', r"\1 \2", kind) for kind in kinds}
        if kinds - known:
            yield name
        known |= kinds


@pytest.mark.browser
@pytest.mark.parametrize(
    "themes", [LIGHT_AND_DARK, pytest.param(THEMES, marks=pytest.mark.weekly)], ids=["some", "all"]
)
def test_every_page_on_a_phone_and_then_on_a_desk(reader, sources, themes):
    """A page of each kind, and the one that holds all; once a week all of them, in any theme."""
    page, errors, outside = opened(reader)
    page.add_init_script("window.print = () => {}")
    walked = names() if themes == THEMES else [*of_each_kind(sources)]
    known, stacked, framed = [], [0, 0], 0
    for name in ["index", *walked, "404", "toc", "print"]:
        page.set_viewport_size(PHONE)
        page.goto(f"{reader[1]}/{name}.html")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, name
        assert page.evaluate(WIDE) == page.evaluate(BROKEN) == page.evaluate(BAD) == [], name
        if name in walked:
            opens_by_keyboard(page, name)
            page.evaluate(OPEN)
            stacked = [a + b for a, b in zip(stacked, stands_on_a_phone(page, name), strict=True)]
        assert not errors, (name, errors)
        if name == "print":  # which has nothing that a page hasn't, but all of it
            continue
        page.set_viewport_size(DESK)
        if name in walked:
            fits_its_column(page, name)
        if "course-frames" in sources[f"{name}.html"]:
            follows_its_slider(page, name)
            framed += 1
        assert not errors, (name, errors)
        known += axe_finds_nothing(page, name, known, themes)
        page.goto("about:blank")  # until then an explorer misses what was taken out for axe
        errors.clear()
    print(f"{len(walked)} pages, {len(known)} kinds, {stacked} stacked, {framed} with frames")
    assert not outside and len(known) > 200 and framed and min(stacked) >= 10
    page.close()


def stands_on_a_phone(page, name):
    """No panel covers another, none is cut off, titles are read whole, rows keep their names.

    Returns how many figures are stacked, and how many rows are named once more.
    """
    page.wait_for_function(f"({PANELS})().every(f => f.whole && !f.cut)")  # a title takes turns
    found = page.evaluate(PANELS)
    stacked = [now for now in found if now["panels"] > 1 and now["view"] != now["whole"]]
    for now in stacked:
        assert not now["wide"] or now["widest"] > 0.95 * now["room"], (name, now)
        assert not now["out"] and not now["over"], (name, now)
    return len(stacked), sum(now["named"] for now in found)


def fits_its_column(page, name):
    """On a wide screen what was changed comes back, and every figure fits, also in an answer under
    Deeper; text that is drawn outside of it would be lost."""
    page.wait_for_function(f"({PANELS})().every(f => f.view === f.whole && !f.named)")
    assert page.evaluate(COLUMN) == [], name


def opens_by_keyboard(page, name):
    for kind in (".course-exercise", ".course-quiz"):
        details = page.locator(f"{kind} details")
        if name[:2] in ("A1", "A2", "A3", "A4"):  # what is looked up asks nothing
            assert not details.count()
            continue
        assert page.locator(f"{kind} details[open]").count() == 0, "open before it is asked"
        details.nth(0).locator("summary").focus()
        for key in ("Enter", "Tab", "Space"):
            page.keyboard.press(key)
        opened = details.evaluate_all("all => all.slice(0, 3).map(each => each.open)")
        assert opened == [True, True, False], f"{name}: Tab went elsewhere"
        assert details.nth(1).locator("p, pre").first.is_visible()


FRAMES = """box => {
    const figure = box.nextElementSibling, seen = [];
    const look = () => seen.push([figure.querySelector('svg').innerHTML,
        figure.querySelector('svg').ariaLabel, figure.querySelector('figcaption').innerText]);
    const to = (slider, value) => {
        slider.value = value;
        slider.dispatchEvent(new Event('input'));
        look();
    };
    look();
    const [first, ...others] = box.querySelectorAll('input');
    for (let n = 0; n <= Number(first.max); n += 1) to(first, n);
    const last = others.map((other) => [to(other, other.min || 0), to(other, other.max)]);
    return {seen, stops: Number(first.max) + 1, others: others.length};
}"""


def follows_its_slider(page, name):
    found = page.locator(".course-frame-control").first.evaluate(FRAMES)
    first, *frames = [picture for picture, _, _ in found["seen"]]
    stops = found["stops"]
    assert len({*frames[:stops]}) == stops >= 2, f"{name}: two frames are equal"
    bare = re.sub(r' (style=""|data-(x|y|words)="[^"]*")', "", first)  # where titles took turns
    assert bare in frames[:stops], name
    assert all(label == caption for _, label, caption in found["seen"]), name
    ends = frames[stops:]
    assert len(ends) == 2 * found["others"]
    for low, high in zip(ends[::2], ends[1::2], strict=True):  # a second control
        assert low != high, name


PANELS = """() => [...document.querySelectorAll('.course-figure > svg')].map(svg => {
    const boxes = [...svg.querySelectorAll(':scope > .panel')].map(p => p.getBoundingClientRect());
    const outer = svg.getBoundingClientRect();
    return {
        view: svg.getAttribute('viewBox'),
        whole: svg.dataset.whole,
        panels: boxes.length,
        named: svg.querySelectorAll('.again').length,
        cut: [...svg.querySelectorAll('.title')].some(title =>
            title.getBoundingClientRect().right > outer.left + svg.parentElement.clientWidth + 2),
        wide: svg.parentElement.scrollWidth > svg.parentElement.clientWidth + 1,
        widest: Math.max(0, ...boxes.map(box => box.width)),
        room: svg.parentElement.clientWidth,
        out: boxes.some(b => b.right > outer.right + 2 || b.bottom > outer.bottom + 2),
        over: boxes.some((a, i) => boxes.slice(i + 1).some(b =>
            Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.3 * a.width
            && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.3 * a.height)),
    };
})"""
COLUMN = """() => [...document.querySelectorAll('.course-figure')].filter(figure => {
    const box = figure.getBoundingClientRect();
    return figure.scrollWidth > figure.clientWidth + 1 ||
        [...figure.querySelectorAll('svg text')].some(text => {
            const {left, right} = text.getBoundingClientRect();
            return left < box.left - 1 || right > box.right + 1;
        });
}).map(figure => figure.innerText)"""
WIDE = """() => [...document.querySelectorAll('main *')].filter(e =>
    e.getBoundingClientRect().right > innerWidth + 1
    && !e.closest('pre, .table-wrapper:not(:has(.course-wide)), .course-math, .course-figure'))
    .map(e => e.outerHTML.slice(0, 99))"""
BROKEN = """() => [...document.querySelectorAll('main :is(th, td) > code')].filter(e =>
    /^\\w+$/.test(e.textContent) && e.getClientRects().length > 1).map(e => e.textContent)"""
BAD = """() => [...document.images].filter(i => !i.alt || !i.complete || i.naturalWidth < 50)
    .map(i => i.outerHTML.slice(0, 99))"""


@pytest.mark.browser
def test_the_pictures_of_the_front_page_are_read_whole_on_a_phone(reader):
    page, *_ = opened(reader, viewport={"width": 390, "height": 800})
    page.goto(f"{reader[1]}/index.html")
    fits = """() => [...document.querySelectorAll('.course-figure')].map(figure =>
        figure.scrollWidth <= figure.clientWidth + 1)"""
    page.wait_for_function(f"({fits})().every(fit => fit)")
    assert page.evaluate(fits) == [True]
    page.close()


@pytest.mark.browser
def test_panels_that_fit_without_margins_stay_beside_each_other(reader):
    """The picture of one head, on a tablet: an arrow leads from its first panel to its last."""
    page, *_ = opened(reader, viewport={"width": 780, "height": 900})
    page.goto(f"{reader[1]}/index.html")
    page.wait_for_function(
        "document.querySelector('.course-figure > svg').getAttribute('viewBox') !== '0 0 780 456'"
        " && !document.querySelector('.course-figure .panel[transform]')"
    )
    page.close()


@pytest.mark.browser
def test_a_plane_that_stays_in_sight_has_the_ground_of_its_box(reader):
    grounds = """() => [".course-ask:has(div.course-threads)", "div.course-threads .plane"].map(
        (kind) => getComputedStyle(document.querySelector(kind)).backgroundColor)"""
    page, *_ = opened(reader, viewport={"width": 390, "height": 800})
    page.goto(f"{reader[1]}/05_attention_without_weights.html")
    found = set()
    for theme in THEMES:
        page.evaluate(f"document.getElementById('mdbook-theme-{theme}').click()")
        box, plane = page.evaluate(grounds)
        assert box == plane, theme
        found.add(box)
    assert len(found) == len(THEMES)
    page.close()


@pytest.mark.browser
def test_search_finds_a_word_of_an_output_from_the_disk(reader, site):
    page, errors, outside = watched(reader[0])
    page.goto((site / "index.html").as_uri())
    result = found(page, "torch.Size")
    leads_to(page, result, "torch")
    assert not errors and not outside
    page.close()


def found(page, word):
    """Search for a word from anywhere on a page: the first result, once it is there."""
    page.keyboard.press("/")
    page.locator("#mdbook-searchbar").fill("")
    page.keyboard.type(word)
    results = page.locator("#mdbook-searchresults")
    wait_for(lambda: word.lower() in results.inner_text().lower(), f"the results for {word}")
    return results.locator("li a").first


def leads_to(page, result, marked):
    result.click()
    page.wait_for_selector("mark")
    assert marked in page.locator("mark").first.inner_text().lower()


WRITTEN = (
    ("softmax", "softmax"),  # prose
    ("masked_fill", "masked_scores = scores.masked_fill(~mask"),
    ("tril", "below = torch.tril(ones)"),
    ("exponential", "w_j = e^(s_j) / (∑_i e^(s_i))"),
    ("NotImplementedError", "raise NotImplementedError"),
)


@pytest.mark.browser
def test_a_search_shows_prose_code_and_formulas_as_they_are_written(reader):
    """On one page: each loads the index anew, and builds it."""
    page, errors, outside = opened(reader)
    for word, written in WRITTEN:
        found(page, word)
        shown = page.locator("#mdbook-searchresults .teaser").all_inner_texts()
        assert any(written in text for text in shown), (word, shown)
        assert not any("\u200b" in text for text in shown)
        page.keyboard.press("Escape")
    leads_to(page, found(page, word), "notim")
    assert not errors and not outside
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("most", [2, pytest.param(None, marks=pytest.mark.weekly)])
@pytest.mark.parametrize(
    ("kind", "height", "explorer", "control"),
    (
        ("course-frames", 300, ".course-frame-control + figure", ".course-frame-control"),
        ('"threads"', 700, ".course-threads", ".course-threads .handle .grip"),
    ),
)
def test_the_control_that_is_moved_stays_in_sight(
    reader, sources, kind, height, explorer, control, most
):
    """On a screen that is lower than the explorer, where the explorer's end is seen."""
    page, errors, _ = opened(reader, viewport={"width": 390, "height": height})
    found = [name for name in names() if kind in sources[f"{name}.html"]][:most]
    for name in found:
        page.goto(f"{reader[1]}/{name}.html")
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        end = "e => { scrollBy(0, e.getBoundingClientRect().bottom - innerHeight); }"
        page.locator(explorer).first.evaluate(end)
        on_top = """e => {
            const {left, top, width, height} = e.getBoundingClientRect();
            const there = document.elementFromPoint(left + width / 2, top + height / 2);
            return there && (e.contains(there) || there.closest('.handle')?.contains(e));
        }"""
        assert page.locator(control).first.evaluate(on_top), name
    assert found and not errors
    page.close()


@pytest.mark.browser
def test_the_map_of_the_course_can_be_read(reader):
    page, errors, _ = opened(reader, "index.html", viewport=PHONE)
    chapters = [name for name in names() if not name.startswith("A")]  # appendices are on no map
    assert page.locator(".course-map circle:not(.short)").count() == len(chapters)
    measure = """() => [...document.querySelectorAll('.course-map text')].map(text => {
        const edge = text.ownerSVGElement.getBoundingClientRect().right;
        return [parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a,
                edge - text.getBoundingClientRect().right];
    })"""
    for width in (390, 780, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        sizes, room = zip(*page.evaluate(measure), strict=True)
        assert min(sizes) >= 12 and min(room) >= 0, width
    assert not errors
    page.close()


@pytest.mark.browser
def test_frames_follow_mouse_and_keyboard(reader, sources):
    found = [name for name in names() if "course-frames" in sources[f"{name}.html"]]
    assert found, "no notebook stores frames: course refresh"
    page, errors, outside = opened(reader, f"{found[0]}.html")
    page.evaluate(OPEN)
    box = page.locator(".course-frame-control").first
    slider, image = box.locator("input").first, page.locator(".course-frame-control + figure svg")
    stops = int(slider.get_attribute("max"))
    slider.focus()
    page.keyboard.press("Home")
    seen = {image.first.inner_html()}
    for _ in range(stops):
        page.keyboard.press("ArrowRight")
        seen.add(image.first.inner_html())
    assert len(seen) == stops + 1 >= 2 and page.url.endswith(f"{found[0]}.html")
    slider.scroll_into_view_if_needed()
    place = slider.bounding_box()
    page.mouse.click(place["x"] + 2, place["y"] + place["height"] / 2)
    assert slider.input_value() == "0"
    assert slider.get_attribute("aria-valuetext") == box.locator("output").first.inner_text()
    page.screenshot(path=SHOTS / "book_frames.png") if SHOTS.is_dir() else None
    assert not errors and not outside
    page.close()


@pytest.mark.browser
def test_without_script_the_still_figure_stays(reader, sources):
    page, errors, outside = opened(reader, "04_averaging_the_past.html", java_script_enabled=False)
    assert page.locator(".course-frame-control").count() == 0
    assert page.locator("main .course-figure svg").count() >= 3
    for image in page.locator("main .course-figure svg").all():
        assert image.is_visible() and image.get_attribute("aria-label")
    page.locator(".course-exercise summary").first.click()
    assert page.locator(".course-exercise details").first.get_attribute("open") is not None
    answer = page.locator(".course-ask details").first
    assert (
        not answer.locator("pre").is_visible()
        and page.locator(".course-ask pre").first.is_visible()
    )
    answer.locator("summary").press("Enter")
    assert answer.locator("pre").is_visible()
    assert not errors and not outside
    page.close()


@pytest.mark.browser
def test_the_sidebar_opens_by_keyboard(reader):
    page, errors, outside = opened(reader, viewport={"width": 800, "height": 800})
    toggle = page.locator("#mdbook-sidebar-toggle")
    assert toggle.get_attribute("aria-expanded") == "false"
    for _ in range(5):
        page.keyboard.press("Tab")
        if toggle.evaluate("e => e === document.activeElement"):
            break
    page.keyboard.press("Enter")
    assert toggle.get_attribute("aria-expanded") == "true"
    assert not errors and not outside
    page.close()


@pytest.mark.browser
def test_dark_themes_print_dark_on_white(reader):
    page, errors, outside = opened(reader, "04_averaging_the_past.html", color_scheme="dark")
    assert page.evaluate("document.documentElement.classList.contains('navy')")
    page.emulate_media(media="print")
    colours = "(e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor])"
    ink, paper = page.evaluate(f"{colours}(document.documentElement)")
    assert (ink, paper) == ("rgb(0, 0, 0)", "rgb(255, 255, 255)")
    assert not page.locator(".course-links").first.is_visible()
    assert not errors and not outside
    page.close()


@pytest.fixture
def served(small):
    """A course that `course book --serve` shows, the address, and what the command says."""
    serve = "from course import cli; cli.BOOK_PORT = 0; cli.main(['book', '--serve'])"
    command = [sys.executable, "-c", serve]
    with (small / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=small, stdout=log, stderr=log)

    def port():  # which mdBook got
        assert server.poll() is None, (small / "log").read_text()
        return listens(server)

    try:
        number = wait_for(port, "mdBook to listen")
        yield small, f"http://127.0.0.1:{number}", lambda: (small / "log").read_text()
    finally:
        end(server)


@pytest.mark.browser
def test_an_edit_shows_in_the_open_page(served, reader):
    root, address, said = served
    page, errors, outside = watched(reader[0])
    page.goto(f"{address}/two.html")
    path = root / "notebooks" / "two.ipynb"
    path.write_text(two("A wombat."))
    page.get_by_text("A wombat.").wait_for()
    path.write_text("{}")  # broken: said in the terminal, the page stays
    wait_for(lambda: "course: " in said(), "the complaint")
    page.reload()
    assert page.get_by_text("A wombat.").is_visible()
    assert not errors and not outside
    page.close()
