"""Quizzes that explain: open an option, by mouse or keyboard, and read why it is right or not.

A quiz is plain text, `quiz.md` in the folder of its chapter:

    ## What does row 3 of `weights` decide in `weights @ x`?
    - [ ] How much each position takes from position 3.
      That is column 3. A column shows which positions listen to one position.
    - [x] How much position 3 takes from each position.
      Row t of a product is a mix of the right operand's rows, with row t's shares.
    - [ ] How much of channel 3 goes into the result.
      The weights are positions by positions; they don't mix channels.

A line indented by six spaces continues the option above it; a line indented by two explains that
option. Each option is a `<details>` element, which needs no script and no kernel, so a quiz works in
a running notebook, in an untrusted one, in the book and on a slide.
"""

import re
from dataclasses import dataclass

from course import content
from course.errors import CourseError
from course.learn.html import MIME, folded, prose

N_QUESTIONS, N_OPTIONS = 5, 3  # questions of a quiz; options of a question, at least
OPTION = re.compile(r"- \[(?P<mark>[ x])\] (?P<text>\S.*)")


@dataclass(frozen=True)
class Option:
    """A possible answer, and why it is right, or what thought leads people to it."""

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
    """The questions of one chapter, shown as HTML, or as plain text where HTML can't be shown."""

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
    """The HTML of the options; each opens to show its explanation."""
    return "".join(
        folded(prose(option.text), f"<p>{explanation(option)}</p>") for option in question.options
    )


def explanation(option: Option) -> str:
    """Whether an option is right, and why, as HTML."""
    said = "Right." if option.right else "Not this one."
    return f"<strong>{said}</strong> {prose(option.why)}"


def quiz(chapter: str) -> Quiz:
    """Return the quiz of a chapter, such as "04". Raises ValueError if that chapter has none."""
    found = sorted(content.folder().glob("ch*/quiz.md"))
    names = {path.parent.name.removeprefix("ch"): path for path in found}
    if chapter not in names:
        raise ValueError(f"quiz: expected one of {', '.join(names)}, got {chapter!r}")
    return parse(names[chapter].read_text(encoding="utf-8"), chapter)


def parse(text: str, chapter: str) -> Quiz:
    """Read a quiz from its text. Raises CourseError, with the line if possible, for a wrong form."""
    name = f"the quiz of chapter {chapter}, ch{chapter}/quiz.md"
    questions: list[tuple[int, list[str], list[list]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            questions.append((number, [line[3:]], []))
        elif not line.strip():
            continue
        elif not questions:
            raise CourseError(
                f"{name}, line {number}: expected a question, `## ...`, got {line!r}"
            )
        elif option := OPTION.fullmatch(line):
            questions[-1][2].append([option["mark"] == "x", [option["text"]], []])
        elif (options := questions[-1][2]) and line.startswith("  "):
            options[-1][1 if line.startswith(" " * 6) else 2].append(line.strip())
        elif not options and not line.startswith(("-", " ")):
            questions[-1][1].append(line)
        else:
            raise CourseError(
                f"{name}, line {number}: expected `- [ ] ...` or `## ...`, got {line!r}"
            )
    if len(questions) != N_QUESTIONS:
        raise CourseError(
            f"{name}: expected {N_QUESTIONS} questions, `## ...`, got {len(questions)}"
        )
    return Quiz(chapter, tuple(_question(name, *parts) for parts in questions))


def _question(name: str, number: int, words: list[str], options: list[list]) -> Question:
    for _, text, why in options:
        if not why:
            raise CourseError(
                f"{name}, line {number}: expected an explanation, indented by two, below the "
                f"option `{text[0]}`"
            )
    if (rights := sum(right for right, _, _ in options)) != 1 or len(options) < N_OPTIONS:
        raise CourseError(
            f"{name}, line {number}: expected {N_OPTIONS} options or more, one of them right, "
            f"`- [x]`, got {len(options)} options, {rights} of them right"
        )
    found = [Option(" ".join(text), " ".join(why), right) for right, text, why in options]
    return Question(" ".join(words), tuple(found))
