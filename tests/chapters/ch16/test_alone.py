"""A notebook that is opened without the course says where the modules that it misses come from."""

import json
import re

import pytest

from tests.conftest import ROOT

SAYS = '# Part of the course, not on PyPI (see "Set up" in its README):\n'
OURS = re.compile(r"(from|import) (attention|chapters|course)\b")


@pytest.mark.parametrize(
    "path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem
)
def test_the_first_import_of_the_course_says_so(path):
    """Python shows the lines around the one that failed; PyPI's `attention` is another package."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    lines = [line for cell in cells if cell["cell_type"] == "code" for line in cell["source"]]
    ours = [n for n, line in enumerate(lines) if OURS.match(line)]
    assert [lines[n - 1] for n in ours[:1]] == [SAYS][: len(ours)]
