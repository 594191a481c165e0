"""Check everything with one command, `python -m tests`: style, tests and stored outputs.

Each part runs even if another one fails. The last lines give the result of each part and the skipped
tests. The exit status is 0 only if all parts have passed. `--all` also runs the tests that are marked
weekly. All other arguments go to pytest.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STYLED = ("install.py", "src", "tests", "benchmarks")
COUNTS = re.compile(r"^=*\s*((?:\d+ \w+(?:, )?)+) in [\d.]+s")  # pytest's last line


def run(name: str, *command: str) -> tuple[int, list[str]]:
    """Run a part and print its output as it comes. Returns its exit status and the lines of its output."""
    print(f"\n{name}: {' '.join(command)}", flush=True)
    with subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=os.environ | {"PYTHONUTF8": "1"},
        encoding="utf-8",
        errors="replace",
    ) as part:
        lines = []
        for line in part.stdout:
            print(line, end="", flush=True)
            lines.append(line.strip())
    return part.returncode, lines


def count(lines: list[str]) -> str:
    """The last words of a part: pytest's counts, or otherwise its last line."""
    found = [m[1] for line in lines if (m := COUNTS.match(line))]
    return (found or [line for line in lines if line] or ["said nothing"])[-1]


def main(words: list[str]) -> int:
    everything = "--all" in words
    workers = os.environ.get("WORKERS", "auto")
    some = [] if everything else ["-m", "not weekly"]
    tests = ["-n", workers, "--dist", "loadfile", "--durations", "12", *some]
    parts = {
        "style": ("ruff", "check"),
        "format": ("ruff", "format", "--check", *STYLED),
        "tests": ("pytest", *tests, *(word for word in words if word != "--all")),
        "stored outputs": ("course", "check"),
    }
    done = {name: run(name, *command) for name, command in parts.items()}
    print()
    for name, (status, lines) in done.items():
        print(f"{name:<15} {'FAILED' if status else 'passed'}: {count(lines)}")
    skipped = [line for _, lines in done.values() for line in lines if line.startswith("SKIPPED")]
    print(*skipped, sep="\n", end="\n" * bool(skipped))
    if not everything:
        print("Tests marked weekly, which prove the same at length, weren't run: `make test-all`.")
    return int(any(status for status, _ in done.values()))


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # if a terminal lacks a character
    sys.exit(main(sys.argv[1:]))
