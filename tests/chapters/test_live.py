"""What holds for the live explorers of all chapters, in a page of the book from the disk."""

import json

import pytest

from course.draw.live import Live
from course.draw.picture import Picture
from tests.browser import watched
from tests.chapters.ch06.live import Projected
from tests.chapters.live import explorers
from tests.pages import AXE, AXE_RUN, LIGHT_AND_DARK, THEMES, sizes_of_texts, turn


def test_a_page_without_a_kernel_gets_the_still_picture_and_the_state():
    still = Picture("<svg></svg>", "a </script> in words")
    bundle, _ = Live("threads", still, words=["</script>"], row=0)._repr_mimebundle_()
    figure, script = bundle["text/html"].split(
        '<script type="application/json" class="course-live">'
    )
    assert figure == still._repr_html_()
    assert script.count("</script>") == 1 and script.endswith("</script>")
    data = json.loads(script.removesuffix("</script>"))
    assert data == {"module": "threads", "state": {"words": ["</script>"], "row": 0}}
    assert bundle["text/plain"] == "[explorer: threads] a </script> in words"
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_the_kernel_has_the_state_of_the_page():
    explorer = Projected.live()
    explorer.set_state({"state": explorer.state | {"row": 4}})  # as a message from the page does
    assert explorer.state["row"] == 4 and "state" in explorer.keys


CONTROLS = [(kind, what) for kind in explorers().values() for what in kind.CONTROLS]


@pytest.mark.browser
@pytest.mark.parametrize("kind, what", CONTROLS)
def test_every_control_leads_to_its_state(live_table, kind, what):
    kind(live_table).goes(kind.CONTROLS[what])


@pytest.mark.browser
def test_without_its_weights_the_still_picture_stays(live_address, chrome):
    page, errors, _ = watched(chrome)
    page.add_init_script("globalThis.courseWeights = Object.freeze({})")  # nothing can come in
    page.goto(live_address)
    computing = sum(bool(kind.first().weights) for kind in explorers().values())
    stills = page.locator("main .course-figure svg[role=img]")
    assert stills.count() == computing > 0 and all(still.is_visible() for still in stills.all())
    assert page.locator("div.course-live").count() == len(explorers()) - computing and not errors
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("width", (390, pytest.param(780, marks=pytest.mark.weekly), 1280))
def test_all_text_is_twelve_pixels_or_more(open_live, width):
    page = open_live(viewport={"width": width, "height": 900})
    sizes = sizes_of_texts(page, "div.course-live")
    assert len(sizes) > 80
    assert [found for found in sizes if found[0] < 12] == []


# Contrast is axe's slowest rule: one element of each kind, by tags, classes and how dark its cell is.
ONE_OF_EACH_KIND = """() => {
    const seen = new Set();
    for (const e of document.querySelectorAll("div.course-live *")) {
        let kind = "";
        for (let up = e; !up.matches("main"); up = up.parentElement)
            kind += `${up.tagName}.${up.getAttribute("class")} ${up.style.getPropertyValue("--weight").slice(0, 3)} `;
        if (seen.has(kind)) continue;
        seen.add(kind);
        e.dataset.kind = seen.size;
    }
    return seen.size;
}"""


@pytest.mark.browser
@pytest.mark.parametrize(
    "themes", [LIGHT_AND_DARK, pytest.param(THEMES, marks=pytest.mark.weekly)]
)
def test_axe_finds_nothing_in_any_theme_whatever_is_open(open_live, themes):
    page = open_live()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert not page.evaluate(AXE_RUN, [True])
    for kind in explorers().values():
        for _ in kind(page).stir():
            assert page.evaluate(ONE_OF_EACH_KIND) > 150
    for theme in themes:
        turn(page, theme)
        assert not (found := page.evaluate(AXE_RUN, [False])), (theme, found)


@pytest.mark.browser
def test_without_script_the_still_picture_stays(open_live):
    page = open_live(java_script_enabled=False)
    stills = page.locator("main .course-figure svg[role=img]")
    assert stills.count() == len(explorers()) and page.locator("div.course-live").count() == 0
    assert all(still.is_visible() and still.get_attribute("aria-label") for still in stills.all())
    assert "threads" not in page.locator("main").inner_text(), "the state is no text"
