"""What `course refresh` adds to a notebook: the cells of an exercise, a chapter's part of an appendix."""

import pytest
from nbformat import validate
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course import content
from course.errors import CourseError
from course.execute.complete import complete
from course.execute.refresh import with_readers
from course.notebooks import chapters, read, write
from tests.course.test_notebooks import make_course

CARD = """# B1

```python
x = 1
# A comment.
```

| what |

# B2

**Aim.** {}

More.
"""
RECORD = '''"""Return twice
`x`.

- `x` is a number
- and more.
"""

E = Exercise(__name__, inputs=[(1,)])

@E.answer
def twice(x, *, plus: int = 0):
    def inner():
        return 2 * x
    return inner() + plus
'''
CLASS = '''"""Write the block."""
@E.answer(trained=False)
class Block(nn.Module):
    width = 4
    def __init__(self, n):
        super().__init__()
    def forward(self, x):
        return x
'''


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Two chapters that give to two appendices, and nothing is in these yet."""
    make_course(tmp_path, **{"01_one": [], "02_two": [], "B1_cards": [], "B2_guide": ["1"]})
    for number in ("02", "01"):
        folder = tmp_path / "content" / f"ch{number}"
        (folder / "exercises").mkdir(parents=True)
        (folder / "appendices.md").write_text(CARD.format(f"To do {number}"))
    monkeypatch.setattr(content, "folder", lambda: tmp_path / "content")
    return tmp_path


def completed(course, name):
    """The cells of a notebook after `complete`, which adds nothing more the second time."""
    [path] = course.glob(f"notebooks/{name}*")
    nb = read(path)
    complete(nb, path, course)
    validate(nb)
    write(nb, path)
    again = read(path)
    complete(again, path, course)
    assert again == nb
    return nb.cells


def record(course, text, name="twice"):
    (course / "content" / "ch01" / "exercises" / f"{name}.py").write_text(text)


# ---------------------------------------------------------------- an appendix


def test_an_appendix_has_the_parts_of_the_chapters_in_the_order_of_the_course(course):
    cells = completed(course, "B1")
    assert [cell.id for cell in cells] == [
        "id-0", "b1-01-1", "b1-01-2", "b1-01-3", "b1-02-1", "b1-02-2", "b1-02-3",
    ]  # fmt: skip
    assert [cell.source for cell in cells[1:4]] == [
        "## Chapter 01: The title of 01_one", "x = 1\n# A comment.", "| what |",
    ]  # fmt: skip
    assert [cell.cell_type for cell in cells[1:4]] == ["markdown", "code", "markdown"]
    assert all(cell.metadata.slideshow.slide_type == "subslide" for cell in cells[1:])


def test_a_part_that_changes_is_replaced_where_it_is_with_the_metadata_of_its_cell(course):
    [_, one, two] = completed(course, "B2")[1:]
    path = course / "notebooks" / "B2_guide.ipynb"
    one.metadata["course"] = {"numbers": "quoted"}
    last = new_markdown_cell("The end.", id="b2-end")
    write(new_notebook(cells=[new_markdown_cell("# B2", id="a"), one, two, last]), path)
    (course / "content" / "ch01" / "appendices.md").write_text("# B2\n\nNew.\n")
    (course / "content" / "ch02" / "appendices.md").write_text("# B1\n\nNothing for B2.\n")
    _, cell, end = completed(course, "B2")
    assert (cell.source, end) == ("## Chapter 01: The title of 01_one\n\nNew.", last)
    assert cell.metadata == one.metadata
    (course / "content" / "ch02" / "appendices.md").write_text("# B2\n\nAgain.\n")
    again = completed(course, "B2")[2]
    assert again.source.endswith("Again.") and again.metadata == one.metadata, "as the others"


def test_a_page_that_no_chapter_gives_to_stays_as_it_is(course):
    before = read(course / "notebooks" / "02_two.ipynb")
    assert completed(course, "02") == before.cells


def test_an_appendix_is_refreshed_with_any_chapter(course):
    one, two, *both = chapters(course)
    assert with_readers([two], course) == [two, *both]


# ---------------------------------------------------------------- an exercise


def test_an_exercise_gets_its_three_cells(course):
    record(course, RECORD)
    says, stub, check = completed(course, "01")[1:]
    assert says.source == "### 1. Twice\n\nReturn twice `x`.\n\n- `x` is a number\n- and more."
    assert stub.source == "def twice(x, *, plus: int=0):\n    raise NotImplementedError"
    assert check.source == 'check("01.twice", twice)'
    assert [cell.id for cell in (says, stub, check)] == [
        "twice-asks", "twice-answer", "twice-check",
    ]  # fmt: skip
    assert stub.metadata == {
        "slideshow": {"slide_type": "skip"},
        "tags": ["exercise"],
        "course": {"exercise": "01.twice"},
    }
    assert check.metadata == {"slideshow": {"slide_type": "skip"}, "tags": ["exercise"]}


def test_a_class_keeps_the_heads_of_its_methods(course):
    record(course, CLASS, "block")
    stub = completed(course, "01")[2].source
    assert stub.splitlines() == [
        "class Block(nn.Module):",
        "    width = 4",
        "",
        "    def __init__(self, n):",
        "        raise NotImplementedError",
        "",
        "    def forward(self, x):",
        "        raise NotImplementedError",
    ]


def test_a_new_exercise_stands_after_the_others_or_before_the_quiz(course):
    path = course / "notebooks" / "01_one.ipynb"
    nb = read(path)
    nb.cells += [new_markdown_cell("## Quiz", id="quiz", metadata={"tags": ["quiz"]})]
    write(nb, path)
    record(course, RECORD)
    assert [cell.id for cell in completed(course, "01")][-2:] == ["twice-check", "quiz"]
    record(course, RECORD.replace("twice", "at_once"), "at_once")
    cells = completed(course, "01")
    assert [cell.id for cell in cells][-4:] == [
        "at-once-asks", "at-once-answer", "at-once-check", "quiz",
    ]  # fmt: skip
    assert cells[-4].source.startswith("### 2. At once\n")


@pytest.mark.parametrize(("words", "heading"), [(3700, "### 1."), (3900, "### Deeper: 1.")])
def test_an_exercise_that_the_main_line_has_no_room_for_is_deeper(course, words, heading):
    """35 minutes are 4,200 words; an exercise takes four minutes, 480 words."""
    path = course / "notebooks" / "01_one.ipynb"
    nb = read(path)
    nb.cells += [new_markdown_cell("word " * words, id="long")]
    write(nb, path)
    record(course, RECORD)
    assert completed(course, "01")[2].source.startswith(heading)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("def twice(:", r"expected Python in the record of 01.twice, but: .*line 1"),
        ("E = 1\nclass A: ...\n", "the record of 01.twice has no answer: decorate one"),
    ],
)
def test_a_record_without_an_answer_is_refused(course, text, says):
    record(course, text)
    with pytest.raises(CourseError, match=says):
        completed(course, "01")


def test_an_exercise_that_has_its_cells_gets_no_others(course):
    record(course, RECORD)
    path = course / "notebooks" / "01_one.ipynb"
    nb = read(path)
    asked = {"course": {"exercise": "01.twice"}}
    nb.cells += [new_code_cell("def twice(x): ...", id="mine", metadata=asked)]
    write(nb, path)
    assert completed(course, "01") == nb.cells
