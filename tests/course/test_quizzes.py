"""Quizzes are plain text, and a text that is no quiz is refused with the number of the line."""

import pytest

from course.errors import CourseError
from course.learn.quizzes import parse, quiz

TEXT = """\
## What is
`1 < 2`?

- [ ] False, because
      it is late.
  It is
  never late.
- [x] True
  1 is smaller.
- [ ] `0`
  That is what 1 - 1 gives.
"""
QUIZ = TEXT * 5


def test_a_quiz_is_read_as_it_is_written():
    found = parse(QUIZ, "99")
    question = found.questions[0]
    assert question.text == "What is `1 < 2`?"
    assert [(o.text, o.why, o.right) for o in question.options] == [
        ("False, because it is late.", "It is never late.", False),
        ("True", "1 is smaller.", True),
        ("`0`", "That is what 1 - 1 gives.", False),
    ]
    assert repr(found).startswith(
        "1. What is `1 < 2`?\n   a) False, because it is late.\n   b) True\n   c) `0`\n2. "
    )
    page = found._repr_html_()
    assert "<summary>True</summary><p><strong>Right.</strong> 1 is smaller.</p>" in page
    assert "<code>1 &lt; 2</code>" in page and page.count("Right.") == 5
    assert page.count("<details>") == page.count("</details>") == 15


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("## What", "What", r"line 1: expected a question, `## ...`, got 'What is'"),
        (
            "- [x]",
            "- [ ]",
            r"line 1: expected 3 options or more, one.*got 3 options, 0 of them right",
        ),
        (
            "- [ ]",
            "- [x]",
            r"line 1: expected 3 options or more, one.*got 3 options, 2 of them right",
        ),
        (
            "- [x] True",
            "- [?] True",
            r"line 8: expected `- \[ \] ...` or `## ...`, got '- \[\?\] True'",
        ),
        (
            "  1 is smaller.\n",
            "",
            r"line 1: expected an explanation, indented by two, below the option `True`",
        ),
        ("- [ ] `0`\n  That is what 1 - 1 gives.\n", "", "line 1: expected 3 .* got 2 options"),
        (TEXT * 4, "", r"expected 5 questions, `## ...`, got 1"),
        (QUIZ, "", r"expected 5 questions, `## ...`, got 0"),
        ("  It is\n", "It is\n", r"line 6: expected `- \[ \] ...` or `## ...`, got 'It is'"),
    ],
)
def test_a_text_that_is_no_quiz_is_refused(old, new, says):
    with pytest.raises(CourseError, match=f"the quiz of chapter 99, ch99/quiz.md.*{says}"):
        parse(QUIZ.replace(old, new, 1), "99")


def test_an_unknown_quiz_lists_the_known_ones():
    with pytest.raises(ValueError, match="expected one of .*04.*, got '77'"):
        quiz("77")
