"""The live explorers of chapter 06: gradient steps, a finger, and the six beats."""

import itertools
import random

import pytest
import torch

from attention.heads import attention_scores, attention_weights
from attention.masks import causal_mask
from tests.chapters.ch06.live import Beats, Projected
from tests.chapters.live import PHONE, finger, fits_a_phone
from tests.conftest import X, matrices, wait_for

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    "row, target, scaled, causal, pull",
    [
        (1, 5, True, False, None),
        (1, 4, False, False, None),
        (4, 0, True, True, None),
        (5, 5, False, True, None),
        (0, 1, False, False, (0.0, 0.58)),  # keys leave the plane
    ],
)
def test_a_gradient_step_moves_all_arrows_as_autograd_does(
    live_table, row, target, scaled, causal, pull
):
    explorer = Projected(live_table)
    W_q, W_k, _ = (W.double().requires_grad_() for W in matrices())
    x, state = X.double(), explorer.state
    state |= {"row": row, "target": target, "scaled": scaled, "causal": causal}
    if pull:
        explorer.put([state["reach"] * part for part in pull])
    pulled = torch.tensor(state["queries"]) - x @ W_q.detach()  # what the hand has added
    steps = [(".top button", 0)] * 12
    *found, again = explorer.through([dict(state), *steps, (".top button", 1)])
    taken = 0
    for seen in found:
        queries, keys = x @ W_q + pulled, x @ W_k
        scores = attention_scores(queries, keys, scale=None if scaled else 1.0)
        weights = attention_weights(scores, causal_mask(6) if causal else None)
        loss = -weights[row, target].log()
        explorer.compare(seen)
        gradients = torch.autograd.grad(loss, (W_q, W_k))
        with torch.no_grad():
            for W, gradient in zip((W_q, W_k), gradients, strict=True):
                W -= state["rate"] * gradient
            next_ = [x @ W_q + pulled, x @ W_k]
        away = [bool(arrows.norm(dim=-1).max() > state["reach"]) for arrows in next_]
        assert seen["stuck"] == any(away), "an arrow would leave the plane"
        if any(away):
            break
        taken += 1
        state["queries"], state["keys"] = (arrows.tolist() for arrows in next_)
    assert away == [False, True] if pull else taken > 6, "enough to see where it leads"
    assert all(seen == found[-1] for seen in found[taken:]), "a button that is off does nothing"
    state |= {name: explorer.first().state[name] for name in ("queries", "keys")}
    explorer.compare(again)


def test_a_finger_moves_the_query_and_not_the_page(open_live):
    page = open_live(**PHONE)
    explorer = Projected(page)
    explorer.handle.scroll_into_view_if_needed()
    box, top = explorer.el.locator(".grip").bounding_box(), page.evaluate("scrollY")
    x, y = round(box["x"] + box["width"] / 2), round(box["y"] + box["height"] / 2)
    send = finger(page)
    send("touchStart", (x + 8, y + 8))  # a finger needs no aim
    for n in range(1, 6):
        send("touchMove", (x - 10 * n, y + 25 * n))
    plane = explorer.el.locator("svg").first.bounding_box()
    unit = (180 - 26) / explorer.state["reach"]
    right, down = (x - 50 - plane["x"]) / plane["width"], (y + 125 - plane["y"]) / plane["height"]
    explorer.put([(right - 0.5) * 360 / unit, (0.5 - down) * 360 / unit])
    explorer.agrees()
    send("touchEnd")
    assert page.evaluate("scrollY") == top


@pytest.mark.parametrize("size", [14, 26])
def test_words_beside_arrows_are_as_far_apart_as_they_are_large(open_live, size):
    page = open_live()
    page.add_style_tag(
        content=f"div.course-live.course-threads text {{ font-size: {size}px !important }}"
    )
    explorer = Projected(page)
    explorer.el.locator("[type=checkbox]").first.click()  # any change draws
    for n in range(2):
        plane = explorer.el.locator("svg").nth(n)
        words = plane.locator(".word text")
        wait_for(
            lambda words=words: (
                words.count() == 6 and words.first.evaluate("e => e.getBBox().height") > size
            ),
            "its words",
        )
        boxes = words.evaluate_all(
            "all => all.map((e) => [e.getAttribute('text-anchor'), +e.getAttribute('y')])"
        )
        for side in ("start", "end"):
            heights = sorted(y for anchor, y in boxes if anchor == side)
            assert all(b - a > 1.19 * size for a, b in itertools.pairwise(heights))


def test_every_step_of_every_head_is_drawn_as_torch_computes_it(live_table):
    explorer, luck = Beats(live_table), random.Random(6)
    draw = torch.Generator().manual_seed(6)
    states = [
        {"head": head, "step": step} for head in ("laid out", "random") for step in range(37)
    ]
    tables = {"x": (6, 3), "W_k": (3, 2), "again": (6, 2), "k": (6, 2), "v": (6, 2), "q": (6, 2)}
    tables |= {"kT": (2, 6), "table": (6, 6), "values": (6, 2), "out": (6, 2), "W_v": (3, 2)}
    for _ in range(60):
        name = luck.choice([*tables, "table", "table"])
        cell = [name, *(luck.randrange(size) for size in tables[name])]
        states.append(
            {"step": luck.randrange(37), "cell": cell, "head": luck.choice(["laid out", "random"])}
        )
    for _ in range(8):  # any numbers
        matrices = {
            name: torch.randn(3, 2, generator=draw).tolist() for name in ("W_q", "W_k", "W_v")
        }
        heads = explorer.first().state["heads"] | {"random": matrices}
        x = torch.randn(6, 3, generator=draw).tolist()
        states.append(
            {"x": x, "heads": heads, "head": "random", "step": luck.randrange(37), "cell": None}
        )
    explorer.follow(states)


def test_arrow_keys_lead_over_all_tables_of_the_head(live_table):
    """Along the words of the lower tables, up to what is above them, and past what isn't there yet."""
    explorer = Beats(live_table)
    walk = [
        ("ArrowLeft", "table 5 5"), ("ArrowUp", "table 4 5"), *[("ArrowUp", f"table {r} 5") for r in (3, 2, 1, 0)],
        ("ArrowUp", "kT 1 5"), ("ArrowUp", "kT 0 5"), ("ArrowUp", "kT 0 5"), ("ArrowRight", "values 4 0"),
        ("ArrowDown", "values 5 0"), ("ArrowDown", "out 0 0"), ("ArrowRight", "out 0 1"),
        *[("ArrowLeft", f"{name} 0 {c}") for name, columns in (("out", (0,)), ("table", (5, 4, 3, 2, 1, 0)), ("q", (1, 0)), ("k", (1,)))
          for c in columns], ("ArrowUp", "W_k 2 1"), ("ArrowLeft", "W_k 2 0"), ("ArrowLeft", "W_v 2 1"),
    ]  # fmt: skip

    def press(key, place):
        name, row, column = place.split()
        return ("[data-cell][tabindex='0']", 0, key), {"cell": [name, int(row), int(column)]}

    start = {"step": 36, "cell": ["out", 5, 0]}
    explorer.goes([(start, start), *(press(*step) for step in walk)])
    start = {"step": 2, "cell": ["q", 1, 1]}
    early = [("ArrowDown", "q 1 1"), ("ArrowRight", "q 1 1"), ("ArrowUp", "q 0 1")]
    # In the first beat there is no row 2 yet, and no table.
    explorer.goes([(start, start), *(press(*step) for step in early)])


def test_the_beats_follow_pointer_wheel_and_keys_and_leave_the_page_alone(open_live):
    page = open_live()
    explorer = Beats(page)
    explorer.agrees()
    slider = explorer.el.get_by_role("slider", name="row by row")
    where = page.url
    slider.focus()
    for key, step in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", 36),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        explorer.has(step=step)
    explorer.el.get_by_role("button", name="5 softmax").click()
    explorer.has(step=30)
    explorer.el.locator("[data-cell='table 3 2']").click()
    explorer.has(cell=["table", 3, 2])
    page.keyboard.press("ArrowUp")
    explorer.has(cell=["table", 2, 2])
    assert page.url == where, "an arrow key turns no page"
    explorer.el.locator("[data-cell='table 3 2']").hover()
    top = page.evaluate("scrollY")
    page.mouse.wheel(-45, 0)  # a step for every 14 pixels
    explorer.has(step=27)
    page.mouse.wheel(0, -120)  # up and down are the page's
    page.wait_for_function("top => scrollY < top", arg=top)
    explorer.has(step=27)


def test_a_narrow_page_shows_the_tables_of_the_beat_and_a_finger_swipes(open_live):
    page = open_live(**PHONE)
    explorer = Beats(page)
    seen = "e => [...e.querySelectorAll('.grid')].filter((g) => g.checkVisibility()).map((g) => g.getAttribute('aria-label'))"
    first = ["x", "W_v", "v", "W_k", "k", "W_q", "q"]
    for step, tables in ((0, first), (6, first), (7, ["q", "k\u1d40", "table"]), (30, ["q", "k\u1d40", "table"]),
                         (31, ["q", "k\u1d40", "table", "v", "context"])):  # fmt: skip
        explorer.el.locator("input").fill(f"{step}")
        explorer.has(step=step)
        assert explorer.el.evaluate(seen) == tables
        fits_a_phone(page, explorer, "button, input, p")
        cut = "e => [...e.querySelectorAll('[data-cell]')].filter((b) => b.scrollWidth > b.clientWidth + 1).map((b) => b.textContent)"
        assert not explorer.el.evaluate(cut), "every number has room"
    box = explorer.el.locator("[data-cell='table 2 4']").bounding_box()
    x, y = box["x"], box["y"]
    lifted = "e => { for (const end of ['pointerup', 'pointercancel']) e.addEventListener(end, () => { window.lifted = true; }); }"
    explorer.el.evaluate(lifted)
    send = finger(page)
    send("touchStart", (x, y))
    for n in range(1, 9):
        send("touchMove", (x - 10 * n, y))
    send("touchEnd")
    page.wait_for_function("window.lifted")  # no step follows
    assert int(explorer.el.locator("input").input_value()) > 31
    explorer.el.locator("[data-cell='table 2 4']").click()
    step = int(explorer.el.locator("input").input_value())
    explorer.has(step=step, cell=["table", 2, 4])
