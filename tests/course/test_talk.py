"""A talk: what its talk.md puts on slides, what the speaker reads, how long all of it takes."""

import html
import re

import nbformat
import pytest

from course import notebooks
from course.errors import CourseError
from course.learn.quizzes import quiz
from course.learn.solutions import kept_back
from course.outline import sections
from course.publish import live_talk
from course.publish.links import Site
from course.publish.page import Page, parse, render
from course.publish.slide_parts import LINES, WIDTH, bare, bars, chosen, panels, strip, table
from course.publish.talk import talk
from course.publish.talk_plan import plan_of, read_plan
from tests.conftest import ROOT
from tests.pages import cell, learned, notebook, numbered, printed, shown

CHAPTERS = [path for path in notebooks.chapters(ROOT) if path.stem[:2].isdecimal()]  # no appendix
WHOLE = r"<pre.*?</pre>|<figure.*?</figure>|<math.*?</math>|<script.*?</script>"
UNREAD = re.compile(
    rf'{WHOLE}|<table class="(?:tensor|bars|strip)".*?</table>|</summary>.*?</details>|<[^>]+>'
)


def noted(source, notes):
    return cell(source, course={"notes": notes})


def chapter():
    """A notebook of two sections and one that is Deeper."""
    image = '<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="One dot.">'
    figure = f"<figure>{image}<figcaption>One dot.</figcaption></figure>"
    return numbered(
        noted("# Why?\n\nBecause.", "Ask *first*."),
        noted("## Sums\n\nWe add.", "Slowly."),
        cell("x = 2  # noqa: E1\nassert x\nprint(x)", "code", [printed("2\n3")]),
        cell("It is 2.", slideshow={"slide_type": "fragment"}),
        cell("And drawn:"),
        cell("draw()", "code", [shown(figure)], tags=["figure"]),
        cell("## Means\n\nWe divide."),
        cell("## Deeper: medians"),
        cell("deep()", "code", [printed("deep")]),
        noted("## The end", "Stop."),
    )


def exercise(*before):
    stub = cell(
        "def mean_past(x):\n    raise",
        "code",
        course={"exercise": "04.mean_past"},
        tags=["exercise"],
    )
    check = cell("check()", "code", [learned(exercise="04.mean_past")], tags=["exercise"])
    asks = cell("quiz()", "code", [learned(quiz="04")], tags=["quiz"])
    return numbered(*before, cell("### 1. The mean\n\nReturn it."), stub, check, asks)


@pytest.fixture
def given(tmp_path):
    """A function that gives the talk of a text about a notebook."""

    def give(text, cells=None, root=tmp_path):
        path = tmp_path / "ch00" / "talk.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        site = Site(root / "notebooks", lambda _: None, (), lambda *_: None)
        return talk(path, Page("00.ipynb", notebook(*(cells or chapter()))), site)

    return give


def words(slide):
    """The text of a slide, block by block."""
    return [re.sub(r"<[^>]+>", "", body).strip() for body in slide.blocks]


TALK = """# Why? (2 minutes)

{{notes cell-001}}

## Add (3 minutes)

> What is $x$?

{{code cell-003 | x | x}}
{{press}}
{{output cell-003 | 3 | 3}}

It is **two**.

{{press}}
{{figure cell-006}}

## Look *deeper* (1 minute)

{{output cell-009}}
"""


def test_a_slide_shows_its_words_and_what_its_braces_name(given):
    title, add, deeper = given(TALK)
    assert words(title) == ["Why?"] and title.kind == "title"
    assert words(add) == ["Add\n\nWhat is x?\n\nx = 2", "3It is two.", "One dot."]
    assert "<blockquote>" in add.blocks[0] and "course-output" in add.blocks[1]
    assert words(deeper) == ["Look deeper\ndeep"]
    assert (add.heading, add.cell) == ("Add", "cell-003")


def test_the_speaker_reads_the_time_the_notes_and_the_page(given):
    title, add, deeper = given(TALK)
    plan = "<tr><td>0–2</td><td>Why?</td></tr><tr><td>2–5</td><td>Add</td></tr>"
    assert title.notes[:2] == [
        "<p><strong>Minute 0 to 2 of 6.</strong></p>",
        "<p>Ask <em>first</em>.</p>\n",
    ]
    assert title.notes[2].startswith("<table>") and plan in title.notes[2]
    assert "Look <em>deeper</em></td>" in title.notes[2]
    assert title.notes[3:] == ["<hr><p><em>On the page:</em></p><p>Because.</p>\n"]
    assert add.notes[0] == "<p><strong>Minute 2 to 5 of 6.</strong></p>"
    assert add.notes[1] == "<p>Slowly.</p>\n"
    read_out = re.sub(r"<[^>]+>\n?", " ", add.notes[2]).split()
    assert " ".join(read_out) == "On the page: We add. It is 2. And drawn: One dot."
    assert add.notes[3:] == ["<p>Left to the page: <em>Means</em>.</p>"]
    assert deeper.notes[1:] == ["<p>Left to the page: <em>The end</em>.</p>"]
    _, last = given(TALK.partition("## Look")[0])
    assert last.notes[-1].endswith("<em>The end</em>.</p>") and "Deeper" not in str(last.notes)


@pytest.mark.parametrize("place", [2, 5, 6])
def test_what_leads_nowhere_is_refused_in_outputs_and_in_what_is_read_out(given, place):
    cells = chapter()
    cells[place] = (
        cells[place] | {"outputs": [shown("<img src=gone.png>")]}
        if cells[place]["cell_type"] == "code"
        else cells[place] | {"source": "## Means\n\n[x](gone.png)"}
    )
    text = TALK.replace("{{output cell-003 | 3 | 3}}", "{{output cell-003}}")
    with pytest.raises(CourseError, match="'gone.png' leads nowhere"):
        given(
            text.replace(
                "## Look *deeper*", "## Means (1 minute)\n\n{{notes cell-007}}\n\n## Look"
            ),
            cells,
        )


def test_words_about_a_cell_go_with_it_and_words_before_the_next_go_with_that(given):
    text = "# Add (1 minute)\n\n{{code cell-003}}\n\n## Draw (1 minute)\n\n{{figure cell-006}}"
    add, draw = ("".join(slide.notes) for slide in given(text))
    assert "We add." in add and "It is 2." in add and "And drawn:" not in add
    assert "And drawn:" in draw and "One dot." in draw and "It is 2." not in draw


def test_code_loses_its_checks_and_words_to_a_linter():
    source = (
        "import a  # noqa: F401\n\n\n\ndef f(x):\n    assert x\n    return x  # fmt: skip\n\n\n"
        "torch.testing.assert_close(\n    f(1),\n    1,\n)\nassert f(2) == 2\nprint(f(3))  # three"
    )
    assert bare(source) == (
        "import a\n\ndef f(x):\n    assert x\n    return x\n\nprint(f(3))  # three"
    )
    long = f"{'x' * (WIDTH - 5)} = 1  # why"
    assert bare(long) == long.partition("  #")[0] and bare(long[1:]) != long[1:]
    assert bare("x = 1  # why") == "x = 1  # why"


def test_lines_are_chosen_by_how_they_begin():
    text = "def f(x):\n    a = 1\n    b = a\n    a += b\n    return a"
    assert chosen(text, "a =", "a +=") == "a = 1\nb = a\na += b"
    with pytest.raises(ValueError, match="one line that begins with 'a', found 2"):
        chosen(text, "a", "b")
    with pytest.raises(ValueError, match="begins with 'c' after it, found none"):
        chosen(text, "b", "c")


def test_printed_numbers_become_a_shaded_table():
    shaded = table("tensor([[0.5, -1.],\n        [inf, 0.]])\ntensor([2., 1.])\n", [], ["a", "b"])
    rows = re.findall(r"<tr>(.*?)</tr>", shaded)
    assert rows[0] == '<th scope="col">a</th><th scope="col">b</th>'
    assert rows[1] == (
        '<td class="above" style="--dark: 12%">0.5</td>'
        '<td class="below" style="--dark: 25%">−1</td>'
    )
    assert rows[2].startswith("<td>inf</td>") and "50%" in rows[3] and len(rows) == 4
    exact = table("tensor([[0.3333, -2.0000e-04, 0.0000], [4., -0., 0.25]])", [], [])
    said = re.findall(r"<td(.*?)>([^<]*)</td>", exact)
    assert [words for _, words in said] == ["0.33", "−0.00", "0", "4", "0", "0.25"]
    assert [words for kind, words in said if "none" in kind] == ["0", "0"], (
        "only exact zeros are faint"
    )
    named = table("tensor([[1., 3.], [2., 4.]], grad_fn=<A>)\ntensor([9.])", ["x"], [])
    assert re.findall(r">([^<>]+)<", named) == ["x", "1", "3"] and 'class="share"' in named
    assert table("tensor([True, False])", [], []).count("63%") == 1
    weights = table("tensor([[0.09, 0.91]])", [], [])  # as in figures: 63% of the root
    assert re.findall(r"--dark: (\d+)%", weights) == ["19", "60"]


def test_printed_numbers_become_bars_on_one_scale():
    shown = re.findall(r">([^<>]+)<", bars("tensor([1., -3.])", ["a", "b"]))
    assert shown == ["a", "1.", "b", "−3."]
    begins = re.findall(r"--from: ([\d.]+)%; --share: ([\d.]+)%", bars("tensor([1., -3.])", []))
    assert begins == [("75.0", "25.0"), ("0.0", "75.0")], "from zero, to the right and to the left"
    lines = "heads: 2, loss 2.00, counted 4.00\nthen 1,234.5678 of 9"
    assert re.findall(r">([^<>]+)<", bars(lines, [])) == [
        "heads", "2", "loss", "2.00", "counted", "4.00", "then 1,234.5678 of", "9",
    ]  # fmt: skip
    assert re.findall(r">([^<>]+)<", bars(lines, ["-", "x"])) == ["x", "2.00"]
    assert re.findall(r">([^<>]+)<", bars(lines, ["y"], "then")) == ["y", "1235"]
    ends = bars("It fits 22.\nThe floor is 2.3028, the rest 0.0000.", ["a", "b", "c"])
    assert re.findall(r">([^<>]+)<", ends) == ["a", "22", "b", "2.30", "c", "0"]
    assert 'data-most="4"' in bars(lines, ["-", "x", "y"])
    with pytest.raises(ValueError, match="names for 1 numbers, got 2"):
        bars(lines, ["y", "z"], "then")


def test_printed_lists_become_boxes():
    shown = strip("ids [1, 2] -> 3\n\nof ['␣a', ' b']", [])
    assert re.findall(r">([^<>]+)<", shown) == ["ids", "1", "2", "3", "of", "␣a", "␣b"]
    assert shown.count('class="next"') == 1
    one_line = strip("reads 5 7\nsays . 5", ["says"], "says")
    assert re.findall(r">([^<>]+)<", one_line) == ["says", ".", "5"]
    with pytest.raises(ValueError, match="names for 1 lines, got 2"):
        strip("a", ["x", "y"])


def test_one_panel_of_a_figure_keeps_the_names_of_its_rows():
    names = "<g fill='k'><text x='10.0' y='5.0' class='row'>one</text></g>"
    first = f"<g class='panel'>{names}<g><path d='M 20.0 1.0 L 40.0 1.0'/></g></g>"
    second = "<g class='panel'><g><path d='M 120.0 1.0 L 140.0 1.0'/></g></g>"
    whole = f"<svg><g><text x='1' class='title'>All</text></g>{first}{second}</svg>"
    assert panels(whole, [1]) == f"<svg><g></g>{first}</svg>"
    assert panels(whole, [2]) == f"<svg><g></g>{second}{names.replace('10.0', '110.0')}</svg>"
    assert panels(whole, [1, 2]) == f"<svg><g></g>{first}{second}</svg>"
    with pytest.raises(ValueError, match=r"panels from 1 to 2, got \[3\]"):
        panels(whole, [3])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Hello.\n\n# Why? (2 minutes)", "ch00.talk.md: .* begin like .*, got 'Hello.'"),
        ("# Why?\n", "begin like .*, got '# Why\\?'"),
        ("", "begin like .*, got 'nothing'"),
        ("# Why? (2 minutes)\n\nx", "expected a cell of 00.ipynb .* name one in {{notes CELL}}"),
        ("# Why? (2 minutes)\n\n{{code cell-999}}", "has no cell cell-999, name another"),
        ("# Why? (2 minutes)\n\n{{notes cell-001}}\n\n{{code}}", "id of a cell .*, got {{code}}"),
        ("# Why? (2 minutes)\n\n{{notes cell-001}}\n\n{{exercise}}", "id of a cell after a space"),
        ("# Why? (2 minutes)\n\n{{exercise cell-003}}", "an answer's cell, got 'cell-003'"),
        ("# Why? (2 minutes)\n\n{{exercise cell-010}}", "an answer's cell, got 'cell-010'"),
        ("# Why? (2 minutes)\n\n{{show cell-003}}", "expected one of code, output, .*got 'show'"),
        ("# Why? (2 minutes)\n\n{{code cell-003 | y | z}}", "line that begins with 'y', found 0"),
        ("# Why? (2 minutes)\n\n{{code cell-003 | x}}", "missing 1 required .* 'last'"),
        ("# Why? (2 minutes)\n\n{{table cell-003}}", "names for 0 rows of 0"),
        ("# Why? (2 minutes)\n\n{{figure cell-003}}", "that draws, but it doesn.t draw anything"),
        ("# Why? (2 minutes)\n\n{{quiz cell-003 | 1}}", "the output of a check or a quiz"),
        ("# Why? (2 minutes)\n\n{{notes cell-001}}\n\n$\\nosuch$", "talk.md.*Why.*nosuch"),
    ],
)
def test_what_is_wrong_is_said_with_its_slide(given, text, says):
    with pytest.raises(CourseError, match=says):
        given(text)


@pytest.mark.parametrize("source", ["x\n" * (LINES + 1), "x" * (WIDTH + 1)])
def test_code_that_nobody_could_read_is_refused(given, source):
    with pytest.raises(
        CourseError, match=r"at most 10 lines of 74 .*choose some, \| FIRST \| LAST"
    ):
        cells = numbered(cell(source, "code", [printed("1")]))
        given("# Why? (2 minutes)\n\n{{code cell-001}}", cells)


def test_an_exercise_waits_with_its_solution_and_obeys_the_setting(given, tmp_path):
    text = "# Try (4 minutes)\n\nYour turn.\n\n{{exercise cell-002}}\n\n## Q (1 minute)\n\n"
    text += "{{quiz cell-004 | 2}}"
    first, second = given(text, exercise())
    assert words(first)[0] == "Try\nYour turn.\ndef mean_past(x):\n    raise"
    assert words(first)[1].startswith("One solutiondef mean_past(x):")
    assert "Return it." in first.notes[2]
    hints = [note[:28] for note in first.notes[3:]]
    assert hints == [f"<p><strong>Hint {n}.</strong> " for n in "123"]
    assert "<code>x[b, : t + 1]</code>" in first.notes[4]
    question = quiz("04").questions[1]
    assert words(second)[0].startswith("Q\nYou divide")
    assert second.blocks[0].count("<details>") == len(question.options)
    said = [re.search(r"<strong>(Right|Not this one)\.", note)[1] for note in second.notes[-3:]]
    assert said == ["Right" if option.right else "Not this one" for option in question.options]
    (tmp_path / "book.toml").write_text('[preprocessor.course]\nsolutions = "withheld"\n')
    first, _ = given(text, exercise())
    assert len(first.blocks) == 1 and "One solution" not in str(first)
    assert first.notes[-1] == f"<p>{kept_back(tmp_path)}</p>" != "<p></p>"


# ---------------------------------------------------------------- the talks of the course


@pytest.fixture(scope="module")
def talks():
    """The talk of each chapter: its plan and its slides."""
    found = {}
    for path in CHAPTERS:
        assert plan_of(path), f"write src/chapters/ch{path.stem[:2]}/talk.md"
        page = Page(path.name, notebooks.read_text(path))
        listed = [p.name for p in CHAPTERS]
        site = Site(ROOT / "notebooks", lambda _: None, listed, lambda *_: None)
        found[path.stem] = read_plan(plan_of(path)), talk(plan_of(path), page, site)
    return found


def test_every_chapter_has_a_talk_of_fifty_minutes(talks):
    for name, (plan, slides) in talks.items():
        took = sum(planned.minutes for planned in plan)
        assert 10 <= len(slides) <= 18, f"{name}: {len(slides)} slides, expected 10 to 18"
        assert 45 <= took <= 50, f"{name}: {took} minutes, expected 45 to 50"
        assert any(
            "explorer" in cell.get("metadata", {}).get("tags", [])
            for cell in notebooks.read(next(p for p in CHAPTERS if p.stem == name)).cells
            if cell.id in {id for planned in plan for id in planned.cells}
        ), f"{name}: show the explorer on a slide"
        assert any(slide.kind == "exercise" for slide in slides), f"{name}: show an exercise"


def test_a_slide_has_at_most_forty_words_and_no_word_for_a_linter(talks):
    for name, (_, slides) in talks.items():
        for slide in slides:
            body = "".join(slide.blocks)
            read = re.sub(UNREAD, " ", body.replace("\n", " ")).split()
            print(name, slide.cell, len(read))
            most = 60 if slide.kind == "quiz" else 40
            assert len(read) <= most, f"{name}, {slide.cell}: {len(read)} words, at most {most}"
            assert "noqa" not in body and "assert_close" not in body, (name, slide.cell)


def test_the_speaker_gets_every_note_of_the_sections_that_are_shown(talks):
    """Nothing that an instructor needs is lost with the cells that have no slide."""
    for path in CHAPTERS:
        notes = "".join("".join(slide.notes) for slide in talks[path.stem][1])
        cells, heading = notebooks.read(path).cells, ""
        for each, deeper in zip(cells, sections(cells), strict=True):
            title = re.match(r"#+ (.*)", each.source)
            heading = title[1] if each.cell_type == "markdown" and title else heading
            if deeper or "notes" not in each.metadata.get("course", {}):
                continue
            note = render(parse(each.metadata.course.notes, path.stem))
            left = f"Left to the page: <em>{html.escape(heading.replace('`', ''))}</em>"
            assert note in notes or left in notes, (path.stem, each.id)


def test_a_live_notebook_runs_all_cells_and_shows_those_of_the_talk(tmp_path):
    nb = nbformat.reads(notebook(*exercise(*chapter())), as_version=4)
    nb.cells[7].metadata["jp-MarkdownHeadingCollapsed"] = True
    sources = [cell.source for cell in nb.cells]
    text = TALK + "\n## Try (4 minutes)\n\n{{exercise cell-012}}\n"
    (tmp_path / "talk.md").write_text(text)
    live_talk.live(nb, read_plan(tmp_path / "talk.md"))
    assert [cell.source for cell in nb.cells if not cell.id.startswith("talk")] == sources
    seen = [
        (cell.source.split("\n")[0], cell.metadata.get("slideshow", {}).get("slide_type"),
         cell.metadata.get("jupyter", {}).get("source_hidden"))
        for cell in nb.cells
        if cell.metadata.get("slideshow", {}).get("slide_type") != "skip"
    ]  # fmt: skip
    assert seen == [
        ("# Why?", "slide", None),
        ("## Add", "slide", None),
        ("x = 2  # noqa: E1", "subslide", False),
        ("It is **two**.", None, None),
        ("draw()", "subslide", True),
        ("## Look *deeper*", "slide", None),
        ("deep()", None, True),
        ("## Try", "slide", None),
        ("def mean_past(x):", None, False),
        ("check()", None, True),
    ]
    assert not any("Collapsed" in key for cell in nb.cells for key in cell.metadata)
    assert len({cell.id for cell in nb.cells}) == len(nb.cells)


def test_right_goes_from_a_live_title_to_the_explorer_in_twenty_presses(tmp_path, capsys):
    out = tmp_path / "build" / "live"
    for _ in range(2):  # a talk may be written anew
        live_talk.write(CHAPTERS, out)
    assert "talk.md" not in capsys.readouterr().out
    for path in CHAPTERS:
        presses, below = -1, False
        for each in notebooks.read(out / path.name).cells:
            kind = each.metadata.get("slideshow", {}).get("slide_type")
            below = kind == "subslide" or (below and kind != "slide")
            presses += kind == "slide" or (kind is None and not below)
            if kind != "skip" and "explorer" in each.metadata.get("tags", []):
                break
        assert 0 < presses <= 20 and kind is None, path.name
