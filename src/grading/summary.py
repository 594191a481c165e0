"""What the class has understood: how many passed each exercise, and which mistakes they made."""

from collections import Counter
from typing import Any

STATUSES = ("passed", "known mistake", "wrong", "not attempted", "not graded")
SHOWN = 5  # mistakes of an exercise


def summary(students: list[dict[str, Any]]) -> str:
    """A text in Markdown: by chapter and exercise, the commonest mistakes first."""
    by_chapter: dict[str, dict[str, list[dict]]] = {}
    for student in students:
        for chapter, found in student["chapters"].items():
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
    return "\n\n".join(parts) + "\n"
