"""Every notebook in JupyterLab in Chromium: run all, move a slider, answer a question."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request

import pytest

from course.cli import lab_environment
from course.learn.copies import start
from course.notebooks import chapters
from course.outline import WHY
from course.publish import live_talk
from tests.browser import end, listens, watched
from tests.conftest import ROOT, wait_for

pytestmark = pytest.mark.browser
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SHOTS = ROOT / "build" / "screenshots"
DESK = {"width": 1300, "height": 1600}


@pytest.fixture(scope="module")
def lab(tmp_path_factory, chromium):
    """The address of a JupyterLab on a learner's copies, with settings of its own."""
    home = tmp_path_factory.mktemp("lab")
    list(start(ROOT, home / "notebooks"))
    for path in (home / "notebooks").glob("*.ipynb"):  # how well a model learns, others look at
        path.write_text(
            re.sub(r"\bn_steps = \d+", "n_steps = 20", path.read_text("utf-8")), "utf-8"
        )
    names = ["JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"]
    names += ["JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR"]
    folders = {name: str(home / name.lower()) for name in names}
    folders["JUPYTER_RUNTIME_DIR"] = short = tempfile.mkdtemp(prefix="lab-")  # for sockets' names
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *("--ip=127.0.0.1", "--ServerApp.port=0"),
        *("--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True"),
        f"--ServerApp.root_dir={home}",
        "--expose-app-in-browser",  # so that Lab itself is loaded once, for all notebooks
        "--KernelManager.transport=ipc",  # no other program can take these before the kernel
    ]
    environment = lab_environment(os.environ | folders | {"COURSE_HEADLESS": "1"})

    log = home / "lab.log"

    def begin():
        with log.open("w") as file:
            return subprocess.Popen(command, env=environment, stdout=file, stderr=file)

    def port():
        nonlocal server
        if server.poll() is not None:  # it finds a port, and another program may take it first
            assert "already in use" in log.read_text(), log.read_text()
            server = begin()
        return listens(server)

    server = begin()
    try:
        yield f"http://127.0.0.1:{wait_for(port, 'JupyterLab to listen')}"
    finally:
        end(server)
        shutil.rmtree(short)


def run(page, name, much):
    """Open a notebook; run all of it, or all above its explorer, or its imports; the explorer, the quiz.

    One kernel serves all, emptied each time: a new one would import torch for seconds.
    """
    page.evaluate(
        """async ([path, much]) => {
            const {commands} = window.jupyterapp;
            const kernel = window.kernel && {id: window.kernel};
            const {content, sessionContext} = await commands.execute(
                "docmanager:open", {path, kernel});
            await sessionContext.ready;
            const mine = sessionContext.session.kernel;
            await mine.info;
            if (kernel && mine.id !== kernel.id) throw new Error("a second kernel has started");
            window.kernel = mine.id;
            await mine.requestExecute({code: "%reset -f"}).done;
            await commands.execute("notebook:expand-all-headings");  // what is Deeper
            if (much === "all") return commands.execute("notebook:run-all-cells");
            const cells = content.widgets.map(cell => cell.model);
            const explorer = cells.findIndex(
                cell => cell.getMetadata("tags")?.includes("explorer"));
            const imports = cells.findIndex(cell => cell.type === "code");
            content.activeCellIndex = much === "above" ? explorer : imports + 1;
            await commands.execute("notebook:run-all-above");
            content.activeCellIndex = explorer;
            await commands.execute("notebook:run-cell");
            content.activeCellIndex = cells.findLastIndex(
                cell => cell.type == "code" && cell.sharedModel.source.startsWith("quiz("));
            await commands.execute("notebook:run-cell");
        }""",
        [f"notebooks/{name}.ipynb", much],
    )


def in_view(page, holds, selector):
    """What `selector` matches in the first cell that holds a text, scrolled to.

    Notebooks draw their cells only as they come into view.
    """
    page.evaluate(
        """holds => {
            const notebook = window.jupyterapp.shell.currentWidget.content;
            const i = notebook.widgets.findIndex(cell =>
                JSON.stringify(cell.model.toJSON()).includes(holds));
            if (i < 0) throw new Error(`no cell holds ${holds}`);
            notebook.scrollToItem(i, "start").catch(() => {});
        }""",
        holds,
    )
    found = page.locator(selector).first
    found.scroll_into_view_if_needed()
    return found


def moved(look, act):
    """Do something, after which what is looked at has to change."""
    before = look()
    act()
    wait_for(lambda: look() not in (None, before), "the explorer to follow")


def move_every_control(page, explorer):
    """Each slider from its least to its largest value, each list and box to another and back.

    JupyterLab may draw the view anew while it scrolls, and take the focus away: the picture is looked
    up each time, and each key is pressed where it belongs.
    """

    def shown():
        return page.evaluate("""() => {
            const image = document.querySelector(".widget-vbox .course-figure img");
            return image && image.src + image.alt;
        }""")

    handles, menus = explorer.locator(".noUi-handle").all(), explorer.locator("select").all()
    boxes = explorer.locator("input[type=checkbox]").all()
    assert handles or menus or boxes, "it has no control"
    for handle in handles:
        for key in ("Home", "ArrowRight", "PageUp", "End"):
            last = "aria-valuemin" if key == "Home" else "aria-valuemax"
            if handle.get_attribute("aria-valuenow") != handle.get_attribute(last):
                moved(shown, lambda handle=handle, key=key: handle.press(key))
    for menu in menus:
        for n in {1, menu.locator("option").count() - 1, 0}:
            if n != menu.evaluate("menu => menu.selectedIndex"):
                moved(shown, lambda menu=menu, n=n: menu.select_option(index=n))
    for box in boxes:
        moved(shown, box.click)


def move_live(page):
    """By keys that JupyterLab could take for its own; a mouse does the same here as in the book."""
    parts = "div.course-live :is(.handle, [data-cell], textarea), div.course-heads button"
    part = in_view(page, "course-live", parts)
    explorer = page.locator("div.course-live").first
    for box in explorer.locator("input[type=checkbox]").all()[-1:]:
        moved(explorer.inner_html, box.click)  # else 08 says, rightly, that nothing follows
    opening = explorer.locator("[role=status]").first.text_content()
    if explorer.locator("textarea").count():
        keys = ("x", "j", "Enter", "k", "Backspace", "d", "d")  # some delete a cell elsewhere
    elif explorer.locator(".handle").count():
        keys = ("ArrowRight", "ArrowUp")
    else:
        keys = ("ArrowRight", "Space") if part.get_attribute("data-cell") else ("Enter",)
    part.focus()
    for key in keys:
        moved(explorer.inner_html, lambda key=key: page.keyboard.press(key))
    if "j" in keys:
        assert part.input_value().endswith("xj\ndd")
    assert explorer.locator("[role=status]").first.text_content() != opening, (
        "it says what it said"
    )


@pytest.fixture(scope="module")
def page(lab, chrome):
    """One page for all notebooks, as JupyterLab takes seconds to be loaded."""
    page, *found = watched(chrome, viewport=DESK)
    page.goto(f"{lab}/lab?reset")
    page.wait_for_function("() => window.jupyterapp?.restored")
    return page, *found


@pytest.fixture
def desk(page):
    """The page, from which a notebook is gone afterwards, whatever became of its test."""
    yield page
    page, errors, outside = page
    page.mouse.up()
    page.evaluate(
        """async () => {
            const {commands} = window.jupyterapp;
            await commands.execute("deck:stop");
            await commands.execute("docmanager:save");
            await commands.execute("application:close");
        }"""
    )
    page.set_viewport_size(DESK)
    errors.clear(), outside.clear()


# Of each kind a run: all of a notebook with a widget, and a live explorer with weights and a field for
# text, which needs imports alone; all others, which say the same of other figures, once a week.
MOVING = [("00_start_here", "all"), ("14_reading_attention", "imports")]
MOVING += [
    pytest.param(path.stem, "above", marks=pytest.mark.weekly)
    for path in NOTEBOOKS
    if path.stem[:2] not in ("00", "A1", "A2", "A3", "A4")  # the last are tables
]


@pytest.mark.parametrize(("name", "much"), MOVING)
def test_a_notebook_lives_in_jupyterlab(desk, name, much):
    page, errors, outside = desk
    run(page, name, much)

    cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text("utf-8"))["cells"]
    outputs = [f"{cell.get('outputs')}" for cell in cells]
    live = any('class="course-live"' in output for output in outputs)
    first = next(output for output in outputs if "course-figure" in output)
    if much != "imports" and "course-live" not in first:
        shown = in_view(page, "course-figure", ".course-figure img")  # in 03 they need a training
        assert shown.get_attribute("alt"), "a figure without a text for those who can't see it"
        assert shown.evaluate("image => image.naturalWidth") > 300

    why = in_view(page, WHY, f".jp-RenderedMarkdown details:has-text('{WHY}')")
    said = why.locator("p").first
    assert not said.is_visible(), "the answer stands below its question"
    why.locator("summary").click()
    assert said.is_visible() and said.inner_text()

    if live:
        move_live(page)
    else:
        in_view(page, "jupyter.widget-view", ".widget-vbox .course-figure img")
        explorer = page.locator(".widget-vbox", has=page.locator(".course-figure")).first
        move_every_control(page, explorer)
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}_explorer.png")

    quiz = in_view(page, "course-quiz", ".course-quiz")
    options = quiz.locator("details")
    assert options.count() >= 15
    options.nth(0).locator("summary").click()
    assert options.nth(0).get_attribute("open") is not None
    options.nth(1).locator("summary").focus()
    page.keyboard.press("Space")
    assert options.nth(1).get_attribute("open") is not None
    page.screenshot(path=SHOTS / f"{name}_quiz.png")

    assert not page.locator(".Toastify__toast").count(), "JupyterLab asks whether to fetch news"
    assert not errors and not outside


HERE = "window.jupyterapp.shell.currentWidget.content.activeCellIndex"


@pytest.mark.weekly
def test_live_slides_are_read_from_the_back_row_and_their_explorer_moves(desk, lab, tmp_path):
    """What `make present` opens: jupyterlab-slideshow, on the slides of the talk."""
    [path] = (path for path in chapters(ROOT) if path.name.startswith("04"))
    live_talk.write([path], tmp_path)
    content = {"type": "notebook", "format": "json", "content": json.loads(
        (tmp_path / path.name).read_text(encoding="utf-8"))}  # fmt: skip
    request = urllib.request.Request(
        f"{lab}/api/contents/notebooks/live.ipynb", json.dumps(content).encode(), method="PUT"
    )
    urllib.request.urlopen(request).close()
    page, errors, outside = desk
    page.set_viewport_size({"width": 1280, "height": 720})
    run(page, "live", "above")
    page.evaluate("window.jupyterapp.shell.currentWidget.content.activeCellIndex = 0")
    page.locator('[data-command="deck:toggle"]').first.click()
    title = page.locator("h1", has_text="average the past").first
    title.wait_for()
    size = "e => parseFloat(getComputedStyle(e).fontSize)"
    assert page.locator(".jp-deck-mod-visible em").first.evaluate(size) >= 28
    cells = content["content"]["cells"]
    explorer = next(n for n, c in enumerate(cells) if "explorer" in c["metadata"].get("tags", []))
    while (here := page.evaluate(HERE)) < explorer - 1:  # the words above it begin its slide
        page.keyboard.press("ArrowRight")
        wait_for(lambda: page.evaluate(HERE) > here, "the next slide")
    page.locator(".jp-deck-mod-visible .noUi-handle").first.wait_for()
    wait_for(lambda: not title.is_visible(), "a slide, not the whole notebook")
    image = page.locator(".widget-vbox", has=page.locator(".noUi-handle")).first.locator("img")
    wait_for(lambda: image.bounding_box()["width"] >= 1000, "a figure on all of the slide")
    before = image.get_attribute("src")
    page.locator(".widget-slider .noUi-handle").first.press("ArrowRight")
    wait_for(lambda: image.get_attribute("src") != before, "the figure to change")
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / "slides_live.png")
    assert not errors and not outside
