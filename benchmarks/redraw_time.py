"""CPU time of a redraw, for every explorer that a kernel draws, at each of its stops.

Run: python benchmarks/redraw_time.py [CHAPTER ...]
Each page is run up to its last explorer, so that the explorers have the tensors of the page.
The aim is a tenth of a second. The peer is the least that a figure has to draw: two empty axes.
"""

import ast
import contextlib
import io
import os
import statistics
import sys
import time
from collections.abc import Iterator

from course.draw.explorer import Explorer
from course.draw.picture import canvas, picture
from course.notebooks import read, root, select

AIM = 0.1  # seconds


def seconds(work) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def explorers(cells: list) -> Iterator[tuple[str, Explorer]]:
    """Run the cells of a page; yield the cell's id and the explorer for each one that a kernel draws."""
    tags = [cell.metadata.get("tags", []) for cell in cells]
    end = max((n for n, found in enumerate(tags) if "explorer" in found), default=-1)
    page: dict[str, object] = {"__name__": "__main__", "display": str}
    for cell, found in zip(cells[: end + 1], tags, strict=False):
        if cell.cell_type != "code" or "raises-exception" in found:
            continue
        *lines, last = ast.parse(cell.source).body
        if not isinstance(last, ast.Expr):
            lines, last = [*lines, last], ast.parse("None").body[0]
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(ast.Module(lines, []), cell.id, "exec"), page)
            value = eval(compile(ast.Expression(last.value), cell.id, "eval"), page)
        if "explorer" in found and isinstance(value, Explorer):
            yield cell.id, value


def main() -> None:
    os.environ["COURSE_HEADLESS"] = "1"
    for path in select(root(), sys.argv[1:]):
        os.chdir(path.parent)
        for name, explorer in explorers(read(path).cells):
            times, peers = [], []
            for control, values in explorer.stops.items():
                for value in values:
                    state = explorer.state | {control: value}
                    times.append(seconds(lambda: explorer.render(**state)))  # noqa: B023
                    peers.append(seconds(lambda: picture(canvas(3, 2)[0], "")))
            middle, largest, peer = map(statistics.median, (times, [max(times)], peers))
            says = "" if middle < AIM else "  above the aim"
            print(
                f"{path.stem[:2]} {name}  {middle * 1000:4.0f} ms, at most {largest * 1000:4.0f}, "
                f"{middle / peer:.2f} of two empty axes ({peer * 1000:.0f} ms){says}"
            )


if __name__ == "__main__":
    main()
