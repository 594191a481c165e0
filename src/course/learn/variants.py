"""Notebooks of a cohort's own: the same questions, other numbers in what their checks try.

Only what an exercise draws is another; sizes and answers that stand in a text stay. That each
exercise still tells its mistakes apart is found out before anything is written.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from course import content
from course.errors import CourseError, RecordError
from course.learn import copies
from course.learn.draws import variant
from course.learn.exercises import known, load
from course.learn.values import same
from course.notebooks import write

IMPORT = "from course.learn.exercises import check"
ALSO = "from course.learn.draws import variant\n"


def write_all(paths: Sequence[Path], seeds: Sequence[int], out: Path) -> Iterator[str]:
    """Write a folder of notebooks for each seed, as `course start` copies them; a sentence on each.

    Raises CourseError, and writes nothing, where an exercise doesn't hold with a seed.
    """
    of = {path.name[:2] for path in paths}
    ids = [id for id in known() if id[:2] in of]
    alike = {seed: unchanged(seed, ids) for seed in dict.fromkeys(seeds)}
    for seed, stay in alike.items():
        folder = out / f"seed-{seed}"
        for path in paths:
            notebook = copies.fresh(path)
            for cell in notebook.cells:
                if cell.cell_type == "code" and IMPORT in cell.source:
                    source = cell.source.replace(IMPORT, ALSO + IMPORT)
                    cell.source = f"{source}\nvariant({seed})  # this class's numbers"
            write(notebook, folder / path.name)
        says = f"; the same for everyone: {', '.join(stay)}" if stay else ""
        yield f"{folder}: other numbers in {len(ids) - len(stay)} of {len(ids)} exercises{says}"


def unchanged(seed: int, ids: Sequence[str]) -> list[str]:
    """Which of the exercises draw nothing, found out in a process of its own.

    Raises CourseError where one of them doesn't hold with this seed.
    """
    command = [sys.executable, "-m", __name__, str(seed), *ids]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip() or "it says nothing").split("\n")[-1]
        raise CourseError(f"seed {seed} can't be used: {last}")
    return json.loads(done.stdout)


def main() -> None:
    """In that process, where the records can be loaded twice."""
    seed, *ids = sys.argv[1:]
    usual = {id: load(id).inputs for id in ids}
    for name in [name for name in sys.modules if name.startswith(f"{content.package()}.ch")]:
        del sys.modules[name]
    variant(seed)
    try:
        alike = [id for id in ids if same(usual[id], load(id).inputs, rtol=0.0)]
    except RecordError as error:
        where = str(error).partition("(")[2].partition(",")[0]
        sys.exit(f"two mistakes of {where} can't be told apart; choose another")
    print(json.dumps(alike))


if __name__ == "__main__":
    main()
