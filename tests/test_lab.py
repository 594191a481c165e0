"""Every notebook in JupyterLab in Chromium: run all, move a slider, answer a question."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from statistics import median

import pytest

from course.learn.copies import start
from tests.browser import browser, free_port, watched
from tests.conftest import ROOT

pytestmark = pytest.mark.browser
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SHOTS = ROOT / "build" / "screenshots"


@pytest.fixture(scope="module")
def lab(tmp_path_factory, chromium):
    """The address of a JupyterLab on a learner's copies, with settings of its own."""
    home = tmp_path_factory.mktemp("lab")
    start(ROOT, home / "notebooks")
    port = free_port()
    folders = {
        name: str(home / name.lower())
        for name in (
            "JUPYTER_CONFIG_DIR",
            "JUPYTER_DATA_DIR",
            "JUPYTERLAB_SETTINGS_DIR",
            "JUPYTERLAB_WORKSPACES_DIR",
            "IPYTHONDIR",
        )
    }
    folders["JUPYTER_RUNTIME_DIR"] = short = tempfile.mkdtemp(prefix="lab-")  # for sockets' names
    settings = Path(folders["JUPYTERLAB_SETTINGS_DIR"]) / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text(
        json.dumps({"fetchNews": "false", "checkForUpdates": False})
    )
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *("--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"),
        *(
            "--IdentityProvider.token=",
            f"--ServerApp.root_dir={home}",
            "--ServerApp.disable_check_xsrf=True",
            "--KernelManager.transport=ipc",  # no other program can take these before the kernel
        ),
    ]
    environment = os.environ | folders | {"COURSE_HEADLESS": "1"}
    with (home / "lab.log").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(lambda: ask(f"{address}/api/status"), 60, "JupyterLab to answer")
        yield address
    finally:
        server.terminate()
        server.wait(30)
        shutil.rmtree(short)


def ask(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return json.load(answer)
    except OSError:
        return None


def wait_for(condition, seconds, what):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.2)
    raise AssertionError(f"waited {seconds} s for {what}")


def end_kernels(lab):
    for session in ask(f"{lab}/api/sessions"):
        request = urllib.request.Request(f"{lab}/api/sessions/{session['id']}", method="DELETE")
        urllib.request.urlopen(request, timeout=20).close()


def run_all(page, lab, name):
    """Open a notebook and run all of its cells; returns when the last one is done."""
    page.goto(f"{lab}/lab/tree/notebooks/{name}.ipynb?reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)

    def kernel():
        for session in ask(f"{lab}/api/sessions") or []:
            if session["path"].endswith(f"{name}.ipynb"):
                return session["kernel"]
        return None

    def idle():
        k = kernel()
        return k and k["execution_state"] == "idle" and k["connections"] > 0

    wait_for(idle, 60, "the kernel")
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    wait_for(lambda: not idle(), 30, "the run to begin")
    wait_for(idle, 180, "the run to end")


def in_view(page, selector):
    """The first element that matches, scrolled to; notebooks draw their cells as they come."""

    def find():
        found = page.locator(selector)
        if not found.count():
            page.keyboard.press("PageDown")
            return None
        found.first.scroll_into_view_if_needed()
        return found.first

    page.locator(".jp-Notebook .jp-Cell").first.click()
    page.keyboard.press("Escape")
    return wait_for(find, 40, selector)


def look(explorer):
    image = explorer.locator(".course-figure img")
    return image.get_attribute("src"), image.get_attribute("alt")


def move_every_control(page, explorer):
    """Each slider from its least to its largest value, each list and box through all of its own.

    Returns how long the figure took to follow each move, in milliseconds.
    """
    # JupyterLab may draw the view anew while it scrolls: look the picture up at every frame.
    begin = """() => {
        const shown = () => {
            const image = document.querySelector(".widget-vbox .course-figure img");
            return image && image.src + image.alt;
        };
        const [before, began] = [shown(), performance.now()];
        window.changed = new Promise((done, fail) => {
            const watch = () => {
                const now = shown();
                if (now && now !== before) done(performance.now() - began);
                else if (performance.now() - began > 3e4)
                    fail(`the figure did not follow; the focus is at
                          ${document.activeElement.outerHTML.slice(0, 300)}`);
                else requestAnimationFrame(watch);
            };
            watch();
        });
    }"""

    def moved(act):
        page.evaluate(begin)
        act()
        return page.evaluate("() => window.changed")

    took = []
    for handle in explorer.locator(".noUi-handle").all():
        # JupyterLab may take the focus away: each key is pressed where it belongs.
        if handle.get_attribute("aria-valuenow") != handle.get_attribute("aria-valuemin"):
            took.append(moved(lambda handle=handle: handle.press("Home")))
        for key in ["ArrowRight", "ArrowRight", "ArrowRight", "PageUp", "PageUp", "End"]:
            if handle.get_attribute("aria-valuenow") != handle.get_attribute("aria-valuemax"):
                took.append(moved(lambda handle=handle, key=key: handle.press(key)))
    for menu in explorer.locator("select").all():
        for n in range(menu.locator("option").count()):
            if n != menu.evaluate("menu => menu.selectedIndex"):
                took.append(moved(lambda menu=menu, n=n: menu.select_option(index=n)))
    for box in explorer.locator("input[type=checkbox]").all():
        took.append(moved(box.click))
    return took


@pytest.fixture(scope="module")
def page(chromium):
    """One page for all notebooks, as JupyterLab takes seconds to be loaded for the first time."""
    with browser(chromium) as b:
        yield watched(b, viewport={"width": 1300, "height": 1600})


@pytest.mark.parametrize("name", [path.stem for path in NOTEBOOKS])
def test_a_notebook_lives_in_jupyterlab(lab, page, name):
    page, errors, outside = page
    run_all(page, lab, name)

    shown = in_view(page, ".course-figure img")
    assert shown.get_attribute("alt"), "a figure without a text for those who can't see it"
    assert shown.evaluate("image => image.naturalWidth") > 300

    in_view(page, ".widget-vbox .course-figure img")
    explorer = page.locator(".widget-vbox", has=page.locator(".course-figure")).first
    before = look(explorer)
    milliseconds = move_every_control(page, explorer)
    assert look(explorer) != before, "figure and sentence stayed as they were"
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}_explorer.png")

    quiz = in_view(page, ".course-quiz")
    options = quiz.locator("details")
    assert options.count() >= 15
    options.nth(0).locator("summary").click()
    assert options.nth(0).get_attribute("open") is not None
    options.nth(1).locator("summary").focus()
    page.keyboard.press("Space")
    assert options.nth(1).get_attribute("open") is not None
    page.screenshot(path=SHOTS / f"{name}_quiz.png")

    print(f"{name}: {len(milliseconds)} moves, median {median(milliseconds):.0f} ms")
    end_kernels(lab)
    found = errors[:], outside[:]
    errors.clear(), outside.clear()
    assert found == ([], [])
