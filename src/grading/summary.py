"""Summarise what the class has understood: how many passed each exercise, and which mistakes they made."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from grading.results import submissions

STATUSES = ("passed", "known mistake", "wrong", "not attempted", "not graded")
HIDING = """It uses what could hide what an exercise forbids, or take a given function apart. Most
of it is harmless: what counts is what it is used for."""
SHOWN = 5  # mistakes of an exercise


def summary(students: list[dict[str, Any]]) -> str:
    """The summary in Markdown: the counts of each exercise by chapter, and the most common mistakes."""
    by_chapter: dict[str, dict[str, list[dict]]] = {}
    for _, chapter, found in submissions(students):
        for id, result in found["exercises"].items():
            by_chapter.setdefault(chapter, {}).setdefault(id, []).append(result)
    parts = ["# What the class made of it", f"{len(students)} learners."]
    for chapter, exercises in sorted(by_chapter.items()):
        head = ["exercise", *STATUSES]
        rows = [head, ["---"] + ["---:"] * len(STATUSES)]
        told = []
        for id, results in sorted(exercises.items()):
            count = Counter(result["status"] for result in results)
            rows.append([id, *(str(count[status]) for status in STATUSES)])
            mistakes = Counter(r["mistake"] for r in results if r["mistake"])
            common = sorted(mistakes.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
            told += [f"- {id}, {n} of {len(results)}: {hint}" for hint, n in common]
        table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        parts += [f"## Chapter {chapter}", table]
        parts += ["The commonest mistakes:\n\n" + "\n".join(told)] if told else []
    if hiding := [*_hiding(students)]:
        parts += ["## Read this code", HIDING + "\n\n" + "\n".join(hiding)]
    return "\n\n".join(parts) + "\n"


def _hiding(students: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each passed exercise whose code the instructor should read, and why."""
    for student, _, found in submissions(students):
        for id, result in found["exercises"].items():
            if result["status"] == "passed" and result.get("look"):
                yield f"- {student}, {id}: {result['look']}"
