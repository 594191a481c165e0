"""Quizzes that explain: open an option, by mouse or keyboard, and read why it is right or not.

A quiz is plain text, `quiz.md` in the folder of its chapter:

    ## What does row 3 of `weights` decide in `weights @ x`?
    - [ ] How much each position takes from position 3.
      That is column 3. A column tells who listens to a position.
    - [x] How much position 3 takes from each position.
      Row t of a product is a mix of the right operand's rows, with row t's shares.
    - [ ] How much of channel 3 goes into the result.
      The weights are positions by positions; channels are mixed by nothing here.

A line indented by six goes on with the option above it, one indented by two explains it. An
option is a `<details>` element, so a quiz works in a running notebook, in an untrusted one, in
the book and on a slide, with no script and no kernel.
"""

import re
from dataclasses import dataclass

from course import content
from course.errors import CourseError
from course.learn.html import MIME, folded, prose

N_QUESTIONS, N_OPTIONS = 5, 3  # of a quiz; of a question at least
MARK = re.compile(r"^- \[([ x])\] ", re.MULTILINE)
OPTION = re.compile(r"(\S.*(?:\n {6}.*)*)((?:\n+ {2}.*\S.*)+)\s*")  # its text, and why


@dataclass(frozen=True)
class Option:
    """A possible answer, and why it is right or what thought leads astray there."""

    text: str
    why: str
    right: bool


@dataclass(frozen=True)
class Question:
    """A question with one right option."""

    text: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Quiz:
    """The questions of one chapter, shown as HTML, or as plain text where there is none."""

    chapter: str
    questions: tuple[Question, ...]

    def __repr__(self) -> str:
        lines = []
        for n, question in enumerate(self.questions, 1):
            lines.append(f"{n}. {question.text}")
            for letter, option in zip("abcdef", question.options, strict=False):
                lines.append(f"   {letter}) {option.text}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        questions = "".join(
            f'<li style="margin-bottom: 1.2em"><p>{prose(question.text)}</p>{options_html(question)}</li>'
            for question in self.questions
        )
        return f'<div class="course-quiz"><ol>{questions}</ol></div>'

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, dict[str, str]]:
        return {MIME: {"quiz": self.chapter}}


def options_html(question: Question) -> str:
    """Each option folded over its explanation."""
    return "".join(
        folded(prose(option.text), f"<p>{explanation(option)}</p>") for option in question.options
    )


def explanation(option: Option) -> str:
    """Whether an option is right, and why, as HTML."""
    said = "Right." if option.right else "Not this one."
    return f"<strong>{said}</strong> {prose(option.why)}"


def quiz(chapter: str) -> Quiz:
    """Return the quiz of the chapter with this number, such as "04"."""
    found = sorted(content.folder().glob("ch*/quiz.md"))
    names = {path.parent.name.removeprefix("ch"): path for path in found}
    if chapter not in names:
        raise ValueError(f"quiz: expected one of {', '.join(names)}, got {chapter!r}")
    return parse(names[chapter].read_text(encoding="utf-8"), chapter)


def parse(text: str, chapter: str) -> Quiz:
    """A quiz from its text. Raises CourseError with the question that is wrong."""
    name = f"the quiz of chapter {chapter}, ch{chapter}/quiz.md"
    before, *questions = re.split(r"^## ", text, flags=re.MULTILINE)
    if before.strip() or len(questions) != N_QUESTIONS:
        came = repr(before.splitlines()[0]) if before.strip() else len(questions)
        raise CourseError(f"{name}: expected {N_QUESTIONS} questions, `## ...`, got {came}")
    return Quiz(chapter, tuple(_question(name, part) for part in questions))


def _question(name: str, text: str) -> Question:
    asked, *parts = MARK.split(text)
    asked = " ".join(asked.split())
    options = []
    for mark, said in zip(parts[::2], parts[1::2], strict=True):
        if not (found := OPTION.fullmatch(said)):
            raise CourseError(
                f"{name}, {asked!r}: expected `- [ ] ...` and below it an explanation, indented by "
                f"two, got {said.rstrip()!r}"
            )
        words, why = (" ".join(part.split()) for part in found.groups())
        options.append(Option(words, why, mark == "x"))
    if (rights := sum(option.right for option in options)) != 1 or len(options) < N_OPTIONS:
        raise CourseError(
            f"{name}, {asked!r}: expected {N_OPTIONS} options or more, one of them right, "
            f"`- [x]`, got {len(options)} options, {rights} of them right"
        )
    return Question(asked, tuple(options))
