"""Every notebook in JupyterLab in Chromium: run all, move a slider, answer a question."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import pytest

from course.learn.copies import start
from course.notebooks import chapters
from course.outline import WHY
from course.publish import live_talk
from tests.browser import browser, end, listens, wait_for, watched
from tests.conftest import ROOT

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
        *("--ip=127.0.0.1", "--ServerApp.port=0"),
        *(
            "--IdentityProvider.token=",
            "--expose-app-in-browser",  # so that Lab itself is loaded once, for all notebooks
            f"--ServerApp.root_dir={home}",
            "--ServerApp.disable_check_xsrf=True",
            "--KernelManager.transport=ipc",  # no other program can take these before the kernel
        ),
    ]
    environment = os.environ | folders | {"COURSE_HEADLESS": "1"}

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


def run(page, name, whole):
    """Open a notebook; run all of it, or what its explorer needs, the explorer and the quiz.

    One kernel serves all, emptied each time: a new one would import torch for seconds.
    """
    page.evaluate(
        """async ([path, whole]) => {
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
            if (whole) return commands.execute("notebook:run-all-cells");
            const cells = content.widgets.map(cell => cell.model);
            content.activeCellIndex = cells.findIndex(
                cell => cell.getMetadata("tags")?.includes("explorer"));
            await commands.execute("notebook:run-all-above");
            await commands.execute("notebook:run-cell");
            content.activeCellIndex = cells.findLastIndex(
                cell => cell.type == "code" && cell.sharedModel.source.startsWith("quiz("));
            await commands.execute("notebook:run-cell");
        }""",
        [f"notebooks/{name}.ipynb", whole],
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


def move_every_control(page, explorer):
    """Each slider from its least to its largest value, each list and box to another and back.

    Returns how many moves the figure has followed.
    """
    # JupyterLab may draw the view anew while it scrolls: look the picture up each time.
    begin = """() => {
        const shown = () => {
            const image = document.querySelector(".widget-vbox .course-figure img");
            return image && image.src + image.alt;
        };
        const [before, began] = [shown(), performance.now()];
        window.changed = new Promise((done, fail) => {
            const watch = () => {
                const now = shown();
                if (now && now !== before) done(1);
                else if (performance.now() - began > 12e4) // a hang, with its reason
                    fail(`the figure did not follow; the focus is at
                          ${document.activeElement.outerHTML.slice(0, 300)}`);
                else setTimeout(watch, 20);
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
        for key in ["ArrowRight", "PageUp", "End"]:
            if handle.get_attribute("aria-valuenow") != handle.get_attribute("aria-valuemax"):
                took.append(moved(lambda handle=handle, key=key: handle.press(key)))
    for menu in explorer.locator("select").all():
        for n in {1, menu.locator("option").count() - 1, 0}:
            if n != menu.evaluate("menu => menu.selectedIndex"):
                took.append(moved(lambda menu=menu, n=n: menu.select_option(index=n)))
    for box in explorer.locator("input[type=checkbox]").all():
        took.append(moved(box.click))
    return sum(took)


PARTS = "div.course-live :is(.handle, [data-cell], textarea), div.course-heads button"
PRESSED = """e => addEventListener("pointerdown",
    (event) => { window.held = e.contains(event.target); }, { capture: true, once: true })"""


def grasp(page, part, grip):
    """Press the mouse on a part, and where: JupyterLab may scroll it away from under the hand."""

    def held():
        place = grip.bounding_box()
        x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
        part.evaluate(PRESSED)
        page.mouse.move(x, y)
        page.mouse.down()
        if page.evaluate("window.held"):
            return x, y
        page.mouse.up()

    return wait_for(held, "a press to reach the handle")


def move_live(page):
    """Drag a handle of a live explorer, paint its cells, press its buttons or type: it follows."""
    part = in_view(page, "course-live", PARTS)
    explorer = page.locator("div.course-live").first
    says = explorer.locator("[role=status]")

    def moved(act):
        before = explorer.inner_html()
        act()
        wait_for(lambda: explorer.inner_html() != before, "the explorer to follow")

    for box in explorer.locator("input[type=checkbox]").all()[-1:]:
        moved(box.click)  # else 08 says, rightly, that nothing follows
    opening = says.text_content()

    if explorer.locator("textarea").count():
        part.focus()
        for key in ("x", "j", "Enter", "k", "Backspace", "d", "d"):  # some delete a cell elsewhere
            moved(lambda key=key: page.keyboard.press(key))
        explorer.get_by_role("button", name="block 1, head 2").click()
        wait_for(lambda: "Block 1, head 2" in says.text_content(), "the other head")
        assert part.input_value().endswith("xj\ndd") and says.text_content() != opening
        return

    painted = part.get_attribute("data-cell")
    if not (painted or explorer.locator(".handle").count()):
        for name in ("6 heads", "1 head", "output of 'Your'", "3 heads", "output of 'step'"):
            button = explorer.get_by_role("button", name=name).first
            moved(lambda button=button: button.press("Enter"))
        assert says.text_content() != opening, "the sentence stayed as it was"
        return
    part.focus()
    keys = ("ArrowRight", "Space") if painted else ("ArrowUp", "ArrowLeft", "ArrowDown")
    for key in ("ArrowRight", *keys):  # which JupyterLab would take for its own
        moved(lambda key=key: page.keyboard.press(key))
    grip = part if painted else part.locator(".grip")
    x, y = grasp(page, part, grip)
    for far in (30, 60, 90):
        moved(lambda far=far: page.mouse.move(x + far / 2, y + far, steps=2))
    page.mouse.up()
    assert says.text_content() != opening, "the sentence stayed as it was"


@pytest.fixture(scope="module")
def page(lab, chromium):
    """One page for all notebooks, as JupyterLab takes seconds to be loaded."""
    with browser(chromium) as b:
        page, *found = watched(b, viewport=DESK)
        page.goto(f"{lab}/lab?reset")
        page.wait_for_function("() => window.jupyterapp?.restored")
        yield page, *found


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
# text; all others, which say the same of other figures, once a week.
EACH_KIND = ("00", "14")
MOVING = [
    pytest.param(path.stem, marks=[] if path.stem[:2] in EACH_KIND else [pytest.mark.weekly])
    for path in NOTEBOOKS
    if path.stem[:2] not in ("A1", "A2", "A3", "A4")  # tables
]


@pytest.mark.parametrize("name", MOVING)
def test_a_notebook_lives_in_jupyterlab(desk, name):
    page, errors, outside = desk
    run(page, name, whole=name.startswith("00"))

    cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text("utf-8"))["cells"]
    outputs = [f"{cell.get('outputs')}" for cell in cells]
    live = any('class="course-live"' in output for output in outputs)
    if "course-live" not in next(output for output in outputs if "course-figure" in output):
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
        assert move_every_control(page, explorer), "it has no control"
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

    assert not errors and not outside


HERE = "window.jupyterapp.shell.currentWidget.content.activeCellIndex"


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
    run(page, "live", whole=False)
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
