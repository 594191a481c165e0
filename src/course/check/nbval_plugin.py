"""A pytest plugin over nbval that compares numbers with tolerance and lints each notebook.

`notebooks/pytest.ini` loads it, so `pytest --nbval notebooks` is enough. Every notebook gives one item
`lint`, then one for each code cell. After a mismatch the later cells still run; after an
exception, a time-out or the kernel's death they are skipped.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf
from queue import Empty
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any
from unittest.mock import patch

import pytest
from click import unstyle
from jupyter_client import KernelManager

from course.check.compare import Deviation, compare_text, excerpt
from course.check.lint import lint, tolerance
from course.execute.kernel import DIED, STORED, OwnKernel

SCATTERED = ("load", "worksteal")  # modes of xdist that split a notebook's cells

import nbval.kernel  # noqa: E402  # after course.notebooks, which makes nbformat quick to import
import nbval.plugin  # noqa: E402

POLL = 0.5  # seconds between two looks at whether the kernel is alive
WIDGET = "application/vnd.jupyter.widget-view+json"
DIFFER = "Cell outputs differ"  # nbval's message when compare_outputs is False


class Kernel(nbval.plugin.RunningKernel):
    """A kernel whose death is noticed at once, not when the cell's time is over."""

    def get_message(self, stream: str, timeout: float | None = None) -> dict[str, Any]:
        end = monotonic() + (inf if timeout is None else timeout)
        while True:
            try:
                return super().get_message(stream, max(0, min(POLL, end - monotonic())))
            except Empty:
                if not self.is_alive():
                    raise RuntimeError(DIED) from None
                if monotonic() >= end:
                    raise


class Manager(OwnKernel, KernelManager):
    """Starts a kernel whose outputs are compared with stored ones."""

    env = STORED
    latest: "Manager"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        Manager.latest = self


class Notebook(nbval.plugin.IPyNbFile):
    """A notebook, whose items are `lint` and its code cells; the cells share a kernel."""

    halted = ""  # why no further cell runs

    def setup(self) -> None:
        self.scratch = TemporaryDirectory(prefix="course-", ignore_cleanup_errors=True)
        Manager.scratch = self.scratch.name
        kernel = patch.object(nbval.plugin, "RunningKernel", Kernel)
        with kernel, patch.object(nbval.kernel, "KernelManager", Manager):
            try:
                super().setup()
            except Exception as error:
                raise pytest.fail.Exception(self._not_started(error), pytrace=False) from None

    def _not_started(self, error: Exception) -> str:
        return f"{self.nodeid}: its kernel did not start: {error}\n{Manager.latest.said()}".strip()

    def teardown(self) -> None:
        super().teardown()
        self.scratch.cleanup()

    def collect(self) -> Iterator[pytest.Item]:
        yield Lint.from_parent(self, name="lint")
        for cell in super().collect():
            yield Cell.from_parent(
                self,
                name=f"code cell {cell.cell_num + 1}",
                cell_num=cell.cell_num,
                cell=cell.cell,
                options=cell.options,
            )


class Lint(pytest.Item):
    """The item that fails if `lint` finds faults in the notebook."""

    def runtest(self) -> None:
        found = lint(json.loads(self.path.read_text(encoding="utf-8")))
        if found:
            pytest.fail(
                "\n".join(f"{self.parent.nodeid}, {line}" for line in found), pytrace=False
            )

    def reportinfo(self) -> tuple[os.PathLike[str], int, str]:
        return self.path, 0, self.nodeid


class Cell(nbval.plugin.IPyNbCell):
    """A code cell that compares outputs with tolerance and names its place in the notebook."""

    @property
    def place(self) -> str:
        number = f"code cell {self.cell_num + 1} [In {self.cell.execution_count}]"
        return f"{self.parent.nodeid}, {number}"

    def runtest(self) -> None:
        if self.parent.halted:
            pytest.skip(self.parent.halted)
        try:
            super().runtest()
            if self.parent.timed_out:  # interrupted, but the cell caught it or is meant to raise
                limit = self.config.option.nbval_cell_timeout
                self.raise_cell_error(f"Timeout of {limit:g} seconds exceeded executing cell")
        except Exception as error:
            if str(error) != DIFFER:
                self.parent.halted = f"code cell {self.cell_num + 1} did not finish"
            raise
        raised = any(out.output_type == "error" for out in self.test_outputs)
        if self.options["check_exception"] and not raised:
            self.raise_cell_error("tagged raises-exception, but it raised no exception")

    def compare_outputs(
        self, test: Sequence[Any], ref: Sequence[Any], skip_compare: object = None
    ) -> bool:
        """Whether the outputs agree; the order of different kinds does not matter, as in nbval."""
        found = [*self._deviations(self._by_kind(ref), self._by_kind(test))]
        if found:
            worst = max(found, key=lambda deviation: deviation.excess)
            more = f" ({len(found) - 1} more outputs differ)" if len(found) > 1 else ""
            self.comparison_traceback = [worst.message + more]
            if worst.stored or worst.computed:
                lines = f"  stored    {worst.stored}", f"  computed  {worst.computed}"
                self.comparison_traceback += lines
        return not found

    def _deviations(
        self, stored: dict[str, list[str]], computed: dict[str, list[str]]
    ) -> Iterator[Deviation]:
        try:
            allowed = tolerance(self.cell)
        except ValueError:  # lint reports it
            allowed = {}
        for kind in dict.fromkeys([*stored, *computed]):
            ours, theirs = stored[kind], computed[kind]
            if len(ours) != len(theirs):
                what = f"{kind}: {len(ours)} stored, {len(theirs)} computed"
                show = [
                    excerpt("".join(texts), 0) if texts else "nothing" for texts in (ours, theirs)
                ]
                yield Deviation(what, inf, *show)
                continue
            for pair in zip(ours, theirs, strict=True):
                if deviation := compare_text(*pair, **allowed):
                    yield replace(deviation, message=f"{kind}, {deviation.message}")

    def _by_kind(self, outputs: Sequence[Any]) -> dict[str, list[str]]:
        """Return the texts of outputs by kind: "stdout", "stderr", "error" or a MIME type."""
        found = defaultdict(list)
        for out in outputs:
            if out.output_type == "stream":
                found[out.name].append(self.sanitize(out.text))
            elif out.output_type == "error":
                found["error"].append(self.sanitize(f"{out.ename}: {out.evalue}"))
            else:
                for kind in out.data.keys() - {WIDGET}:
                    value = out.data[kind]
                    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
                    found[kind].append(self.sanitize(text))
        return found

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:
        error = excinfo.value
        if str(error) == DIFFER:
            meant = f"if that is meant: `course refresh {self.parent.path.stem}`"
            return f"{self.place}: " + "\n".join([*self.comparison_traceback, meant])
        if isinstance(error, nbval.plugin.NbCellError):
            raised = [out for out in self.test_outputs or () if out.output_type == "error"]
            lines = [f"{self.place}: {error}"]
            lines += [f"{out.ename}: {out.evalue}"[:300] for out in raised]
            lines += unstyle(error.inner_traceback or "").splitlines()[-20:]
            return "\n".join(lines)
        if isinstance(error, RuntimeError):
            return f"{self.place}: {error}"
        return f"{self.place}: {excinfo.getrepr(style='short')}"

    def reportinfo(self) -> tuple[os.PathLike[str], int, str]:
        return self.path, 0, self.nodeid


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Use this interpreter's kernel, and keep the cells of a notebook in one worker."""
    option = config.option
    option.nbval_current_env = option.nbval_current_env or not option.nbval_kernel_name
    if getattr(option, "dist", "no") in SCATTERED:
        option.dist = "loadfile"


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: os.PathLike[str], parent: pytest.Collector) -> Iterator[None]:
    collectors = yield
    return [
        Notebook.from_parent(parent, path=found.path)
        if isinstance(found, nbval.plugin.IPyNbFile)
        else found
        for found in collectors
    ]
