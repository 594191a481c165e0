"""Quizzes that explain: open an option, by mouse or keyboard, and read why it is right or not.

An option is a `<details>` element, so a quiz works in a running notebook, in an untrusted one, in
the book and on a slide, with no script and no kernel.
"""

import importlib
import pkgutil
from dataclasses import dataclass

from course import chapters
from course.exercise import _details, _prose


@dataclass(frozen=True)
class Option:
    """A possible answer, and why it is right or what thought leads astray there."""

    text: str
    why: str
    right: bool = False


@dataclass(frozen=True)
class Question:
    """A question with one right option."""

    asks: str
    options: tuple[Option, ...]

    def __post_init__(self):
        if sum(option.right for option in self.options) != 1:
            raise ValueError(f"expected exactly one right option for {self.asks!r}")


@dataclass(frozen=True)
class Quiz:
    """The questions of one chapter, shown as HTML, or as plain text where there is none."""

    questions: tuple[Question, ...]

    def __repr__(self) -> str:
        lines = []
        for n, question in enumerate(self.questions, 1):
            lines.append(f"{n}. {question.asks}")
            for letter, option in zip("abcdef", question.options, strict=False):
                lines.append(f"   {letter}) {option.text}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        questions = []
        for question in self.questions:
            options = "".join(
                _details(
                    _prose(option.text),
                    f"<p><strong>{'Right.' if option.right else 'Not this one.'}</strong> "
                    f"{_prose(option.why)}</p>",
                )
                for option in question.options
            )
            questions.append(f"<li><p>{_prose(question.asks)}</p>{options}</li>")
        return f'<div class="course-quiz"><ol>{"".join(questions)}</ol></div>'


def quiz(chapter: str) -> Quiz:
    """Return the quiz of the chapter with this number, such as "04"."""
    names = {m.name[2:4]: m.name for m in pkgutil.iter_modules(chapters.__path__)}
    if chapter not in names:
        raise ValueError(f"quiz: expected one of {', '.join(sorted(names))}, got {chapter!r}")
    return Quiz(importlib.import_module(f"course.chapters.{names[chapter]}").QUIZ)
