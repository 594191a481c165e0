"""The book: built by real mdBook, refused with a sentence, and used in Chromium like a reader."""

import functools
import http.server
import json
import re
import shutil
import subprocess
import sys
import threading
from html import unescape
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup

from course.colours import COLOURS
from course.errors import CourseError
from course.learn.html import RIGHT, WRONG
from course.notebooks import chapters
from course.publish import book, mdbook
from course.publish.book import preprocess
from course.publish.mdbook import build
from course.publish.page import anchor
from tests import pages
from tests.browser import end, listens, watched
from tests.conftest import ROOT, wait_for
from tests.pages import LIGHT_AND_DARK, THEMES, axe_finds_nothing, cell, notebook, printed, shown

PHONE, DESK = {"width": 390, "height": 800}, {"width": 1280, "height": 800}


# ---------------------------------------------------------------- a small course


def two(text):
    return notebook({**cell(f"# Two\n\n## Why two?\n\n{text}"), "id": "here"})


@pytest.fixture
def small(tmp_path):
    """A course of two pages, with a build of it that must survive everything that goes wrong."""
    one, other = cell("# One\n\nSee [two](two.ipynb#Why-two?)."), cell("# Two\n\n## Why two?\n")
    root = pages.course(tmp_path / "course", one=[one], two=[other])
    (root / "build" / "book").mkdir(parents=True)
    (root / "build" / "book" / "last_good").write_text("as it was")
    return root


def stays(root):
    """The last good build is there, and nothing of a later one."""
    assert (root / "build" / "book" / "last_good").read_text() == "as it was"
    assert {path.name for path in (root / "build").iterdir()} - {".book.lock"} == {"book"}


def text_of(*cells, repository=""):
    """The page of a notebook, a.ipynb, whose only neighbour is `other.ipynb`."""
    texts = {
        "a.ipynb": notebook(*cells),
        "other.ipynb": notebook(cell("# Other\n\n## Why `scale`?\n")),
    }
    config = {"book": {"src": "notebooks"}, "output": {"html": {"git-repository-url": repository}}}
    context = {"mdbook_version": "0.5.4", "root": "nowhere", "config": config}
    chapters = [{"path": path, "content": text, "sub_items": []} for path, text in texts.items()]
    made = preprocess(context, {"items": [{"Chapter": chapter} for chapter in chapters]})
    return made["items"][0]["Chapter"]["content"]


def test_a_build_takes_the_place_of_the_last_one(small):
    assert build(small) == 0
    folder = small / "build" / "book"
    assert not (folder / "last_good").exists()
    one = (folder / "one.html").read_text()
    assert '<a href="two.html#why-two">two</a>' in one and "whl" not in one
    assert 'id="why-two"' in (folder / "two.html").read_text()
    assert json.loads((folder / "one.ipynb").read_text()) == json.loads(
        (small / "notebooks" / "one.ipynb").read_text()
    )
    assert {path.name for path in (small / "build").iterdir()} == {"book", ".book.lock"}


def test_only_what_the_summary_names_and_its_pages_show_is_published(small):
    src = small / "notebooks"
    kept = {"data/words.csv": "a,b", "a b.png": "x", "style.png": "x", "part/note.md": "# Note\n"}
    secret = (".env", ".git/config", ".ipynb_checkpoints/one.ipynb", "one.ipynb~", "data/x.csv")
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
    made = ("one", "two", "part/note", "index", "print", "404", "toc")
    assert {name for name in names if not own.match(name)} == {
        *(f"{page}.html" for page in made), "one.ipynb", "two.ipynb", "data/words.csv", "a b.png", "style.png", ".nojekyll",
    }  # fmt: skip
    assert not [p for p in folder.rglob("*") if p.is_file() and b"quokka" in p.read_bytes()]
    note = (folder / "part" / "note.html").read_text()
    assert '<a href="../one.html#one">' in note and 'src="../a%20b.png"' in note
    assert {path.name for path in src.iterdir()} >= {".env", "draft.md"}, "nothing is taken away"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    (
        ("SUMMARY.md", "# Summary\n\n- [One](one.ipynb)\n", "does not list two.ipynb"),
        ("two.ipynb", '{"cells": [', r"expected a notebook .* in two\.ipynb, but it is not JSON"),
        ("two.ipynb", two("$\\foo$"), r"two\.ipynb, cell here: the formula \$\\foo\$ can't be shown"),
        ("two.ipynb", two("[x](one.ipynb#no)"), "one.ipynb has no such heading"),
        (
            "two.ipynb",
            notebook(cell("## Why two?"), cell("1", "code") | {"execution_count": None}),
            r"two\.ipynb has code, but no stored outputs: run `course refresh two`",
        ),
        ("../book.toml", "[book]\nsrc = 'notebooks'\nfoo = 1\n", "mdBook could not build.*foo"),
    ),
)  # fmt: skip
def test_bad_input_is_a_sentence_and_the_last_build_stays(small, name, content, says):
    (small / "notebooks" / name).write_text(content)
    with pytest.raises(CourseError, match=f"(?s)^[^\n]*{says}"):
        build(small)
    stays(small)


def test_without_mdbook_it_says_what_to_install(small, monkeypatch, tmp_path):
    monkeypatch.setattr(mdbook.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CourseError, match=r"expected mdBook .*, found none"):
        build(small)
    stays(small)


def test_the_preprocessor_itself_knows_its_protocol():
    with pytest.raises(CourseError, match=r"found 0\.4\.40"):
        preprocess({"mdbook_version": "0.4.40"}, {"sections": []})
    assert book.main(["supports", "html"]) == 0
    assert book.main(["supports", "markdown"]) == 1


# ---------------------------------------------------------------- cells


@pytest.mark.parametrize(
    ("tags", "has", "lacks"),
    (
        ([], ("nohighlight", "42</pre>"), ()),
        (["hide-input"], ("<summary>The code</summary>",), ()),
        (["hide-output"], ("<summary>The output</summary>",), ()),
        (["figure", "explorer", "quiz"], ("42",), ("<details",)),
    ),
)
def test_tags_say_what_is_shown(tags, has, lacks):
    imports = text_of(cell("import torch", "code", tags=tags))
    assert ("<summary>The imports</summary>" in imports) == ("hide-input" in tags)
    found = text_of(cell("x = 1", "code", [printed("42")], tags=tags))
    assert all(words in found for words in has) and not any(words in found for words in lacks)


def test_what_is_deeper_is_folded_under_its_heading():
    found = text_of(
        cell("# A"), cell("## Deeper: b\n\nText."), cell("1", "code", [printed("42")]),
        cell("## Deeper: c"), cell("## D"), cell("## Deeper: e"),
    )  # fmt: skip
    parts = re.split(r"(<details.*?>|</details>)", re.sub(r"<a .*?>|</a>|\n", "", found))
    opened = '<details class="course-deeper">'
    assert parts[1:4:2] == [opened, "</details>"] and parts.count(opened) == 3
    assert parts[2].startswith('<summary><h2 id="deeper-b">Deeper: b</h2></summary>')
    assert 'href="#d"' in found and "#deeper" not in found  # a click opens it, and goes nowhere
    assert "42" in parts[2] and "Text." in parts[2]
    assert parts[8].strip() == '<h2 id="d">D</h2>' and parts[-2] == "</details>"


def boxes(text):
    """The words of a page by the boxes, of a class each, in which they stand."""
    found = {}
    for string in BeautifulSoup(text, "html.parser").find_all(string=True):
        within = [box["class"][0] for box in string.parents if box.name in ("div", "details")]
        said = " ".join(name for name in reversed(within) if name != "course-cell")
        found |= dict.fromkeys(string.split(), said)
    return found


def test_a_prediction_is_a_box_with_its_code_and_folded_in_it_the_answer():
    asks = cell("## Deeper: a\n\nText.\n\n**Predict.** How?\n\n- Think.", tags=["predict"])
    why, on, over = cell("Because."), cell("Then."), cell("## End")
    gives = cell("code", "code", [printed("42")])
    found = boxes(text_of(asks, gives, why, on, over))
    outside = {"Text.": "course-deeper", "Then.": "course-deeper", "End": ""}
    assert {word: found[word] for word in outside} == outside
    assert found["How?"] == found["Think."] == found["code"] == "course-deeper course-ask"
    assert found["42"] == found["Because."] == "course-deeper course-ask course-folded"
    shows = cell("code", "code", [printed("42")], tags=["explorer"])  # it opens before its answer
    seen = cell("code", "code", [printed("42")], tags=["evidence"])  # what is asked about
    for opens in (shows, seen):
        found = boxes(text_of(asks, opens, why, on))
        assert found["42"] == "course-deeper course-ask" != found["Because."]
    lead, more = cell("Because:"), cell("further", "code", [printed("43")])
    for cells in ((gives, more, why, on), (gives, lead, more, on), (shows, lead, more, on)):
        found = boxes(text_of(asks, *cells, over))
        folded = {"43", "further", *(["Because."] if why in cells else ["Because:", "Then."])}
        assert {found[word] for word in folded} == {"course-deeper course-ask course-folded"}
        assert found["code"] == "course-deeper course-ask"
    silent = cell("code", "code")
    unanswered = (asks,), (asks, on), (asks, asks, gives), (asks, silent, why), (asks, gives, over)
    for cells in unanswered:
        found = boxes(text_of(*cells, over))
        assert found["How?"] == "course-deeper course-ask" and found["End"] == ""
        assert found.get("Because.", "").count("course-folded") == ("Because." in found)
        assert found.get("42", "").count("course-folded") == ("42" in found)


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


def test_headings_of_one_name_stay_apart():
    found = text_of(cell("# A\n\n## Try\n\n```\n# no heading\n```"), cell("## Try"))
    assert re.findall(r' id="(.*?)"', found) == ["a", "try", "try-1"]
    assert anchor("What does $x$ ask?") == "what-does-x-ask"


def test_each_page_offers_its_notebook_and_a_place_to_run_it_only_where_there_is_one():
    plain = text_of(cell("# A\n\ntext"))
    assert plain.index("<h1") < plain.index("text") < plain.index('<a href="a.ipynb" download>')
    assert not any(word in plain for word in ("colab", "binder", "How to run it"))
    named = text_of(cell("# A"), repository="https://github.com/who/what")
    assert "https://colab.research.google.com/github/who/what/blob/gh-pages/a.ipynb" in named
    assert "https://mybinder.org/v2/gh/who/what/main?labpath=notebooks/a.ipynb" in named
    assert '<a href="https://github.com/who/what#set-up">How to run it</a>' in named
    assert "## Set up\n" in (ROOT / "README.md").read_text(encoding="utf-8")
    other = text_of(cell("# A"), repository="https://example.org/what")
    assert 'href="https://example.org/what#set-up"' in other and "colab" not in other


def test_what_a_page_needs_is_folded_and_its_first_section_is_not():
    goals = cell("**You will be able to**\n\n- read.\n\n**Time:** 34 minutes, and more.")
    imports = cell("import x", "code", tags=["hide-input"])
    change, seed = cell("Change it."), cell("seed = 7", "code", tags=["parameters"])
    on, first = cell("Onwards."), cell("## First")
    later = cell("import z", "code", tags=["hide-input"])
    for between in ([imports, change, seed], [change, imports, seed], [imports], [], [seed]):
        found = text_of(cell("# A\n\nWhy?"), goals, *between, on, first, later)
        page = BeautifulSoup(found, "html.parser")
        (once,) = page.select(".course-once")
        assert once.summary.text.startswith("34 minutes: what you will learn")
        words = ["Download", "read.", *(each["source"].split()[0] for each in between)]
        assert all(word in once.text for word in words)
        rest = page.text.replace(once.text, "")
        assert all(word in rest for word in ("Why?", "Onwards.", "First", "import z"))
        assert found.index("Why?") < found.index("course-once") < found.index("Onwards.")
    assert "What you will learn, what" in text_of(cell("# A"), cell("**You will be able to**"))
    assert "course-once" not in text_of(cell("# A"), on, first, seed)


def test_code_and_outputs_are_one_block():
    found = text_of(cell("# A"), cell("a = 1\n\n\nb = 2", "code", [printed("x\n\n\ny\n")]))
    block = found[found.index('<div class="course-cell">') :].strip()
    assert "\n\n" not in block and block.endswith("</div>")


def test_python_within_prose_is_coloured_too():
    found = text_of(cell("say\n\n```python\nfor x in y:\n    pass\n```\n\n```\nno\n```"))
    assert '<span class="k">for</span>' in found and "<pre><code>no\n</code></pre>" in found


# ---------------------------------------------------------------- the whole book, on the disk


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The book of the real course, built in a copy: the folder of the site."""
    root = tmp_path_factory.mktemp("book") / "course"
    ignored = shutil.ignore_patterns(".ipynb_checkpoints", ".*.tmp", "__pycache__", "*.egg-info")
    for name in ("notebooks", "src"):
        shutil.copytree(ROOT / name, root / name, ignore=ignored)
    for name in ("book.toml", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, root)
    build(root)
    return root / "build" / "book"


@pytest.fixture(scope="module")
def sources(site):
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(site.glob("*.html"))}


def names():
    return [path.stem for path in chapters(ROOT)]


def main_of(text):
    return text.partition("<main>")[2].partition("</main>")[0]


def test_every_chapter_is_a_page_with_its_notebook_and_the_package(site, sources):
    [wheel] = site.glob("*.whl")
    for name in names():
        assert f'<a href="{name}.ipynb" download' in sources[f"{name}.html"]
        assert f'<a href="{wheel.name}" download' in sources[f"{name}.html"]
        notebook = (site / f"{name}.ipynb").read_text(encoding="utf-8")
        assert (wheel.name in notebook) == ('"code"' in notebook), name


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


def test_no_formula_and_no_shortcode_is_left_raw(sources):
    for name in names():
        main = main_of(sources[f"{name}.html"])
        prose = re.sub(r"<(pre|code|script|math|svg|figure)\b.*?</\1>", "", main, flags=re.DOTALL)
        text = re.sub(r"<[^>]*>", "", prose)
        assert not re.search(r"\\[a-zA-Z]+|\$[^ \d]", text), name
        assert "{{#" not in text and "{#" not in text, name


# ---------------------------------------------------------------- in Chromium


@pytest.fixture(scope="module")
def address(site):
    """The address of the site on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def visit(visit, address):
    """A function that opens a page of the site, or any other."""

    def opened(name="", **options):
        place = name if ":" in name else f"{address}/{name}"
        return visit(place, **{"viewport": DESK, **options})

    return opened


OPEN = "document.querySelectorAll('details').forEach(each => { each.open = true })"


def of_each_kind(sources):
    """The chapters with a class or a live explorer that no chapter before them has."""
    known = set()
    for name in names():
        main = main_of(sources[f"{name}.html"])
        kinds = set(re.findall(r'<(?!span)\w+[^>]*? class="[^"]*"|"module": "\w+"', main))
        kinds = {re.sub(r'<(\w+).*?(class=".*")', r"\1 \2", kind) for kind in kinds}
        if kinds - known:
            yield name
        known |= kinds


@pytest.mark.browser
@pytest.mark.parametrize(
    "themes", [LIGHT_AND_DARK, pytest.param(THEMES, marks=pytest.mark.weekly)], ids=["some", "all"]
)
def test_every_page_on_a_phone_and_then_on_a_desk(chrome, address, sources, themes):
    """A page of each kind, and the one that holds all; once a week all of them, in any theme."""
    page, errors, outside = watched(chrome)
    page.add_init_script("window.print = () => {}")
    walked = names() if themes == THEMES else [*of_each_kind(sources)]
    known, stacked, framed = [], [0, 0], 0
    for name in ["index", *walked, "404", "toc", "print"]:
        page.set_viewport_size(PHONE)
        page.goto(f"{address}/{name}.html")
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
        whole = not known or name in ("404", "toc")
        shown = themes if name != "toc" else ()
        known += axe_finds_nothing(page, name, known, whole, shown)
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
    across = page.evaluate(
        "[...document.querySelectorAll('.across')].map(e => e.checkVisibility())"
    )
    assert not any(across) and (across or not name.startswith("06")), "lines that lead nowhere"
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
    const count = (e) => e.options?.length ?? (e.type === 'checkbox' ? 2 : Number(e.max) + 1);
    const to = (e, n) => {
        if (e.type === 'checkbox') e.checked = n > 0;
        else if (e.options) e.selectedIndex = n;
        else e.value = n;
        e.dispatchEvent(new Event('input'));
        look();
    };
    look();
    const [first, ...others] = box.querySelectorAll('input, select');
    for (let n = 0; n < count(first); n += 1) to(first, n);
    for (const other of others) [0, count(other) - 1].forEach((n) => to(other, n));
    const kinds = [first, ...others].map((e) => e.type);
    return {seen, stops: count(first), others: others.length, kinds};
}"""


KINDS = {  # of controls that aren't all sliders
    "00": ["range", "select-one"], "09": ["range", "checkbox"], "12": ["range", "checkbox"],
    "15": ["range", "select-one"], "16": ["select-one"], "A5": ["range", "checkbox"],
}  # fmt: skip


def follows_its_slider(page, name):
    found = page.locator(".course-frame-control").first.evaluate(FRAMES)
    first, *frames = [picture for picture, _, _ in found["seen"]]
    stops = found["stops"]
    assert len({*frames[:stops]}) == stops >= 2, f"{name}: two frames are equal"
    bare = re.sub(r' (style=""|data-(x|y|words)="[^"]*")', "", first)  # where titles took turns
    assert bare in frames[:stops], name
    assert all(label == caption for _, label, caption in found["seen"]), name
    kinds = KINDS.get(name[:2], ["range"] * (1 + found["others"]))
    assert found["kinds"] == kinds, f"{name}: a switch is a box to tick, and names are a list"
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
    && !e.closest('pre, .map, .table-wrapper, .course-math, .course-figure'))  // these scroll
    .map(e => e.outerHTML.slice(0, 99))"""
BROKEN = """() => [...document.querySelectorAll('main :is(th, td) > code')].filter(e =>
    /^\\w+$/.test(e.textContent) && e.getClientRects().length > 1).map(e => e.textContent)"""
BAD = """() => [...document.images].filter(i => !i.alt || !i.complete || i.naturalWidth < 50)
    .map(i => i.outerHTML.slice(0, 99))"""


@pytest.mark.browser
def test_the_front_page_writes_at_once_and_has_a_card_for_each_chapter(visit, site):
    page = visit((site / "index.html").as_uri())
    story, begin = page.locator(".course-writer .text"), page.get_by_role("link", name="Begin")
    story.wait_for()
    for part in (begin, story):
        place = part.bounding_box()
        assert place["y"] + place["height"] < DESK["height"], "above the fold"
    assert page.locator(".course-cards li").count() == len(names())
    drawn = [name for name in names() if not name.startswith("A")]  # appendices have no picture
    assert page.locator(".course-cards svg").count() == len(drawn)
    begin.click()
    page.wait_for_url(f"**/{names()[0]}.html")


@pytest.mark.browser
def test_a_part_of_the_whole_is_lit_can_be_read_and_leads_to_its_chapter(visit):
    page = visit("08_causal_masking.html", viewport=PHONE)
    lit, text = page.locator(".course-here [data-here]"), page.locator(".course-here text").first
    assert lit.text_content() == "mask"
    scale = text.evaluate("t => parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a")
    assert scale >= 12
    page.locator(".course-here a", has_text="positions").click()
    page.wait_for_url("**/11_where_am_i.html")


NARROWED = """() => [...document.querySelectorAll('.course-figure > svg')].filter(svg =>
    svg.parentElement.clientWidth && !svg.querySelector(':scope > .panel')
    && svg.style.getPropertyValue('--least') === '0px').map(svg => {
        const frame = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll('text')];
        const scale = frame.width / svg.viewBox.baseVal.width;
        return {
            beyond: svg.parentElement.scrollWidth - svg.parentElement.clientWidth,
            smallest: Math.min(...texts.map(t => parseFloat(getComputedStyle(t).fontSize) * scale)),
            cut: texts.filter(text => {
                const box = text.getBoundingClientRect();
                return box.left < frame.left - 1 || box.right > frame.right + 1
                    || box.top < frame.top - 3 || box.bottom > frame.bottom + 3;
            }).map(text => text.textContent),
        };
    })"""


TITLES = """() => [...document.querySelectorAll('.course-figure .title')].map(title =>
    [title.children.length, ...['x', 'y', 'transform'].map(name => title.getAttribute(name))])"""


@pytest.mark.browser
@pytest.mark.parametrize(
    ("name", "charts"), [("11_where_am_i", 3), ("13_a_small_gpt", 4), ("14_reading_attention", 4)]
)
def test_a_chart_is_drawn_as_narrow_as_a_phone(visit, name, charts):
    wide = {"width": 960, "height": 800}  # no sidebar, so the page gets this width at once
    page = visit(f"{name}.html", viewport=wide)
    page.evaluate(OPEN)
    page.wait_for_function(f"({PANELS})().every(f => f.view === f.whole && !f.named)")
    titles = page.evaluate(TITLES)
    page.set_viewport_size(PHONE)
    page.wait_for_function(f"({NARROWED})().length >= {charts}")
    found = page.evaluate(NARROWED)
    assert all(chart["beyond"] <= 1 and not chart["cut"] for chart in found), found
    assert min(chart["smallest"] for chart in found) >= 11, found
    page.set_viewport_size(wide)  # and where there is room it is as it was stored
    page.wait_for_function(f"({PANELS})().every(f => f.view === f.whole && !f.named)")
    assert page.evaluate(NARROWED) == [] == page.evaluate(COLUMN)
    assert page.evaluate(TITLES) == titles


@pytest.mark.browser
def test_every_frame_of_a_narrow_chart_is_laid_out_alike(visit):
    page = visit("02_batches_and_targets.html", viewport=PHONE)
    page.evaluate(OPEN)
    page.wait_for_function(f"({NARROWED})().length >= 1")
    figure = page.locator(".course-frame-control + .course-figure").first
    boxes = []
    for at in (0, 2):
        slider = page.locator(".course-frame-control [type=range]").first
        slider.evaluate("(e, at) => { e.value = at; e.dispatchEvent(new Event('input')); }", at)
        drawn = figure.locator("svg[style*='--least: 0px']").first
        boxes.append(drawn.get_attribute("viewBox"))  # as soon as it is drawn anew
    assert boxes[0] == boxes[1]


@pytest.mark.browser
def test_panels_stay_beside_each_other_where_there_is_room(visit):
    page = visit("06_queries_keys_values.html", viewport={"width": 780, "height": 900})
    page.wait_for_function("""[...document.querySelectorAll('.course-figure > svg')].some(svg =>
        svg.getAttribute('viewBox') !== '0 0 780 478' && svg.querySelectorAll('.panel').length > 1
        && !svg.querySelector('.panel[transform]'))""")


@pytest.mark.browser
def test_a_plane_that_stays_in_sight_has_the_ground_of_its_box(visit):
    grounds = """() => [".course-ask:has(div.course-threads)", "div.course-threads .plane"].map(
        (kind) => getComputedStyle(document.querySelector(kind)).backgroundColor)"""
    page = visit("05_attention_without_weights.html", viewport=PHONE)
    found = set()
    for theme in THEMES:
        pages.turn(page, theme)
        box, plane = page.evaluate(grounds)
        assert box == plane, theme
        found.add(box)
    assert len(found) == len(THEMES)


def search(page, *words):
    """Type words into the search, one after the other, and give what is found of the last."""
    page.keyboard.press("/")
    results = page.locator("#mdbook-searchresults")
    for word in words:
        page.locator("#mdbook-searchbar").fill("")
        page.keyboard.type(word)
        results.locator("li", has_text=word).first.wait_for()
    return results


@pytest.mark.browser
def test_a_search_finds_prose_code_and_outputs_and_shows_no_closed_answer(visit, site):
    from_disk = visit((site / "index.html").as_uri()), ["torch.Size"]
    for page, words in ((visit(), ["softmax", "NotImplementedError", "cumsum"]), from_disk):
        results = search(page, *words)
        assert "Hint 3 cumsum" not in results.inner_text(), "it is closed on its page"
        results.locator("li a").first.click()
        mark = page.locator("mark").first  # it may be in an answer, which opens by a click
        mark.wait_for(state="attached")
        assert words[-1].lower()[:5] in mark.text_content().lower()


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
    visit, sources, kind, height, explorer, control, most
):
    """On a screen that is lower than the explorer, where the explorer's end is seen."""
    found = [name for name in names() if kind in sources[f"{name}.html"]][:most]
    assert found
    for name in found:
        page = visit(f"{name}.html", viewport={"width": 390, "height": height})
        page.evaluate(OPEN)
        end = "e => { scrollBy(0, e.getBoundingClientRect().bottom - innerHeight); }"
        page.locator(explorer).first.evaluate(end)
        on_top = """e => {
            const {left, top, width, height} = e.getBoundingClientRect();
            const there = document.elementFromPoint(left + width / 2, top + height / 2);
            return there && (e.contains(there) || there.closest('.handle')?.contains(e));
        }"""
        assert page.locator(control).first.evaluate(on_top), name


@pytest.mark.browser
def test_a_key_moves_the_frame_and_not_the_page(visit, sources):
    found = next(name for name in names() if "course-frames" in sources[f"{name}.html"])
    page = visit(f"{found}.html")
    page.evaluate(OPEN)
    slider = page.locator(".course-frame-control input").first
    image = page.locator(".course-frame-control + figure svg").first
    slider.focus()
    page.keyboard.press("Home")
    before = image.inner_html()
    page.keyboard.press("ArrowRight")
    assert image.inner_html() != before and page.url.endswith(f"{found}.html")
    shown = page.locator(".course-frame-control output").first.inner_text()
    assert slider.get_attribute("aria-valuetext") == shown


@pytest.mark.browser
def test_without_script_the_still_figure_stays(visit):
    page = visit("04_averaging_the_past.html", java_script_enabled=False)
    assert page.locator(".course-frame-control").count() == 0
    images = page.locator("main .course-figure svg").all()
    assert len(images) >= 3
    assert all(image.is_visible() and image.get_attribute("aria-label") for image in images)
    page.locator(".course-exercise summary").first.click()
    assert page.locator(".course-exercise details").first.get_attribute("open") is not None
    answer = page.locator(".course-ask details").first
    code = answer.locator("pre")
    assert not code.is_visible() and page.locator(".course-ask pre").first.is_visible()
    answer.locator("summary").press("Enter")
    assert code.is_visible()


LINES = """() => [...document.querySelectorAll('pre.course-code > code')].map(code =>
    [code.innerText, code.textContent, code.scrollWidth - code.clientWidth,
     Math.max(...[...code.querySelectorAll('.line')].map(line => line.clientHeight))])"""


@pytest.mark.browser
def test_long_lines_of_code_are_read_and_copied_whole(visit):
    page = visit("16_bug_clinic.html", viewport=PHONE)
    page.evaluate(OPEN)
    found = page.evaluate(LINES)
    assert len(found) > 20 and all(past <= 1 for _, _, past, _ in found), "none scrolls"
    assert all(copied.rstrip() == text.rstrip() for copied, text, _, _ in found)
    heights = [height for *_, height in found]
    assert max(heights) > 1.9 * min(heights), "and so some go on below"


@pytest.mark.browser
def test_a_prediction_is_kept_and_read_again_with_its_answer(visit):
    page = visit("04_averaging_the_past.html")
    asks = page.locator(".course-ask:has(> .course-folded)")
    one, other = asks.nth(0), asks.nth(1)
    one.get_by_label("your prediction").fill("fourteen ")
    page.keyboard.press("ArrowRight")  # which would turn the page
    one.locator("summary").first.click()
    assert one.get_by_text("You wrote: fourteen", exact=True).is_visible()
    other.locator("summary").first.click()
    assert not other.get_by_text("You wrote").is_visible()
    page.reload()
    assert one.get_by_label("your prediction").input_value() == "fourteen "
    assert other.get_by_label("your prediction").input_value() == ""
    assert page.locator("textarea").count() == page.locator(".course-ask > .course-folded").count()


@pytest.mark.browser
def test_the_first_key_leads_past_the_sidebar(visit):
    page = visit("04_averaging_the_past.html")
    skip = page.get_by_role("link", name="To the text")
    shown = "e => e.getBoundingClientRect().bottom > 0"
    assert not skip.evaluate(shown)
    page.keyboard.press("Tab")
    assert skip.evaluate(f"e => e === document.activeElement && ({shown})(e)")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("!!document.activeElement.closest('#mdbook-content')")


@pytest.mark.browser
def test_the_sidebar_opens_by_keyboard(visit):
    page = visit(viewport={"width": 800, "height": 800})
    toggle = page.locator("#mdbook-sidebar-toggle")
    assert toggle.get_attribute("aria-expanded") == "false"
    for _ in range(5):
        page.keyboard.press("Tab")
        if toggle.evaluate("e => e === document.activeElement"):
            break
    page.keyboard.press("Enter")
    assert toggle.get_attribute("aria-expanded") == "true"


@pytest.mark.browser
def test_dark_themes_print_dark_on_white(visit):
    page = visit("04_averaging_the_past.html", color_scheme="dark")
    assert page.evaluate("document.documentElement.classList.contains('navy')")
    page.emulate_media(media="print")
    colours = "(e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor])"
    ink, paper = page.evaluate(f"{colours}(document.documentElement)")
    assert (ink, paper) == ("rgb(0, 0, 0)", "rgb(255, 255, 255)")
    assert not page.locator(".course-links").first.is_visible()


@pytest.mark.browser
def test_what_a_page_needs_opens_by_a_key_and_is_printed(visit):
    page = visit("04_averaging_the_past.html")
    once, goal = page.locator(".course-once"), page.locator(".course-once li").first
    assert not goal.is_visible()
    page.emulate_media(media="print")
    assert goal.is_visible() and once.get_attribute("open") is None
    page.emulate_media(media="screen")
    once.locator("summary").first.press("Enter")
    assert goal.is_visible() and page.locator(".course-links a").first.is_visible()


@pytest.fixture
def served(small):
    """A course that `course book --serve` shows, the address, and what the command says."""
    serve = (
        "from pathlib import Path; from course.publish.mdbook import build; build(Path(), True, 0)"
    )
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
def test_an_edit_shows_in_the_open_page(served, visit):
    root, address, said = served
    page = visit(f"{address}/two.html")
    path = root / "notebooks" / "two.ipynb"
    path.write_text(two("A wombat."))
    page.get_by_text("A wombat.").wait_for()
    path.write_text("{}")  # broken: said in the terminal, the page stays
    wait_for(lambda: "course: " in said(), "the complaint")
    page.reload()
    assert page.get_by_text("A wombat.").is_visible()
