"""The story model that writes in a page, from the disk: its still picture, its words, its controls."""

from itertools import pairwise

import pytest
import torch

from attention.generation import generate
from attention.sampling import next_probabilities
from chapters.ch13.writer import BEGINNING, story_writer
from chapters.ch14.interventions import ablated
from course.publish.mdbook import build
from tests.pages import axe_finds_nothing_within, cell, course, explored

pytestmark = pytest.mark.browser

STILL, MOVING = {"reduced_motion": "reduce"}, {"reduced_motion": "no-preference"}


@pytest.fixture(scope="module")
def addresses(tmp_path_factory):
    """The pages of a writer, of one with switches, and of one that draws as it is told."""
    writers = {"live": {}, "off": {"switches": True}, "drawn": {"sampling": True}}
    pages = {
        name: [cell("# Live"), explored(story_writer(**how))] for name, how in writers.items()
    }
    root = course(tmp_path_factory.mktemp("writer") / "course", **pages)
    build(root)
    return {name: (root / "build" / "book" / f"{name}.html").as_uri() for name in pages}


@pytest.fixture
def opened(addresses, visit):
    """A function that opens the page of a writer."""

    def load(before=lambda page: None, name="live", **options):
        page = visit(addresses[name], before, **options)
        if options.get("java_script_enabled", True):
            page.evaluate("window.liveReady")
        return page

    return load


def written(page):
    """Wait until no word is missing that a change makes it write anew."""
    page.wait_for_selector(".text p[aria-busy=false]")


def story(page):
    """What is read so far, without the mark of its start."""
    written(page)
    return page.locator(".text p").inner_text().removeprefix("start").replace(" .", ".")


def press(page, name, times=1):
    for _ in range(times):
        page.get_by_role("button", name=name, exact=True).click()


def tokens(page):
    return page.locator(".text [role=option]")


def bars(page):
    """The chances of the next tokens, as they are drawn."""
    cells = page.locator("table.next td[data-value]")
    return torch.tensor(cells.evaluate_all("all => all.map(cell => Number(cell.dataset.value))"))


def arcs(page):
    return page.locator(".text path").count()


def test_without_scripts_a_true_picture_stands_there(opened, trained):
    model, tokenizer = trained
    ids = torch.tensor([tokenizer.encode("\n" + BEGINNING)])
    logits, maps = model.forward_with_weights(ids)
    picture = opened(java_script_enabled=False).locator(".course-figure svg")
    says = picture.get_attribute("aria-label")
    assert BEGINNING in says.replace("&quot;", '"')
    assert f"{maps[:, 0, :, -1].max():.2f}, in head" in says
    chance, best = logits[0, -1].softmax(dim=-1).max(dim=-1)
    assert f"'{tokenizer.decode([best]).strip()}', with {100 * chance:.1f} %" in says
    drawn = (
        picture.locator("path[fill=none]").count() + picture.locator("[fill=none] path").count()
    )
    assert drawn >= int((maps[:, 0, :, -1] >= 0.25).sum()) > 2


def test_it_stands_still_for_those_who_ask_for_that(opened):
    page = opened(lambda page: page.clock.install(), **STILL)
    assert story(page) == BEGINNING
    page.clock.run_for(20_000)
    assert story(page) == BEGINNING
    press(page, "Write")
    page.clock.run_for(20_000)
    assert story(page).startswith(f"{BEGINNING} Mira flew ")


def test_it_writes_by_itself_until_it_is_paused(opened):
    page = opened(lambda page: page.clock.install(), **MOVING)
    page.clock.run_for(1000)
    press(page, "Pause")
    first = story(page)
    assert first.startswith(f"{BEGINNING} Mira")
    page.clock.run_for(20_000)
    assert story(page) == first


def test_a_story_that_is_rewritten_at_its_end_stays_as_long_as_any(opened):
    page = opened(lambda page: page.clock.install(), **MOVING)
    while page.locator(".text .edge").count() < 2:  # its start and its end
        page.clock.run_for(500)
    press(page, "Tom")
    page.clock.run_for(1500)
    ended = story(page)
    assert " Tom " in ended and ended.endswith("end")
    page.clock.run_for(2500)
    assert story(page) == ended
    page.clock.run_for(3000)
    assert story(page) != ended, "the next one"


def test_its_buttons_stay_where_they_are_while_the_story_grows(opened):
    page = opened(**STILL, viewport={"width": 1440, "height": 900})
    button = page.get_by_role("button", name="One token", exact=True)
    below = page.get_by_role("textbox", name="The story begins")
    before, field = button.bounding_box(), below.bounding_box()
    press(page, "One token", 60)
    assert len(story(page)) > len(BEGINNING) + 150
    assert button.bounding_box() == before and below.bounding_box() == field
    table = page.locator(".side").bounding_box()
    assert before["x"] < table["x"] and before["y"] < table["y"] + table["height"]


def test_another_name_at_the_beginning_changes_later_words(opened, trained):
    page = opened(**STILL)
    press(page, "One token", 6)
    assert story(page) == f"{BEGINNING} Mira flew bored her, so"
    press(page, "Tom")
    page.get_by_text("him", exact=True).wait_for()
    assert story(page) == f"{BEGINNING} Tom flew bored him, so".replace("kite Mira", "kite Tom")
    assert page.locator(".changed").all_inner_texts() == ["Tom", "Tom", "him"]
    assert page.inner_text(".note") == "2 later words have changed (solid line)."
    press(page, "One token")
    assert story(page).endswith("so he")


def test_a_word_is_dotted_where_the_story_could_have_gone_on_differently(opened, trained):
    """By the rules of stories a word is certain, or one of two and more: none has a chance near the limit."""
    model, tokenizer = trained
    page = opened(**STILL)
    press(page, "One token", 30)
    ids = tokenizer.encode("\n" + story(page))
    chances = model(torch.tensor([ids]))[0].softmax(dim=-1)
    drawn = range(len(tokenizer.encode("\n" + BEGINNING)), len(ids))
    dotted = tokens(page).evaluate_all(
        "all => all.flatMap((each, n) => each.classList.contains('open') ? [n] : [])"
    )
    assert dotted == [n for n in drawn if chances[n - 1, ids[n]] < 0.9]
    assert 0 < len(dotted) < len(drawn)
    assert (
        page.inner_text(".note") == "At a dotted word, the story could have gone on differently."
    )
    page.get_by_role("textbox").fill(story(page))  # now nothing up to there is drawn
    page.wait_for_function(
        "n => document.querySelectorAll('.text .given').length >= n", arg=len(ids) - 1
    )
    assert page.locator(".given.open").count() == 0


def test_a_typed_beginning_is_read_and_bars_are_torchs(opened, trained):
    model, tokenizer = trained
    page = opened(**STILL)
    typed = "Once there was a drum Emil beat and a"
    page.get_by_role("textbox", name="The story begins").fill(typed)
    page.wait_for_function("document.querySelector('.text p').textContent.includes('drum')")
    told = story(page)
    assert told.startswith(typed) and len(told) > len(typed), "it is as long as before"
    with torch.no_grad():
        logits = model(torch.tensor([tokenizer.encode("\n" + told)]))[0, -1]
    shares, wanted = bars(page), logits.softmax(dim=-1).topk(5).values
    torch.testing.assert_close(shares, wanted, atol=1e-3, rtol=0)
    printed = page.locator("table.next td[data-value]").all_inner_texts()
    assert [text == "< 0.1 %" for text in printed] == [share < 0.0005 for share in shares]
    page.get_by_role("textbox").fill("Once a zebra")
    page.get_by_text("The model has never seen 'zebra'").wait_for()


def test_a_press_on_a_head_shows_its_arcs_alone_and_a_second_all(opened, trained):
    model, tokenizer = trained
    ids = torch.tensor([tokenizer.encode("\n" + BEGINNING)])
    looks = model.forward_with_weights(ids)[1][:, 0, :, -1]
    page = opened(**STILL)
    assert arcs(page) == (looks >= 0.25).sum()
    most = divmod(int(looks.amax(dim=-1).argmax()), looks.shape[1])
    outlined = page.locator(".grid .most")
    assert outlined.get_attribute("aria-label") == "block {}, head {}".format(*most)
    head = page.get_by_role("button", name="block 1, head 1")
    head.click()
    page.wait_for_selector(".grid [aria-pressed=true]")
    assert page.inner_text(".side .title") == "Head 1.1: press again for all"
    assert outlined.count() == 0
    assert arcs(page) == (looks[1, 1] >= 0.05).sum()
    page.keyboard.press("ArrowUp")
    page.wait_for_selector(".grid [aria-label='block 0, head 1'][aria-pressed=true]")
    assert arcs(page) == (looks[0, 1] >= 0.05).sum()
    page.keyboard.press("Enter")
    page.wait_for_selector(".grid:not(:has([aria-pressed=true]))")
    assert arcs(page) == (looks >= 0.25).sum()


def test_its_arcs_keep_their_places_when_the_theme_changes_while_it_is_not_on_the_page(opened):
    page = opened(**STILL)
    ends = "() => [...document.querySelectorAll('.text path')].map((e) => e.getAttribute('d'))"
    before = page.evaluate(ends)
    page.evaluate(
        """async () => {  // as JupyterLab does
            const el = document.querySelector("div.course-live"), parent = el.parentNode;
            el.remove();
            document.body.dataset.jpThemeLight = "false";
            await Promise.resolve();  // whoever watches the theme is told
            parent.append(el);
            for (const _ of "12") await new Promise(requestAnimationFrame);
        }"""
    )
    assert page.evaluate(ends) == before and before


@pytest.fixture
def told(opened, trained):
    """A page that stands still after some tokens, its ids, and the maps of its heads."""
    model, tokenizer = trained
    page = opened(**STILL)
    press(page, "One token", 12)
    ids = tokenizer.encode(f"\n{story(page)}")
    return page, model.forward_with_weights(torch.tensor([ids]))[1][:, 0]


def says(page, part):
    page.wait_for_function(
        "part => document.querySelector('.says').textContent.includes(part)", arg=part
    )
    return page.inner_text(".says")


def arcs_of(page):
    """How many lead out of the marked token, and how many into it."""
    into = page.locator(".text path.back").count()
    return arcs(page) - into, into


BEGINS = """() => {
    const spans = [...document.querySelectorAll('.text [role=option]')];
    return [...document.querySelectorAll('.text path.back')].map(path => {
        const [x, y] = path.getAttribute('d').match(/[\\d.]+/g).map(Number);
        return spans.findIndex(s => s.offsetLeft + s.offsetWidth / 2 === x && s.offsetTop === y);
    });
}"""


def crossed(page, maps):
    """The row and the column that are lit in every map."""
    style = "g => ['--row', '--column'].map(name => Number(g.style.getPropertyValue(name)))"
    return [round(x * (maps.shape[-1] - 1)) for x in page.locator(".grid.pointed").evaluate(style)]


def test_a_word_that_is_pointed_at_has_its_arcs_its_row_and_its_column(told):
    page, maps = told
    words = tokens(page)
    newest = page.inner_text(".says")
    for n in (3, 7):
        words.nth(n).hover()
        looks = maps[..., n, : n + 1]
        said = says(page, f"From '{words.nth(n).inner_text()}' the largest weight")
        block, head, to = torch.unravel_index(looks.argmax(), looks.shape)
        back = [n + 1 + t for *_, t in (maps[..., n + 1 :, n] >= 0.25).nonzero().tolist()]
        into = len(back)
        assert f"is on '{words.nth(to).inner_text()}': {looks.max():.2f}" in said
        assert f"in head {head} of block {block}. {into} arcs lead to it." in said and into > 1
        assert arcs_of(page) == ((looks >= 0.25).sum(), into)
        assert sorted(page.evaluate(BEGINS)) == sorted(back)
        assert crossed(page, maps) == [n, n]
        assert page.locator(".text .newest").inner_text() == words.nth(n).inner_text()
    page.mouse.move(1, 1)
    says(page, newest)
    assert page.locator(".pointed").count() == 0


def test_a_cell_that_is_pointed_at_lights_its_two_words(told):
    page, maps = told
    T = maps.shape[-1]
    map_ = page.get_by_role("button", name="block 1, head 1")
    size = map_.bounding_box()["width"]
    map_.hover(position={"x": size * 5.5 / T, "y": size * 20.5 / T})
    words = tokens(page).all_inner_texts()
    said = says(page, f"From '{words[20]}' to '{words[5]}' the weight")
    assert said.endswith(f"is {maps[1, 1, 20, 5]:.2f}, in head 1 of block 1.")
    assert page.locator(".text .newest, .text .heard").all_inner_texts() == [words[5], words[20]]
    assert arcs_of(page) == (1, 0) and crossed(page, maps) == [20, 5]
    map_.hover(position={"x": size * 20.5 / T, "y": size * 5.5 / T})
    page.wait_for_selector(".grid:not(.pointed)")  # of the future


def test_words_are_marked_by_keys_and_so_is_what_they_look_at(told):
    page, maps = told
    words = tokens(page).all_inner_texts()
    page.get_by_role("listbox").focus()
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    at = len(words) - 7
    assert page.locator(".text [aria-selected=true]").inner_text() == words[at]
    assert crossed(page, maps) == [at, at]
    for back in (1, 2):
        page.keyboard.press("ArrowUp")
        said = says(page, f"From '{words[at]}' to '{words[at - back]}' the weight")
    pair = maps[..., at, at - 2]
    block, head = divmod(int(pair.argmax()), pair.shape[1])
    assert said.endswith(f"is {pair.max():.2f}, in head {head} of block {block}.")
    assert crossed(page, maps) == [at, at - 2]
    page.keyboard.press("Tab")
    says(page, "From the newest token")


def test_it_waits_while_a_word_is_pointed_at_or_marked(opened):
    page = opened(lambda page: page.clock.install(), **MOVING)
    word = tokens(page).nth(3)
    word.hover()
    before = story(page)
    page.clock.run_for(20_000)
    assert story(page) == before
    word.click()
    page.mouse.move(1, 1)
    page.clock.run_for(20_000)
    assert story(page) == before
    assert "From 'was' the largest" in page.inner_text(".says")
    page.keyboard.press("Tab")
    page.clock.run_for(1000)
    assert story(page).startswith(before) and story(page) != before


def test_a_head_that_is_switched_off_is_missed(opened, trained):
    model, tokenizer = trained
    page = opened(name="off", **MOVING)
    page.get_by_role("button", name="Press a head to switch it off").dispatch_event("click")
    page.get_by_role("button", name="block 1, head 1").focus()
    page.keyboard.press("Enter")
    press(page, "One token")
    assert story(page) == f"{BEGINNING} Mira", "it waits until it is asked"
    press(page, "Switch head 1.1 off")
    page.get_by_role("button", name="block 1, head 1, off").wait_for()
    with ablated(model, 1, 1), torch.no_grad():
        ids = torch.tensor([tokenizer.encode(f"\n{BEGINNING}")])
        likely = [tokenizer.decode([i]).strip() for i in model(ids)[0, -1].topk(30).indices]
    wrong = page.locator(".newest.changed").inner_text()
    assert wrong in likely and wrong != "Mira"
    assert page.locator(".says").inner_text().endswith("but this head is off.")
    press(page, "Switch head 1.1 on")
    page.get_by_role("button", name="block 1, head 1", exact=True).wait_for()
    assert story(page) == f"{BEGINNING} Mira"


def move(page, name, value):
    """Move a slider, and wait until the story is written anew."""
    page.get_by_role("slider", name=name).fill(f"{value}")
    page.wait_for_function(
        "words => document.querySelector('.says').textContent.includes(words)",
        arg=f"{name} {value:.2f}",
    )


def test_a_story_is_drawn_as_temperature_and_top_p_say(opened, trained):
    model, tokenizer = trained
    page = opened(name="drawn", **STILL)
    first = story(page)
    assert first.startswith(BEGINNING) and len(first) > len(BEGINNING) + 100
    move(page, "top-p", 0.8)
    move(page, "temperature", 1.5)
    logits = model(torch.tensor([tokenizer.encode(f"\n{BEGINNING}")]))[:, -1]
    all_, kept = (next_probabilities(logits, 1.5, top_p=p)[0] for p in (None, 0.8))
    n = int((kept > 0).sum())
    assert n < len(kept) and f"{n} of {len(kept)} tokens can be drawn" in page.inner_text(".says")
    torch.testing.assert_close(bars(page), all_.topk(5).values, atol=1e-3, rtol=0)
    assert page.locator("table.next .cut").count() == 5 - min(n, 5)
    move(page, "temperature", 0)
    start = torch.tensor([tokenizer.encode(f"\n{BEGINNING}")])
    ids = generate(model, start, 100, torch.Generator(), temperature=0.0)
    greedy = tokenizer.decode(ids[0, 1:]).partition("\n")[0]
    assert story(page).removesuffix("end").split() == greedy.split()


def test_a_story_is_drawn_again_from_the_marked_word(opened):
    page = opened(name="drawn", **STILL)
    written(page)
    first = tokens(page).all_inner_texts()
    tokens(page).nth(40).click()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.locator(".text [aria-selected=true]").inner_text() == first[38]
    assert f"After '{first[38]}'" in page.inner_text(".says")
    assert f"'{first[39]}' was drawn" in page.inner_text(".says")
    press(page, "Draw again from here")
    page.wait_for_function("document.querySelectorAll('.text .given').length === 39")
    written(page)
    then = tokens(page).all_inner_texts()
    assert then[:39] == first[:39] and then != first
    assert page.locator(".text [aria-selected=true]").inner_text() == first[38]
    was = page.locator(".text p").text_content()
    press(page, "Another story")
    page.wait_for_function("was => document.querySelector('.text p').textContent !== was", arg=was)


SLICES = """async () => {  // how many words are there after each frame, new ones and old ones
  const slider = document.querySelector("input[type=range]"), words = document.querySelector(".text p"), seen = [];
  slider.value = 2;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  do {
    await new Promise(requestAnimationFrame);
    seen.push([words.querySelectorAll("[role=option]").length, words.querySelectorAll(".old").length]);
  } while (words.ariaBusy === "true" || seen.length < 3);
  return seen;
}"""


def test_a_change_writes_some_words_in_each_frame_and_the_old_ones_wait_in_grey(opened):
    page = opened(name="drawn", **STILL)
    written(page)
    words = tokens(page).count()
    seen = page.evaluate(SLICES)
    begun = [new for new, old in seen if old]
    assert len(begun) > 3 and all(new + old >= words for new, old in seen if old)
    assert all(0 < after - before <= 6 for before, after in pairwise(begun))
    assert seen[-1][1] == 0 and page.locator(".text .changed").count()


def test_buttons_that_are_pressed_while_it_writes_leave_a_story(opened):
    page = opened(name="drawn", **STILL)
    errors = []
    page.on("pageerror", lambda error: errors.append(error))
    page.evaluate("""async () => {
      for (const name of ["Draw again from here", "Another story", "Tom", "Another story", "Another story"]) {
        [...document.querySelectorAll("button")].find((each) => each.textContent === name).click();
        await new Promise(requestAnimationFrame);
      }
    }""")
    told = story(page)
    assert (
        not errors and told.startswith(BEGINNING.replace("Mira", "Tom")) and told.endswith("end")
    )
    page.wait_for_selector(".text [aria-selected=true].newest")


# The other two wait until they are asked, also where things may move.
@pytest.mark.parametrize(
    ("name", "motion"),
    [
        ("live", MOVING),
        ("drawn", STILL),
        pytest.param("live", STILL, marks=pytest.mark.weekly),
        pytest.param("off", STILL, marks=pytest.mark.weekly),
    ],
)
def test_axe_finds_nothing_and_a_phone_nothing_to_scroll(opened, name, motion):
    page = opened(name=name, viewport={"width": 390, "height": 800}, **motion)
    page.wait_for_selector(".course-writer")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    tokens(page).nth(3).hover()
    page.wait_for_selector(".pointed")
    axe_finds_nothing_within(page, ".course-writer")
