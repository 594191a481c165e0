"""Time of a check, for every exercise with its right answer and each known mistake.

Run: python benchmarks/check_time.py
The aim is a tenth of a second for most checks and at most a second for all. The peer is the least that a
check has to do: call the answer once on every input.
"""

import contextlib
import statistics
import time

from course.learn.exercises import known, load
from course.learn.verdict import judge

AIM, NEVER = 0.1, 1.0  # seconds


def seconds(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def bare(exercise) -> None:
    for inputs in exercise.inputs:
        with contextlib.suppress(ValueError):  # some exercises ask for this error
            exercise.reference.function(*inputs)


def main() -> None:
    loads, firsts, times, ratios = {}, {}, {}, []
    for id in known():
        loads[id] = seconds(lambda: load(id))  # noqa: B023
        exercise = load(id)
        answers = [exercise.reference, *exercise.mistakes]
        firsts[id] = seconds(lambda: judge(exercise, exercise.reference.function))  # noqa: B023
        for n, program in enumerate(answers):
            times[id, n] = seconds(lambda: judge(exercise, program.function))  # noqa: B023
        ratios.append(times[id, 0] / seconds(lambda: bare(exercise)))  # noqa: B023
    for name, found in (
        ("reading a record, once", loads),
        ("the first check of it", firsts),
        ("every further check", times),
    ):
        slowest = max(found, key=found.get)
        print(
            f"{name:<24} {len(found):>5}   median {1000 * statistics.median(found.values()):5.0f} ms   "
            f"slowest {1000 * found[slowest]:5.0f} ms ({slowest})"
        )
    late = sum(seconds > AIM for seconds in times.values())
    print(
        f"{late} of {len(times)} checks took more than {AIM} s, the aim; none may take {NEVER} s"
    )
    print(f"a right answer costs {statistics.median(ratios):.0f} times its bare calls (median)")


if __name__ == "__main__":
    main()
