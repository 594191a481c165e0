"""What the plugin lets pass and what it refuses, on small notebooks run once by a real pytest."""

import json
import os
import shutil
import subprocess
import sys
from base64 import b64encode
from io import BytesIO
from queue import Empty
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.image import imsave

from course.check import nbval_plugin
from course.check.nbval_plugin import pytest_configure
from course.notebooks import contents
from tests.conftest import ROOT
from tests.course.test_check import code, stream


def display(**data):
    mimes = {"plain": "text/plain", "html": "text/html", "png": "image/png"}
    data = {mimes.get(key, key): value for key, value in data.items()}
    return {"output_type": "display_data", "metadata": {}, "data": data}


def error(name, value):
    return {"output_type": "error", "ename": name, "evalue": value, "traceback": []}


def write(path, *cells, counts=True):
    for number, cell in enumerate(cells, 1):
        cell["id"], cell["execution_count"] = f"cell-{number}", number if counts else None
    kernel = {"name": "no-such-kernel", "display_name": "None"}
    whole = {
        "cells": cells,
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": kernel, "course": {"cells": contents({"cells": cells})}},
    }
    path.write_text(json.dumps(whole))


def drawn(number, bar="60.0"):
    """A figure as a cell shows it."""
    svg = f"<svg><path d='M 10.0 40.0 L {bar} 40.0'/><text x='9.5' y='8.0'>{number}</text></svg>"
    return b64encode(svg.encode()).decode()


def pixels(bar=0):
    image, file = np.ones((20, 40, 3)), BytesIO()
    image[5:10, 5 : 20 + bar] = 0
    imsave(file, image, format="png")
    return b64encode(file.getvalue()).decode()


RAISES = ["raises-exception"]
TRAINED = {"atol": 0.05, "reason": "trained for 300 steps"}
IMAGE = "<IPython.core.display.Image object>"
HTML = '<p>weight {}</p><img src="data:image/svg+xml;base64,{}" alt="a bar">'
IMPORT = "from base64 import b64decode\nfrom IPython.display import HTML, Image\n"
SHOW = f"{IMPORT}display(Image(b64decode('{pixels()}')))"
SLIDER = "import ipywidgets\nipywidgets.IntSlider(value=3)"
ENVIRONMENT = "COURSE_HEADLESS PYTHONHASHSEED OMP_NUM_THREADS ATTENTION_MODE"

WHERE = """import json  # a free TCP port may be taken before it is bound (jupyter_client issue 154)
from ipykernel.connect import get_connection_info
where = get_connection_info(unpack=True)
folder = where["ip"].rpartition("/")[0]
print(where["transport"], get_ipython().ipython_dir.startswith(folder))"""

SAME = {
    "numbers": code("print('loss', 0.1250, 3)", stream("loss 0.1251 3\n")),
    "tolerance": code("print(2.31)", stream("2.35\n"), tolerance=TRAINED),
    "exception": code("1 / 0", error("ZeroDivisionError", "division by zero"), tags=RAISES),
    "ignored": code("print(id(3))", stream("9\n"), tags=["nbval-ignore-output"], reason="address"),
    "image": code(SHOW, display(plain=IMAGE, png=pixels())),
    "html": code(
        f"display(HTML('''{HTML.format('0.1250', drawn('0.1250'))}'''))",
        display(
            plain="<IPython.core.display.HTML object>",
            html=HTML.format("0.1251", drawn("0.1251", bar="60.1")),
        ),
    ),
    "widget": code(SLIDER, display(plain="IntSlider(value=3)")),
    "order": code("print(1); _ = display(2)", display(plain="2"), stream("1\n")),
    "json": code(
        "display({'application/json': {'b': 0.1250, 'a': 1}}, raw=True)",
        display(**{"application/json": {"a": 1, "b": 0.1251}}),
    ),
    "environment": code(
        f"import os\nprint(*(os.environ.get(name) for name in '{ENVIRONMENT}'.split()))",
        stream("1 0 1 kept\n"),
    ),
    "socket and settings": code(
        WHERE, stream("ipc True\n" if os.name == "posix" else "tcp True\n")
    ),
    "shell and home": code(
        "import matplotlib\nprint('mine' in globals(), matplotlib.rcParams['lines.linewidth'])",
        stream("False 1.5\n"),
    ),
    "interpreter": code("import sys\nprint(sys.prefix)", stream(sys.prefix + "\n")),
}
WARN = "import warnings\nwarnings.simplefilter('always')\nwarnings.warn('careful', stacklevel=2)"
DIFFER = {
    "a float": (
        code("print(0.7, 2.0)\nprint(0.4141)", stream("0.7 2.0\n0.4133\n")),
        "stdout, line 2: largest deviation 0.0008 (stored 0.4133, computed 0.4141, "
        "allowed 0.0004133)\n  stored    '0.4133\\n'\n  computed  '0.4141\\n'",
    ),
    "text": (code("print('To be')", stream("To bee\n")), "stdout, line 1: text differs"),
    "new stderr": (code(WARN), "stderr: 0 stored, 1 computed\n  stored    nothing\n  computed  '"),
    "lost output": (code("x = 1", stream("1\n")), "stdout: 1 stored, 0 computed\n  stored    '1"),
    "no exception": (code("1", error("E", "v"), tags=RAISES), "error: 1 stored, 0 computed"),
    "no exception, ignored": (
        code("x", error("E", "v"), tags=[*RAISES, "nbval-ignore-output"], reason="shown"),
        "tagged raises-exception, but it raised no exception",
    ),
    "another exception": (
        code("1 / 0", error("ZeroDivisionError", "division by 0"), tags=RAISES),
        "error, line 1: text differs",
    ),
    "image": (
        code(SHOW, display(plain=IMAGE, png=pixels(4))),
        "image/png, image: pixel (20, 5) changed by 255/255",
    ),
    "a moved bar of a figure": (
        code(
            f"display(HTML('''{HTML.format('0.1250', drawn('0.1250'))}'''))",
            display(
                plain="<IPython.core.display.HTML object>",
                html=HTML.format("0.1250", drawn("0.1250", bar="60.3")),
            ),
        ),
        "text/html, line 1: largest deviation 0.3 (stored 60.3, computed 60.0, allowed 0.1)",
    ),
    "widget": (
        code(SLIDER, display(plain="IntSlider(value=4)")),
        "text/plain, line 1: largest deviation 1 (stored 4, computed 3",
    ),
    "two outputs": (
        code("print(0.5)\n_ = display(7)", stream("0.9\n"), display(plain="8")),
        "text/plain, line 1: largest deviation 1 (stored 8, computed 7, allowed 0) "
        "(1 more outputs differ)",
    ),
    "tolerance": (code("print(2.31)", stream("2.41\n"), tolerance=TRAINED), "allowed 0.05)"),
    "no reason": (code("print(2.31)", stream("2.35\n"), tolerance={"atol": 1}), "allowed 0.01)"),
}
LAST = code("print('last')", stream("last\n"))
PASS = code("x = 1")
HALTING = {
    "raises": (
        code("print(undefined)", stream("1\n")),
        "Cell execution caused an exception\nNameError: name 'undefined' is not defined",
    ),
    "raises_much": (code("raise ValueError('much' * 999)"), f"\nValueError: {'much' * 72}\n"),
    "dead": (code("import os\nos._exit(3)"), "the kernel died"),
}
MAY_RAISE = {"tags": [*RAISES, "nbval-ignore-output"], "reason": "shown"}
HUNG = {
    "hung": (code("hang"), "Timeout of 7 seconds exceeded executing cell"),
    "hung_but_may_raise": (
        code("hang", error("E", "v"), **MAY_RAISE),
        "Timeout of 7 seconds exceeded executing cell",
    ),
    "deaf": (code("deaf"), "Failed to interrupt kernel in 5 seconds"),
}


class Hung:
    """Stands for a kernel whose cell `hang` ends when it is interrupted, and `deaf` never."""

    def __init__(self, name, cwd, startup_timeout):
        self.running = ""

    def is_alive(self):
        return True

    def execute_cell_input(self, source, allow_stdin):
        self.running = source
        return "message"

    def await_reply(self, message, timeout):
        if self.running in ("hang", "deaf"):
            raise Empty

    def get_message(self, stream, timeout):
        if self.running == "deaf":
            raise Empty
        idle = {"execution_state": "idle"}
        return {"msg_type": "status", "parent_header": {"msg_id": "message"}, "content": idle}

    def interrupt(self):
        """Nothing runs."""

    stop = interrupt


def command(folder, *options):
    """The arguments of pytest in a folder that has the settings of our notebooks."""
    shutil.copy(ROOT / "notebooks" / "pytest.ini", folder)
    return [str(a) for a in ("--nbval", f"--junitxml={folder}/report.xml", *options, folder)]


def run(folder, *options, **environment):
    """Each item's outcome and report, by notebook and name; and what pytest said."""
    known = {k: v for k, v in os.environ.items() if k not in ENVIRONMENT.split()}
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "--color=no", *command(folder, *options)],
        env=known | environment, capture_output=True, text=True,
    )  # fmt: skip
    return outcomes(folder), finished.stdout + finished.stderr


def outcomes(folder):
    items = {}
    for case in ElementTree.parse(folder / "report.xml").iter("testcase"):
        children = [c for c in case if c.tag in ("failure", "error", "skipped")]
        outcome = children[0].tag if children else "passed"
        report = (children[0].text or "") if children else ""
        key = case.get("classname"), case.get("name")
        items[key] = SimpleNamespace(outcome=outcome, report=report)
    return items


def settings(home):
    """The environment of a reader who has set whatever can be set."""
    startup = home / ".ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "mine.py").write_text("mine = 1")
    (home / "matplotlibrc").write_text("lines.linewidth: 7")
    files = {"PYTHONSTARTUP": startup / "mine.py", "MATPLOTLIBRC": home / "matplotlibrc"}
    places = dict.fromkeys(("HOME", "VIRTUAL_ENV", "PYTHONPATH", "MPLCONFIGDIR"), home)
    strange = {"LC_ALL": "tr_TR.ISO-8859-9", "TZ": "Asia/Kathmandu", "COLUMNS": "20"}
    return {k: str(v) for k, v in (files | places | strange | {"MPLBACKEND": "none"}).items()}


@pytest.fixture(scope="module")
def items(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebooks")
    write(folder / "same.ipynb", *SAME.values())
    write(folder / "differ.ipynb", *(cell for cell, _ in DIFFER.values()), LAST)
    write(folder / "unrun.ipynb", code("print(1)"), counts=False)
    for name, (cell, _) in HALTING.items():
        write(folder / f"{name}.ipynb", PASS, cell, dict(PASS))
    reader = settings(tmp_path_factory.mktemp("home"))
    return run(folder, "-n", "2", ATTENTION_MODE="kept", **reader)[0]


@pytest.mark.parametrize("name", SAME)
def test_passes(items, name):
    item = items["same.ipynb", f"code cell {[*SAME].index(name) + 1}"]
    assert item.outcome == "passed", item.report


def test_lint_pass(items):
    assert items["same.ipynb", "lint"].outcome == "passed"


@pytest.mark.parametrize("name", DIFFER)
def test_refuses(items, name):
    number = [*DIFFER].index(name) + 1
    item = items["differ.ipynb", f"code cell {number}"]
    assert item.outcome == "failure"
    assert item.report.startswith(f"differ.ipynb, code cell {number} [In {number}]: ")
    assert DIFFER[name][1] in item.report
    assert len(item.report) < 700


def test_a_mismatch_says_what_stores_the_new_output(items):
    report = items["differ.ipynb", "code cell 1"].report
    assert report.rstrip().endswith("\nif that is meant: `course refresh differ`"), report


def test_a_mismatch_lets_later_cells_run(items):
    assert items["differ.ipynb", f"code cell {len(DIFFER) + 1}"].outcome == "passed"


def test_lint_name_the_notebook(items):
    item = items["differ.ipynb", "lint"]
    assert item.outcome == "failure"
    assert item.report.startswith("differ.ipynb, code cell 13: tolerance is {'atol': 1}: expected")
    assert items["unrun.ipynb", "code cell 1"].outcome == "passed"  # nbval's hole
    assert "unrun.ipynb, code cell 1: execution count" in items["unrun.ipynb", "lint"].report


@pytest.mark.parametrize("name", HALTING)
def test_what_does_not_finish_stops_the_notebook(items, name):
    assert_halted(items, name, HALTING[name][1])


def test_what_hangs_stops_the_notebook(tmp_path, monkeypatch):
    for name, (cell, _) in HUNG.items():
        write(tmp_path / f"{name}.ipynb", PASS, cell, dict(PASS))
    monkeypatch.setattr(nbval_plugin, "Kernel", Hung)
    quiet = "--nbval-cell-timeout=7", "-p", "no:faulthandler", "--capture=no"
    pytest.main(command(tmp_path, *quiet))
    for name, (_, sentence) in HUNG.items():
        assert_halted(outcomes(tmp_path), name, sentence)


def test_a_kernel_that_lives_is_waited_for_until_the_time_is_over(monkeypatch):
    heard = iter([Empty(), Empty(), "late", Empty()])

    def get_message(self, stream, timeout):
        if isinstance(message := next(heard), Empty):
            raise message
        return message

    monkeypatch.setattr(nbval_plugin.nbval.plugin.RunningKernel, "get_message", get_message)
    monkeypatch.setattr(nbval_plugin.Kernel, "is_alive", lambda self: True)
    kernel = object.__new__(nbval_plugin.Kernel)
    assert kernel.get_message("iopub") == "late"
    with pytest.raises(Empty):
        kernel.get_message("iopub", timeout=0)


def assert_halted(items, name, sentence):
    before, cell, after = (items[f"{name}.ipynb", f"code cell {n}"] for n in (1, 2, 3))
    assert [before.outcome, cell.outcome, after.outcome] == ["passed", "failure", "skipped"]
    assert cell.report.startswith(f"{name}.ipynb, code cell 2 [In 2]: ")
    assert sentence in cell.report
    assert "code cell 2 did not finish" in after.report


def starts_badly(folder, command, timeout=60):
    """Run a notebook on a kernel that a shell command stands for, and what pytest said of it."""
    kernel = folder / "kernels" / "broken"
    kernel.mkdir(parents=True)
    argv = ["sh", "-c", command, sys.executable, "{connection_file}"]
    spec = {"argv": argv, "display_name": "broken", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(spec))
    write(folder / "01.ipynb", PASS)
    options = "--nbval-kernel-name=broken", f"--nbval-kernel-startup-timeout={timeout}"
    items, said = run(folder, *options, JUPYTER_PATH=str(folder))
    return items["01.ipynb", "code cell 1"], said


def test_a_kernel_that_does_not_start_names_the_notebook(tmp_path):
    item, _ = starts_badly(tmp_path, "exec sleep 600", timeout=1)
    assert item.outcome == "error"
    message = "Kernel didn't respond in 1 seconds"
    assert item.report == f"01.ipynb: its kernel did not start: {message}"


def test_a_kernel_that_dies_says_what_it_wrote(tmp_path):
    item, _ = starts_badly(tmp_path, "echo no room left >&2; exit 1")
    assert item.outcome == "error"
    assert "did not start: Kernel died before replying to kernel_info\nno room left" in item.report


def configured(**given):
    """The options after the plugin has seen them, where the command line names no notebook."""
    known = {"nbval": False, "nbval_lax": False, "nbval_current_env": False}
    option = SimpleNamespace(**known | {"nbval_kernel_name": None, "dist": "no"} | given)
    pytest_configure(SimpleNamespace(option=option))
    return option


def test_this_environments_kernel_where_the_command_line_names_none():
    assert configured().nbval_current_env
    assert not configured(nbval_kernel_name="r").nbval_current_env


@pytest.mark.parametrize(
    ("asked", "done"),
    [("load", "loadfile"), ("worksteal", "loadfile"), ("each", "each"), ("no", "no")],
)
def test_the_cells_of_a_notebook_stay_together(asked, done):
    assert configured(dist=asked).dist == done
