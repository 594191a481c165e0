"""Live explorers in a page of the book, from the disk: what they show is what torch computes."""

import itertools
import json
import math
import random
import re
from functools import cache

import pytest
import torch

from attention.bigram import bigram_counts
from attention.checkpoint import CHECKPOINT, load_checkpoint
from attention.heads import attention_scores, attention_weights
from attention.masks import causal_mask, window_mask
from attention.multi_head import merge_heads, split_heads
from attention.properties import ripples
from attention.sampling import next_probabilities
from chapters.ch03.explorer import WRITTEN, temperature_explorer, write
from chapters.ch05.explorer import query_explorer as turned
from chapters.ch05.figures import arrows_figure
from chapters.ch06.explorer import head_explorer
from chapters.ch06.explorer import query_explorer as projected
from chapters.ch07.explorer import SCALES, scale_explorer
from chapters.ch07.figures import entropies, jacobian_norms
from chapters.ch08.explorer import curtain_explorer, future_explorer, mask_painter
from chapters.ch08.figures import curtain_sentence, painted_sentence
from chapters.ch10.explorer import heads_explorer, shares, split_by_view, two_heads_explorer
from chapters.ch10.figures import views_sentence
from chapters.ch14.explorer import head_scores, maps_sentence, model_explorer
from chapters.ch14.patterns import uniform_weights
from course.draw.live import Live
from course.draw.picture import Picture
from course.publish.mdbook import build
from tests.browser import watched
from tests.conftest import WORDS, X, matrices, wait_for
from tests.pages import (
    AXE,
    AXE_RUN,
    LIGHT_AND_DARK,
    THEMES,
    cell,
    course,
    explored,
    sizes_of_texts,
    turn,
)

POLAR = [(20, 1.2), (70, 1.0), (100, 1.6), (170, 1.2), (240, 1.4), (310, 1.0)]
KEYS = torch.tensor(
    [[r * math.cos(math.radians(a)), r * math.sin(math.radians(a))] for a, r in POLAR]
)

MASKS = {
    "causal": causal_mask(6),
    "everywhere": torch.ones(6, 6, dtype=torch.bool),
    "diagonal=-1": causal_mask(6).tril(-1),
    "window of 3": window_mask(6, 3),
}

LAID_OUT = [  # W_q, W_k, W_v of chapter 06
    torch.tensor(matrix)
    for matrix in (
        [[-2.0, 4.0], [-2.0, -4.0], [3.0, 0.0]],
        [[4.0, -3.0], [4.0, 4.0], [-3.0, 0.0]],
        [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]],
    )
]

TEXT = (
    "The quick king said: what did the queen ask of the wizard?\nOf the quiet wizard, sire.\n" * 9
    + "!"
)
VOCAB = sorted(set(TEXT))
COUNTS = bigram_counts(torch.tensor([VOCAB.index(c) for c in TEXT]), len(VOCAB))
MOST = math.ceil(math.log(COUNTS.max()))  # the largest logit that a bar of chapter 03 reaches


@cache
def live() -> dict[str, Live]:
    draw = torch.Generator().manual_seed(123)
    matrices = [torch.rand(3, 2, generator=draw) for _ in range(3)]
    vectors = (torch.randn(*size, generator=draw) for size in ((60, 1024), (60, 8, 1024)))
    return {
        "05": turned(KEYS, WORDS),
        "06": projected(X, *matrices, WORDS),
        "07": scale_explorer(*vectors),
        "08": mask_painter(X, *matrices, WORDS, MASKS),
        "03": temperature_explorer(COUNTS, VOCAB, VOCAB.index(" "), seed=5),
        "10": heads_explorer(WORDS),
        "08 future": future_explorer(WORDS),
        "08 curtain": curtain_explorer(),
        "10 two": two_heads_explorer(WORDS),
        "14": model_explorer(),
        "06 six": head_explorer(X, {"laid out": LAID_OUT, "random": matrices}, WORDS, row=0),
    }


DESK = {"width": 1200, "height": 900}


# ---------------------------------------------------------------- the widget


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
    explorer = projected(X, *LAID_OUT, WORDS)
    explorer.set_state({"state": explorer.state | {"row": 4}})  # as a message from the page does
    assert explorer.state["row"] == 4 and "state" in explorer.keys


# ---------------------------------------------------------------- in Chromium


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A page of the book with every live explorer, opened from the disk."""
    cells = [cell("# Live")]
    for name, explorer in live().items():
        cells += [cell(f"## {name}"), explored(explorer, f"explore({name!r})")]
    root = course(tmp_path_factory.mktemp("live") / "course", live=cells)
    for name in ("before", "after"):  # where an arrow key would lead
        (root / "notebooks" / f"{name}.md").write_text(f"# {name}\n")
    summary = "# Summary\n\n- [A](before.md)\n- [Live](live.ipynb)\n- [B](after.md)\n"
    (root / "notebooks" / "SUMMARY.md").write_text(summary)
    build(root)
    return (root / "build" / "book" / "live.html").as_uri()


@pytest.fixture(scope="module")
def desk(address, chrome):
    """One page for all tests that need no phone: what one has left there, the next loads anew."""
    page, errors, outside = watched(chrome, viewport=DESK)
    page.add_init_script("localStorage.clear()")  # the theme that another test has chosen
    yield page, errors, outside
    page.close()


@pytest.fixture
def opened(address, chrome, desk):
    """A page with the explorers; afterwards it has had no error and asked nobody."""
    pages = []

    def load(**options):
        page, errors, outside = watched(chrome, **options) if {*options} - {"viewport"} else desk
        page.set_viewport_size(options.get("viewport", DESK))
        page.goto(address)
        page.evaluate("window.liveReady")
        pages.append((page, errors, outside))
        return page

    yield load
    desk[0].mouse.up()
    for page, errors, outside in pages:
        found = [*errors, *outside]
        errors.clear(), outside.clear()
        assert not found
        if page is not desk[0]:
            page.close()


@pytest.fixture(scope="module")
def table(address, chrome):
    """One page for all tests that ask what is drawn of a state, and need no hand."""
    page, errors, outside = watched(chrome, viewport=DESK)
    page.goto(address)
    page.evaluate("window.liveReady")
    yield page
    assert not errors and not outside
    page.close()


def is_a_mix(point, points):
    """Whether one row of shares could mix it: it lies in a triangle of three of them."""
    for corners in itertools.combinations(points, 3):
        system = torch.tensor([[*corner, 1.0] for corner in corners], dtype=torch.float64).T
        shares = torch.linalg.solve(system, torch.tensor([*point, 1.0], dtype=torch.float64))
        if bool((shares > -1e-9).all()):
            return True
    return False


# Each change is drawn at once, so that two hundred states take no longer than some frames.
STEPS = """async ([module, first, steps]) => {
    let state = first, draw;
    const weights = await unpacked(Object.values(courseWeights)[0]);
    const model = {
        get: (name) => (name === "state" ? state : weights),
        set: (_, value) => { state = value; draw(); },
        on: (_, follow) => { draw = follow; },
        save_changes: () => {},
    };
    const el = document.querySelector("main").appendChild(document.createElement("div"));
    const later = globalThis.requestAnimationFrame;
    globalThis.requestAnimationFrame = (draw) => { draw(); return 0; };
    courseLive[module].render({ model, el });
    const act = (selector, n, key) => {
        const node = el.querySelectorAll(selector)[n];
        if (!key) return node.click();
        if (key.startsWith("=")) {
            node.value = key.slice(1);
            return ["input", "change"].forEach((kind) => node.dispatchEvent(new Event(kind)));
        }
        const about = { key: key.replace("Shift+", ""), shiftKey: key.startsWith("Shift") };
        node.dispatchEvent(new KeyboardEvent("keydown", { ...about, bubbles: true, cancelable: true }));
    };
    const seen = steps.map(([kind, step]) => {
        if (kind === "state") model.set("state", { ...state, ...step });
        else act(...step);
        return (SEE)(el);
    });
    globalThis.requestAnimationFrame = later;
    el.remove();
    return seen;
}"""


# What a LOOK reads with, and what each of them reads.
SEE = """el => {
    const all = (kind, read, of = el) => [...of.querySelectorAll(kind)].map(read);
    const text = (e) => e.textContent, value = (e) => Number(e.dataset.value), pressed = (e) => e.ariaPressed === "true";
    const attribute = (name) => (e) => Number(e.getAttribute(name)), wrong = (e) => e.matches(".wrong");
    const numbers = (words) => (words.match(/-?\\d[-\\d.e]*/g) ?? []).map(Number);
    return { says: text(el.querySelector("[role=status]")), ...(LOOK)() };
}"""


def stepped(value, key, small, large):
    """Where an arrow key leads from a value: on by a step, or by a small one with Shift, in whole steps."""
    size = small if key.startswith("Shift") else large
    by = -1 if key.endswith(("Left", "Down")) else 1
    return (math.floor(value / size + 0.5) + by) * size


class Shown:
    """A live explorer on a page, beside the state that it should have."""

    LOOK = """() => {
        const area = el.querySelector(".hull"), blend = el.querySelector(".mix[r]"), grip = el.querySelector(".handle");
        const moved = (e) => numbers(e.getAttribute("transform")), at = new DOMPoint(...moved(blend));
        const near = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => area.isPointInFill(
            new DOMPoint(at.x + 0.5 * Math.cos(n), at.y + 0.5 * Math.sin(n))));
        return {
            weights: all("tbody tr:not(.scores)", (tr) => all("td[data-value]", value, tr)),
            doors: all("[data-cell]", (e) => [pressed(e), wrong(e), e.disabled]),
            printed: all("tbody tr", (tr) => all("td", text, tr)),
            mix: JSON.parse(blend.dataset.value),
            inside: area.isPointInFill(at) || near.includes(true),
            threads: [".thread:not(.second)", ".thread.second"].map((kind) => all(kind, attribute("stroke-width"))),
            from: all(".thread", (e) => numbers(e.getAttribute("d")).slice(0, 2)),
            held: all("tbody tr:not(.scores)", (tr) => [tr.matches(".held"), tr.querySelector("th button")?.ariaPressed]),
            grip: moved(grip), told: grip.getAttribute("aria-valuetext"),
            reached: all("[data-cell][tabindex='0']", (e) => e.dataset.cell),
            stuck: el.querySelector(".top button")?.disabled,
            ground: all(".ground", (e) => [
                e.checkVisibility(), e.matches(".held"), e.isPointInFill(new DOMPoint(...moved(grip)))]),
        };
    }"""

    def __init__(self, page, name=None):
        self.page, self.name = page, name or self.NAME
        self.state = {**live()[self.name].state}
        self.still = live()[self.name].still.sentence
        self.el = page.locator("div.course-live").nth(list(live()).index(self.name))
        self.handle = self.el.locator(".handle")
        self.el.scroll_into_view_if_needed()

    @property
    def see(self):
        """The JavaScript that reads what the page shows."""
        return SEE.replace("LOOK", self.LOOK)

    @property
    def hand(self):
        """Of which arrow, and of which kinds, is what is under the hand."""
        pulled = self.state.get("pulled")
        if pulled is None:
            return self.state["row"], ("queries",)
        return pulled, ("queries", "keys", "values")  # a whole word

    def truth(self):
        """Scores and weights as the table has them, the context of its row, and the open cells."""
        q, k, v = (
            torch.tensor(self.state[name], dtype=torch.float64)
            for name in ("queries", "keys", "values")
        )
        if "two" in self.state:  # a row for each channel of the one context
            H = 1 + self.state["two"]
            parts = [split_heads(part[None], H) for part in (q, k, v)]
            scores = attention_scores(*parts[:2])
            weights = attention_weights(scores)
            lines = [each[0, :, 0].repeat_interleave(2 // H, dim=0) for each in (scores, weights)]
            open_ = torch.ones(2, len(k), dtype=torch.bool)
            return *lines, merge_heads(weights @ parts[2])[0, 0], open_
        mask = causal_mask(len(k))[: len(q)]
        if "mask" in self.state:
            mask = torch.tensor(self.state["mask"])
        elif not self.state["causal"]:
            mask = torch.ones(len(q), len(k), dtype=torch.bool)
        scores = attention_scores(q, k, scale=None if self.state["scaled"] else 1.0)
        late = self.state.get("late", False)
        weights = attention_weights(scores) * mask if late else attention_weights(scores, mask)
        return scores, weights, (weights @ v)[self.state["row"]], mask

    def drag(self, *places):
        """Press on the handle, go to each place (shares of the plane's box), and compare there."""
        start = self.el.locator(".grip").first.bounding_box()
        self.page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
        self.page.mouse.down()
        box = self.el.locator("svg").first.bounding_box()
        for right, down in places:
            x, y = box["x"] + right * box["width"], box["y"] + down * box["height"]
            self.page.mouse.move(x, y)
            unit = (180 - 26) / self.state["reach"]  # threads.js: SIZE / 2 - EDGE
            query = [(right - 0.5) * 360 / unit, (0.5 - down) * 360 / unit]
            self.put(query)
            self.agrees()
        self.page.mouse.up()

    def put(self, query):
        """What the page should have when the hand has pulled its arrow here."""
        far, (which, kinds) = max(1.0, math.hypot(*query) / self.state["reach"]), self.hand
        for kind in kinds:
            self.state[kind] = [list(arrow) for arrow in self.state[kind]]
            self.state[kind][which] = [x / far for x in query]

    def aim(self, angle, length):
        """What the page should have when the arrow under the hand points there, in degrees."""
        radians = math.radians(angle)
        self.put([length * math.cos(radians), length * math.sin(radians)])

    def flip(self, *places):
        """What the page should have when cells of its mask were opened or closed."""
        self.state["mask"] = [list(row) for row in self.state["mask"]]
        for i, j in places:
            self.state["mask"][i][j] = not self.state["mask"][i][j]

    def has(self, **state):
        """What the page shows when it should have come to this state: all of it is compared."""
        self.state |= state
        return self.agrees()

    def goes(self, steps):
        """Take steps, and compare what the page shows after each with where it leads: to a part of the
        state, or to what a function makes of the explorer."""
        found = self.through([step for step, _ in steps])
        for (_, leads), seen in zip(steps, found, strict=True):
            self.state |= (leads(self) if callable(leads) else leads) or {}
            self.compare(seen)
        return found

    def follow(self, states):
        """What an explorer of its own shows in each of these states: all of it is compared."""
        return self.goes([(state, state) for state in states])

    def agrees(self):
        """What the page shows, once it is drawn: all of it is compared."""
        frames = 'for (const _ of "12") await new Promise(requestAnimationFrame);'
        return self.compare(
            self.el.evaluate(f"async el => {{ {frames} return ({self.see})(el); }}")
        )

    def through(self, steps):
        """What an explorer of its own, on the same page, shows after each step.

        A step is a part of the state; or what is clicked: a selector and a number, and with them the key
        that is pressed instead, or "=" and a value that is chosen.
        """
        module = live()[self.name].module
        kinds = ["state" if isinstance(step, dict) else "act" for step in steps]
        return self.page.evaluate(
            STEPS.replace("SEE", self.see),
            [module, live()[self.name].state, list(zip(kinds, steps, strict=True))],
        )

    def winner(self, degrees, may):
        """The key, of those that it may look at, with the largest score if the query is turned so far."""
        x, y = self.state["queries"][self.state["row"]]
        angle = math.atan2(y, x) + math.radians(degrees)
        scores = [
            math.cos(angle) * a + math.sin(angle) * b if there else -math.inf
            for (a, b), there in zip(self.state["keys"], may, strict=True)
        ]
        return scores.index(max(scores))

    def compare(self, seen):
        """Everything that the page shows, against torch on the state that it should have."""
        row, reach, (which, _) = self.state["row"], self.state["reach"], self.hand
        scores, weights, mix, mask = self.truth()
        two, late, masked = (self.state.get(name, False) for name in ("two", "late", "mask"))
        close = dict(atol=1e-6, rtol=0)
        torch.testing.assert_close(
            torch.tensor(seen["weights"], dtype=torch.float64), weights, **close
        )
        torch.testing.assert_close(torch.tensor(seen["mix"], dtype=torch.float64), mix, **close)
        unit = (180 - 26) / reach
        place = lambda x, y: [180 + x * unit, 180 - y * unit]  # noqa: E731
        assert seen["grip"] == pytest.approx(place(*self.state["queries"][which]), abs=1e-3)
        may, length = mask[row].tolist(), math.hypot(*self.state["queries"][which])
        best = int(scores[row].where(mask[row], -torch.inf).argmax())
        held_ = [
            [self.state["ground"], length > 0 and j == best] for j in range(len(seen["ground"]))
        ]
        assert [each[:2] for each in seen["ground"]] == held_, "the dark sector is the winner's"
        if (
            self.state.get("ground")
            and 0 < length < 0.9 * reach
            and best == self.winner(-1, may) == self.winner(1, may)
        ):
            assert seen["ground"][best][2], "the query is in it"
        open_ = mask[row].nonzero().flatten().tolist()
        thin = self.state["values"] != live()[self.name].state["values"]  # any hull may be
        assert seen["inside"] or two or late or thin or len(open_) < 3, "the mix has left the hull"
        held = ["two" in self.state or t == row for t in range(len(weights))]
        many = len(self.state["queries"]) > 1  # each row has a button
        assert seen["held"] == [[is_, str(is_).lower() if many else None] for is_ in held]
        wide = (0.6 + 22 * weights).where(mask, 0)
        first, second = seen["threads"]
        assert first == pytest.approx(wide[row].tolist(), abs=1e-4)
        assert second == pytest.approx(
            (wide[1] if two else 0 * wide[0]).tolist()[: len(second)], abs=1e-4
        )
        x, y = self.state["queries"][0 if "two" in self.state else row]
        feet = [place(x, 0), place(0, y)] if two else [place(x, y), []]
        for n, begins in enumerate(seen["from"]):
            part, j = divmod(n, mask.shape[1])
            assert begins == (pytest.approx(feet[part], abs=1e-3) if mask[row, j] else [])
        rows = [*range(len(weights)), *((0, 1) if "two" in self.state else (row,))]
        wanted = [*weights.tolist(), *scores[rows[len(weights) :]].tolist()]
        for n, (t, line, numbers) in enumerate(zip(rows, seen["printed"], wanted, strict=True)):
            shut = ~mask[t] & torch.tensor(not late or n < len(weights))
            cells, sums = line[: len(numbers)], line[len(numbers) :]
            for text, number, none in zip(cells, numbers, shut.tolist(), strict=True):
                assert (
                    text == "\u2013" if none else float(text) == pytest.approx(number, abs=0.00501)
                )
            assert [float(text) for text in sums] == pytest.approx(
                [sum(numbers)] * len(sums), abs=0.00501
            )
            assert len(sums) == bool(masked and n < len(weights)), "a row of a mask has its sum"
        if "two" in self.state:
            outside = "outside of the hull" in seen["says"]
            assert outside != is_a_mix(mix.tolist(), self.state["keys"])
            assert two or not outside, "one row of shares is a mix"
        if masked:
            ahead = torch.ones_like(mask).triu(1)
            only = mask & (mask.sum(dim=1, keepdim=True) == 1)
            states = torch.stack([mask, mask & ahead, only], dim=-1)
            assert seen["doors"] == states.flatten(0, 1).tolist()
            total = float(re.search(r"The row sums to (\d\.\d{4})\.", seen["says"])[1])
            assert total == pytest.approx(float(weights[row].sum()), abs=6e-5)
        if "gram" in self.state:
            share, word = weights[row, self.state["target"]].item(), WORDS[self.state["target"]]
            told = f"is {abs(math.log(share)):.4f}." if share else f"'{word}' can't be heard"
            assert told in seen["says"] and (share or seen["stuck"])
        said = re.findall(r"'(\w+)', weight (\d\.\d{4})", seen["says"])
        assert len(said) == min(2, len(open_)) or "length 0 asks nothing" in seen["says"]
        lines = [weights[0], weights[1]] if two else [weights[row]] * 2
        for (word, number), line, wanted in zip(
            said, lines, (max, max if two else min), strict=False
        ):
            share = wanted(float(line[j]) for j in open_)
            assert float(number) == pytest.approx(share, abs=6e-5)
            assert float(line[WORDS.index(word)]) == pytest.approx(share, abs=1e-9)
        numbers = [float(x) for x in re.search(r"\[(.*)\]", seen["says"])[1].split(", ")]
        assert numbers == pytest.approx(mix.tolist(), abs=6e-5)
        return seen


THREADS = ("05", "06", "08 future", "10 two")


def any_state(name, luck):
    """A state that hands could lead to: arrows all over the plane, some of length 0, any cells."""
    first = live()[name].state

    def arrow():
        angle, length = (
            luck.uniform(0, 2 * math.pi),
            first["reach"] * luck.choice([0, 0.1, 1, luck.random()]),
        )
        return [length * math.cos(angle), length * math.sin(angle)]

    state = {
        "queries": [arrow() for _ in first["queries"]],
        "row": luck.randrange(len(first["queries"])),
    }
    state |= {
        key: luck.random() < 0.5
        for key in ("scaled", "causal", "late", "two", "ground")
        if key in first["controls"]
    }
    if "gram" in first:
        state |= {"keys": [arrow() for _ in WORDS], "target": luck.randrange(6)}
    if "ground" in first and "gram" not in first:
        state["keys"] = state["values"] = [arrow() for _ in WORDS]
    if "mask" in first:
        pulled = {
            key: [list(each) for each in first[key]] for key in ("queries", "keys", "values")
        }
        for key in pulled:
            pulled[key][first["pulled"]] = state["queries"][0]
        mask = [[luck.random() < 0.5 for _ in WORDS] for _ in WORDS]
        for row in mask:
            row[luck.randrange(6)] = True
        state |= pulled | {"mask": mask}
    return state


@pytest.mark.browser
@pytest.mark.parametrize("name", THREADS)
@pytest.mark.parametrize("many", [25, pytest.param(200, marks=pytest.mark.weekly)])
def test_any_state_is_drawn_as_torch_computes_it(table, name, many):
    explorer, luck = Shown(table, name), random.Random(5)
    states = [{}, *(any_state(name, luck) for _ in range(many))]
    explorer.follow(states)


@pytest.mark.browser
@pytest.mark.parametrize("name", THREADS)
def test_the_arrow_follows_every_key(table, name):
    explorer = Shown(table, name)
    which, kinds = explorer.hand
    x, y = explorer.state["queries"][which]
    angle, length = math.degrees(math.atan2(y, x)) % 360, math.hypot(x, y)
    turns = ["ArrowRight"] * 73 + ["ArrowLeft"] * 3 + ["Shift+ArrowLeft"] * 2
    lengths = ["ArrowUp"] * 28 + ["Shift+ArrowDown"] * 2 + ["ArrowDown"] * 27
    keys = [*turns, *lengths, "ArrowRight", "ArrowUp"]
    found = explorer.through([(".handle", 0, key) for key in keys])
    for key, seen in zip(keys, found, strict=True):
        if key.endswith(("Left", "Right")):
            angle = stepped(angle, key, 1, 5)
        else:
            length = min(max(0, stepped(length, key, 0.01, 0.1)), explorer.state["reach"])
        explorer.aim(angle, length)
        explorer.compare(seen)
        assert seen["told"] == f"{round(angle) % 360} degrees, length {length:.2f}"
        place = f"{round(angle) % 360}\N{DEGREE SIGN} with length {length:.2f}"
        assert length == 0 or "keys" in kinds or place in seen["says"]


@pytest.mark.browser
def test_a_word_is_dragged_and_turned_until_it_wins_ground(opened):
    page = opened()
    explorer = Shown(page, "05")
    explorer.el.get_by_label("shade where each word would win").check()
    explorer.state["ground"] = True
    explorer.agrees()
    grounds = explorer.el.locator("path.ground")
    assert [
        len(d) > 0 for d in grounds.evaluate_all("all => all.map(e => e.getAttribute('d'))")
    ] == [word != "journey" for word in WORDS]
    grip = explorer.el.get_by_role("slider", name="the arrow of 'journey'")
    grip.focus()
    for key, angle, length in (
        ("ArrowUp", 70, 1.1),
        ("ArrowRight", 75, 1.1),
        ("Shift+ArrowDown", 75, 1.09),
    ):
        page.keyboard.press(key)
        tip = [length * math.cos(math.radians(angle)), length * math.sin(math.radians(angle))]
        for kind in ("keys", "values"):
            explorer.state[kind] = [*explorer.state[kind]]
            explorer.state[kind][1] = tip
        explorer.agrees()
        assert grip.get_attribute("aria-valuetext") == f"{angle} degrees, length {length:.2f}"
    for _ in range(9):
        page.keyboard.press("ArrowUp")
    assert grounds.nth(1).get_attribute("d"), "a longer arrow wins some direction"


@pytest.mark.browser
@pytest.mark.parametrize("name", THREADS)
def test_the_arrow_follows_pointer_and_keys(opened, name):
    page = opened()
    explorer = Shown(page, name)
    opening = explorer.agrees()["says"]
    explorer.drag((0.1, 0.9), (1.5, 0.2), (0.5, 0.5), (0.7, 0.3))
    where, top = page.url, page.evaluate("scrollY")
    deaf = name == "08 future"  # the arrow is the key of a word that isn't heard
    assert (explorer.agrees()["says"] == opening) == deaf, "the answer to its question"
    assert explorer.el.locator("[aria-busy]").count() == 0, "what the picture shows is read out"
    x, y = explorer.state["queries"][explorer.hand[0]]
    page.keyboard.press("ArrowRight")  # the handle has the focus
    angle = stepped(math.degrees(math.atan2(y, x)), "ArrowRight", 1, 5)
    explorer.aim(angle, math.hypot(x, y))
    explorer.agrees()
    page.keyboard.press("ArrowDown")
    explorer.aim(angle, stepped(math.hypot(x, y), "ArrowDown", 0.01, 0.1))
    explorer.agrees()
    assert page.url == where and page.evaluate("scrollY") == top, "the page stays where it is"


@pytest.mark.browser
@pytest.mark.parametrize("late", (False, True))
def test_every_cell_opens_and_closes_before_softmax_and_after_it(table, late):
    explorer = Shown(table, "08 future")

    def turned(place):
        def leads(explorer):
            row, column = divmod(place, 6)
            mask = explorer.state["mask"]
            if sum(mask[row]) > 1 or not mask[row][column]:
                explorer.flip((row, column))
                explorer.state["row"] = row

        return ("[data-cell]", place), leads

    seen = explorer.goes([({"late": late}, {"late": late}), *map(turned, range(36))])
    assert seen[-1]["reached"] == [f"5 {column}" for column in range(6)]


@pytest.mark.browser
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
    table, row, target, scaled, causal, pull
):
    explorer = Shown(table, "06")
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
    state |= {name: live()["06"].state[name] for name in ("queries", "keys")}
    explorer.compare(again)


PHONE = dict(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)


def finger(page):
    """A function that puts a finger on the page, moves it, and takes it away."""
    touch = page.context.new_cdp_session(page)

    def send(kind, *at):
        points = [{"x": x, "y": y} for x, y in at]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    return send


def fits_a_phone(page, explorer, kinds):
    """Nothing of these kinds, and nothing of the page, is beyond its right edge."""
    right = f"e => Math.max(...[...e.querySelectorAll('{kinds}')].map((one) => one.getBoundingClientRect().right))"
    assert explorer.el.evaluate(right) <= 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.browser
def test_a_finger_moves_the_query_and_not_the_page(opened):
    page = opened(**PHONE)
    explorer = Shown(page, "06")
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
    explorer = Typed(page)
    ends = "e => [e.scrollWidth - e.clientWidth - e.scrollLeft, e.scrollWidth - e.clientWidth]"
    left, room = explorer.el.locator(".map").evaluate(ends)
    assert abs(left) <= 1 < room, "the newest row is seen at once"
    explorer.el.get_by_role("button", name="block 2, head 3").tap()
    explorer.el.locator("textarea").tap()
    page.keyboard.type(" and a line that is much longer than a phone is wide")
    typed = explorer.el.locator("textarea").input_value()
    explorer.has(block=2, head=3, text=typed)
    fits_a_phone(page, explorer, "button, textarea, table")
    assert explorer.el.locator(".map").get_attribute("tabindex") == "0", "keys scroll it"


class Row(Shown):
    """The explorer of chapter 07."""

    NAME = "07"
    LOOK = """() => {
        return {
            scores: all(".handle", value), gauges: all(".gauge", value),
            weights: all("rect.weight[data-value]", value), high: all("rect.weight[data-value]", attribute("height")),
            sliders: all("input", (e) => e.getAttribute("aria-valuetext")),
        };
    }"""

    def compare(self, seen):
        """Everything that the page shows, against torch on the state that it should have."""
        d, scale = (
            self.state["sizes"][self.state["size"]],
            SCALES[self.state["powers"][self.state["power"]][0]],
        )
        scores = torch.tensor(self.state["row"], dtype=torch.float64) * d ** (0.5 + scale)
        weights = attention_weights(scores[None])[0]
        entropy, norm = float(entropies(weights)), float(jacobian_norms(weights))
        assert seen["scores"] == pytest.approx(scores.tolist(), rel=1e-6, abs=1e-6)
        assert seen["weights"] == pytest.approx(weights.tolist(), abs=1e-6)
        assert seen["gauges"] == pytest.approx([entropy, norm], abs=1e-6)
        assert seen["high"] == pytest.approx([182 * w for w in weights.tolist()], abs=1e-3)
        assert seen["sliders"] == [self.state["powers"][self.state["power"]][0], f"{d}"]
        found = re.search(
            r"size (\d+), scale .+ = ([\d.]+): .* from (\S+) to (\S+)\. Key (\d) .* weight, ([\d.]+); the entropy is "
            r"([\d.]+), of ([\d.]+) at most, .* norm ([\d.]+), against ([\d.]+) for",
            seen["says"],
        )
        size, factor, low, high, key, largest, *measures = map(float, found.groups())
        assert size == d and factor == pytest.approx(d**scale, rel=1e-3)
        assert (low, high) == pytest.approx((float(scores.min()), float(scores.max())), abs=6e-3)
        assert float(weights[int(key)]) == pytest.approx(float(weights.max()), abs=1e-9)
        T = len(scores)
        wanted = [entropy, math.log(T), norm, math.sqrt(T - 1) / T]
        assert [largest, *measures] == pytest.approx([float(weights.max()), *wanted], abs=6e-5)
        return seen

    SLOTS = 8

    def at(self, n):
        """Where bar n stands."""
        return self.state["row"][n]

    def put(self, n, z):
        """What the page should have when bar n is here."""
        self.state["row"] = list(self.state["row"])
        self.state["row"][n] = max(-3, min(3, z))

    def pulled(self, down):
        """Where a bar stands that was pulled to this share of the plane's height."""
        return (115 - down * 230) / (91 / 3)  # softmax.js: middle of the bars, and their unit

    def nudge(self, n, key):
        """What the page should have when a key was pressed on bar n."""
        self.put(n, stepped(self.at(n), key, 0.01, 0.1))


@pytest.mark.browser
def test_every_scale_at_every_size(table):
    row, luck = Row(table), random.Random(7)
    states = [
        {"power": power, "size": size}
        for power in range(len(SCALES))
        for size in range(len(row.state["sizes"]))
    ]
    others = [
        {"row": [luck.uniform(-3, 3) for _ in range(8)], **luck.choice(states)} for _ in range(40)
    ]
    same = {}
    for state, seen in zip(states + others, row.follow(states + others), strict=True):
        weights = [round(w, 5) for w in seen["weights"]]
        same.setdefault((state["power"], "row" in state), []).append(weights)
    alike = [
        all(each == found[0] for each in found) for (_, other), found in same.items() if not other
    ]
    assert alike == [scale == -0.5 for scale in SCALES.values()], "the answer to its question"


class Painter(Shown):
    """The explorer of chapter 08."""

    NAME = "08"
    LOOK = """() => {
        return {
            weights: all("[data-cell]", value), open: all("[data-cell]", pressed),
            sums: all("td:not(:has(> button)):last-child[data-value]", value).slice(0, 6),
            table: all("table + table td[data-value]", value), wrong: all("table + table td[data-value]", wrong),
            reached: all("[data-cell][tabindex='0']", (e) => e.dataset.cell),
            presets: all(".presets button", pressed),
        };
    }"""

    def compare(self, seen):
        """Everything that the page shows, against torch on the mask that it should have."""
        mask = torch.tensor(self.state["mask"])
        x, W_q, W_k, W_v = (
            torch.tensor(self.state[name], dtype=torch.float64)
            for name in ("x", "W_q", "W_k", "W_v")
        )

        def weights(x):
            scores = attention_scores(x @ W_q, x @ W_k)
            return torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)

        table = ripples(lambda x: weights(x) @ (x @ W_v), x)
        close = dict(abs=1e-6, nan_ok=True)
        assert seen["weights"] == pytest.approx(weights(x).view(-1).tolist(), **close)
        assert seen["sums"] == pytest.approx(weights(x).sum(dim=-1).tolist(), **close)
        assert seen["table"] == pytest.approx(table.reshape(-1).tolist(), **close)
        assert seen["open"] == mask.view(-1).tolist()
        assert seen["wrong"] == (table.triu(1) > 1e-5).reshape(-1).tolist()
        assert seen["presets"] == [torch.equal(mask, each) for each in MASKS.values()]
        assert seen["says"] == painted_sentence(mask, table, WORDS)
        return seen


@pytest.mark.browser
def test_every_cell_and_every_mask(table):
    painter, luck = Painter(table), random.Random(8)
    painted = [[[luck.random() < 0.4 for _ in WORDS] for _ in WORDS] for _ in range(30)]
    presets = [{"mask": mask.tolist()} for mask in MASKS.values()]
    steps = [((".presets button", n), presets[n]) for n in (*range(len(MASKS)), 0)]
    steps += [
        (("[data-cell]", place), lambda painter, place=place: painter.flip(divmod(place, 6)))
        for place in range(36)
    ]
    painter.goes([({}, {}), *steps, *(({"mask": mask},) * 2 for mask in painted)])


@pytest.mark.browser
def test_arrow_keys_lead_over_all_cells(table):
    painter = Painter(table)
    keys = ["ArrowRight"] * 2 + ["ArrowDown"] * 6 + ["ArrowLeft"] * 3 + ["ArrowUp"] * 2
    found = painter.through([("[data-cell][tabindex='0']", 0, key) for key in keys])
    row = column = 0
    for key, seen in zip(keys, found, strict=True):
        row = max(0, min(5, row + {"ArrowDown": 1, "ArrowUp": -1}.get(key, 0)))
        column = max(0, min(5, column + {"ArrowRight": 1, "ArrowLeft": -1}.get(key, 0)))
        assert seen["reached"] == [f"{row} {column}"]


@pytest.mark.browser
def test_a_row_is_painted_by_one_stroke(opened):
    page = opened()
    painter = Painter(page)
    places = [
        painter.el.locator("[data-cell]").nth(place).bounding_box() for place in (7, 8, 9, 10)
    ]
    centres = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in places]
    page.mouse.move(*centres[1])
    page.mouse.down()
    for x, y in (centres[2], centres[3], centres[1], centres[0]):  # 7 was open, and stays so
        page.mouse.move(x, y, steps=3)
    page.mouse.up()
    page.mouse.move(*centres[0])
    painter.flip((1, 2), (1, 3), (1, 4))
    painter.agrees()
    painter.el.locator("[data-cell='4 2']").click()  # which is pressed, released and clicked
    painter.flip((4, 2))
    painter.agrees()


class Drawn(Shown):
    """The curtain of chapter 08."""

    NAME = "08 curtain"
    LOOK = """() => {
        const seen = (e) => e.checkVisibility({ visibilityProperty: true }), edge = el.querySelector(".handle");
        const middle = (e) => { const { left, width } = e.getBoundingClientRect(); return left + width / 2; };
        return {
            words: all(".word", (e) => [text(e.children[0]), seen(e.children[0]), wrong(e), text(e.children[1])]),
            before: all(".word", (e) => middle(e) < middle(edge)),
            edge: [edge.ariaValueNow, edge.ariaValueText], slider: all("input", (e) => [e.value, e.getAttribute("aria-valuetext")]),
            mask: all(".mask tbody td", (e) => [text(e), wrong(e)]),
            rows: all(".mask tbody tr", (e) => [e.matches(".held"), pressed(e.querySelector("button"))]),
            twin: all(".twin td[data-value]", (e) => [value(e), text(e)]),
            bars: all(".twin td[data-value]", (e) => Number(e.style.getPropertyValue("--weight"))),
            written: all("samp > *", text),
        };
    }"""

    def compare(self, seen):
        """Everything that the page shows, against torch and the stored runs."""
        words, row, at = self.state["words"], self.state["row"], self.state["at"]
        twin, honest = self.state["twins"][at], self.state["twins"][1]
        T, k = len(words), twin["diagonal"]
        mask = torch.ones(T, T).tril(T if k is None else k).bool()
        ahead = mask & torch.ones(T, T).triu(1).bool()
        line = zip(words, mask[row].tolist(), ahead[row].tolist(), strict=True)
        assert [each[:3] for each in seen["words"]] == [list(each) for each in line]
        notes = ["leak!" if leaks else "" for leaks in ahead[row].tolist()]
        notes[row + 1 : row + 2] = ["answer!" if ahead[row].any() else "to guess"][: T - 1 - row]
        notes[row] = "looks"
        assert [each[3] for each in seen["words"]] == notes
        assert seen["before"] == mask[row].tolist(), "the edge is behind the last that is seen"
        name = "no mask" if k is None else f"diagonal={k}"
        assert seen["edge"] == [f"{at}", name] and seen["slider"] == [[f"{at}", name]]
        signs = [
            ["!" if leaks else "\u2713" if is_ else "\u2013", leaks]
            for is_, leaks in zip(mask.view(-1).tolist(), ahead.view(-1).tolist(), strict=True)
        ]
        assert seen["mask"] == signs
        assert seen["rows"] == [[t == row] * 2 for t in range(T)]
        most = max(max(each["alone"]) for each in self.state["twins"])
        cells = [
            (one[what], what) for what in ("training", "alone", "formed") for one in (twin, honest)
        ]
        for (number, told), bar, (runs, what) in zip(
            seen["twin"], seen["bars"], cells, strict=True
        ):
            mean = sum(runs) / len(runs)
            assert number == pytest.approx(mean)
            assert bar == pytest.approx(mean / (100 if what == "formed" else most))
            digits = 0 if what == "formed" else 4
            low, high = min(runs), max(runs)
            assert told == f"{mean:.{digits}f}\n({low:.{digits}f}\u2013{high:.{digits}f})"
        assert seen["written"] == [twin["text"][: twin["read"]], twin["text"][twin["read"] :]]
        assert seen["says"] == curtain_sentence(words, row, twin, 100)
        return seen


@pytest.mark.browser
def test_every_mask_from_every_word_and_every_key(table):
    curtain = Drawn(table)
    curtain.follow([{"row": row, "at": at} for row in range(7) for at in range(5)])
    right, left, up, down = "ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"
    keys = [(right, 2), (right, 3), (right, 4), (right, 4)]
    keys += [(left, 3), (left, 2), (left, 1), (left, 0), (left, 0), (up, 1), (up, 2), (down, 1)]
    start = {"row": 3, "at": 1}
    curtain.goes([(start, start), *(((".handle", 0, key), {"at": at}) for key, at in keys)])


@pytest.mark.browser
@pytest.mark.parametrize("width", (390, 1200))
def test_the_curtain_follows_the_pointer(opened, width):
    page = opened(viewport={"width": width, "height": 900})
    curtain = Drawn(page)
    assert curtain.agrees()["says"] == curtain.still
    boxes = [box.bounding_box() for box in curtain.el.locator(".word").all()]
    line = curtain.el.locator(".line").bounding_box()
    grip = curtain.handle.bounding_box()
    y = grip["y"] + grip["height"] / 2
    page.mouse.move(grip["x"] + grip["width"] / 2, y)
    page.mouse.down()
    for n, at in ((5, 2), (6, 3), (7, 4), (4, 1), (3, 0), (0, 0), (5, 2)):  # n words are seen
        edge = boxes[n]["x"] if n < 7 else boxes[6]["x"] + boxes[6]["width"]
        page.mouse.move(edge + 1, y)
        curtain.has(at=at)
    page.mouse.move(line["x"] + line["width"] + 40, y)
    curtain.has(at=4)
    page.mouse.up()
    page.keyboard.press("ArrowLeft")  # the edge has the focus
    curtain.has(at=3)
    curtain.el.get_by_role("button", name="the", exact=True).click()
    curtain.has(row=2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    right = boxes[6]["x"] + boxes[6]["width"]
    assert right <= line["x"] + line["width"] and len({box["y"] for box in boxes}) == 1


class Next(Shown):
    """The explorer of chapter 03."""

    NAME = "03"
    LOOK = """() => {
        return {
            counts: all(".handle", value), gauges: all(".gauge", value),
            told: el.querySelector(".handle").getAttribute("aria-valuetext"),
            names: all(".handle", (e) => e.getAttribute("aria-label")),
            grips: all(".grip", (e) => attribute("y")(e) + 4),
            weights: all("rect.weight[data-value]", value), plain: all(".plain", attribute("height")),
            marks: all(".gauge span", (e) => Number(text(e).split(": ")[1])),
            menu: el.querySelector("select").selectedIndex,
            slider: el.querySelector("input").getAttribute("aria-valuetext"),
        };
    }"""

    def logits(self):
        """The table that the page should have: as counted, with what was moved."""
        table = torch.zeros(len(VOCAB), len(VOCAB), dtype=torch.float64)
        for i, row in enumerate(self.state["counts"]):
            for j, n in row:
                table[i, j] = n
        was, now = table[self.state["last"]].clone(), table[self.state["last"]]
        for j, n in self.state["moved"].items():
            now[int(j)] = n
        known = torch.where(table.sum(dim=1, keepdim=True) > 0, table, 1)
        return was, now, known.log()

    def compare(self, seen):
        """Everything that the page shows, against torch on the state that it should have."""
        last, degree, moved, seed = (
            self.state[name] for name in ("last", "temperature", "moved", "seed")
        )
        was, now, logits = self.logits()
        p = next_probabilities(logits[last][None], degree)[0]
        plain = was / was.sum() if was.any() else torch.full_like(was, 1 / len(was))
        order = self.order()[:13]
        rest = [1 - float(each[order].sum()) for each in (p, plain)]
        close = dict(abs=1e-6)
        names = self.state["names"]
        assert seen["names"] == [f"logit of {names[j]}" for j in order]
        counts = now[order].tolist()
        assert seen["counts"] == pytest.approx(counts, rel=1e-6)
        unit = (188 - 24) / MOST  # softmax.js: BASE, TOP
        heights = [188 - math.log(n) * unit if n else 197 for n in counts]
        assert seen["grips"] == pytest.approx(heights, abs=1e-3)
        assert seen["weights"] == pytest.approx([*p[order].tolist(), rest[0]], **close)
        shares = [182 * share for share in (*plain[order].tolist(), rest[1])]
        assert seen["plain"] == pytest.approx(shares, abs=1e-3)
        open_, marks = (float(entropies(each)) for each in (p, plain))
        assert seen["gauges"] == pytest.approx([open_, math.exp(open_)], **close)
        assert seen["marks"] == pytest.approx([marks, math.exp(marks)], abs=0.06)
        assert (seen["menu"], seen["slider"]) == (last, f"{degree:.1f}")
        found = re.fullmatch(
            r"After '(.+?)' at temperature ([\d.]+)(?:, with (\d+) logits? moved,)? the most likely next character is "
            r"'(.+?)', with probability ([\d.]+)\. The choice is as uncertain as a choice among ([\d.]+) equally likely characters\. "
            r"A text written at this temperature with seed (\d+): '(.*)'", seen["says"],
        )  # fmt: skip
        says = found.groups()
        assert says[:3] == (names[last], f"{degree:.1f}", f"{len(moved)}" if moved else None)
        assert float(p[names.index(says[3])]) == pytest.approx(float(p.max()), abs=1e-9)
        assert float(says[4]) == pytest.approx(float(p.max()), abs=6e-4)
        assert float(says[5]) == pytest.approx(math.exp(open_), abs=0.06)
        ids = write(logits, last, WRITTEN, degree, seed)
        line = "".join(names[i].replace("\u2423", " ") for i in ids)
        assert (int(says[6]), says[7]) == (seed, line)
        return seen

    SLOTS = 14

    def order(self):
        """Which characters the bars stand for."""
        return self.logits()[0].argsort(descending=True, stable=True).tolist()

    def at(self, n):
        return float(self.logits()[1][self.order()[n]].log())

    def put(self, n, z):
        """What the page should have when bar n is here; below 0 its character comes never."""
        count = 0 if z < -1e-9 else math.exp(min(MOST, z))
        self.state["moved"] = self.state["moved"] | {f"{self.order()[n]}": count}

    def pulled(self, down):
        return (188 - down * 230) / ((188 - 24) / MOST)

    def nudge(self, n, key):
        z, falls = self.at(n), key.endswith(("Left", "Down"))
        if z > -math.inf:
            self.put(n, stepped(z, key, 0.01, 0.1))
        elif not falls:
            self.put(n, 0)


@pytest.mark.browser
@pytest.mark.parametrize("many", [20, pytest.param(60, marks=pytest.mark.weekly)])
def test_every_temperature_and_every_character(table, many):
    explorer, luck = Next(table), random.Random(3)
    states = [{"temperature": tenth / 10} for tenth in range(31)]
    states += [
        {"temperature": degree, "last": last, "moved": {}}
        for degree in (0.0, 1.0, 3.0)
        for last in range(len(VOCAB))
    ]
    for _ in range(many):
        moved = {
            f"{luck.randrange(len(VOCAB))}": luck.choice([0, 1, 2.5, 40])
            for _ in range(luck.randrange(4))
        }
        last, tenths, seed = luck.randrange(len(VOCAB)), luck.randrange(31), luck.randrange(99)
        states += [{"temperature": tenths / 10, "last": last, "moved": moved, "seed": seed}]
    explorer.follow(states)


@pytest.mark.browser
def test_a_forbidden_character_comes_no_more(table):
    explorer = Next(table)
    only = {"last": VOCAB.index("q"), "moved": {}}  # only u follows it: nothing is known without
    downs = 1 + 10 * MOST
    steps = [only, *[(".handle", 0, "ArrowDown")] * downs, {"last": VOCAB.index("u"), "moved": {}}]
    *_, never, other = explorer.through(steps)
    explorer.state |= only
    explorer.put(0, -math.inf)
    assert explorer.compare(never)["told"] == "never"
    explorer.state |= steps[-1]  # whose own row nobody has moved
    explorer.compare(other)


KEYS_OF_BARS = [shift + way for way in ("ArrowUp", "ArrowLeft") for shift in ("", "Shift+")]
KEYS_OF_BARS += ["ArrowRight", "ArrowDown"]
PRESSED = {
    Row: [*((n, "ArrowUp") for n in range(8)), *((5, key) for key in KEYS_OF_BARS)],
    Next: [(12, key) for key in (*KEYS_OF_BARS, *["ArrowDown"] * 30, *["ArrowRight"] * 2)],
}


@pytest.mark.browser
@pytest.mark.parametrize("kind", PRESSED)
def test_every_bar_follows_every_key(table, kind):
    explorer = kind(table)
    explorer.goes(
        [
            ((".handle", n, key), lambda bars, n=n, key=key: bars.nudge(n, key))
            for n, key in PRESSED[kind]
        ]
    )
    assert kind is Row or explorer.at(12) == pytest.approx(0.1), "it was below 0 once"


@pytest.mark.browser
@pytest.mark.parametrize("kind", PRESSED)
def test_bars_follow_the_pointer_and_then_the_keys(opened, kind):
    page = opened()
    explorer = kind(page)
    plane = explorer.el.locator("svg").first.bounding_box()
    for n in (0, 5):
        x = plane["x"] + (n + 0.5) / kind.SLOTS * plane["width"]
        page.mouse.move(x, plane["y"] + 0.5 * plane["height"])
        page.mouse.down()
        for down in (0.05, 0.97, -0.3, 1.4, 0.4):
            page.mouse.move(x + 5 * down, plane["y"] + down * plane["height"])
            explorer.put(n, explorer.pulled(down))
            explorer.agrees()
        page.mouse.up()
        page.keyboard.press("Shift+ArrowDown")  # on the handle that was pulled
        explorer.nudge(n, "Shift+ArrowDown")
        explorer.agrees()


class Cuts(Shown):
    """The explorer of chapter 10."""

    NAME = "10"
    LOOK = """() => {
        const astray = (e) => e.matches(".astray, .wrong");
        return {
            heads: all(".presets button", pressed),
            views: all(".plane", (view) => {
                const here = (kind, read) => all(kind, read, view);
                return {
                    flows: here(".flow", value), late: here(".flow", astray),
                    high: here(".flow", (e) => 54 - attribute("y")(e)), at: here(".flow", attribute("x")),
                    piece: here(".piece", (e) => [attribute("x")(e), value(e)]),
                    digits: here("text.digit", (e) => Number(text(e))), words: here("text.word", text),
                    rows: here("tr button", pressed),
                    shares: here("td[data-value]", value), red: here("td[data-value]", astray),
                };
            }),
        };
    }"""

    def compare(self, seen):
        """Everything that the page shows, against torch on the state that it should have."""
        H, row, T = self.state["heads"], self.state["row"], len(WORDS)
        q, k = (torch.tensor(self.state[name], dtype=torch.float64)[None] for name in "qk")
        place = torch.arange(T * H)[:, None].expand(-1, 12 // H).reshape(1, T, 12)
        assert seen["heads"] == [n == H for n in (1, 2, 3, 4, 6)]
        both, wide, later = [], 60 / H, torch.arange(T)[:, None] < torch.arange(T)
        for view, split in zip(seen["views"], (split_heads, split_by_view), strict=True):
            pieces = split(place, H)[0, ..., 0]  # (H, T)
            whose = pieces // H
            mask = causal_mask(T)
            weights = attention_weights(attention_scores(*(split(x, H) for x in (q, k))), mask)[0]
            flat = lambda x: x.reshape(-1).tolist()  # noqa: E731
            assert view["flows"] == pytest.approx(flat(weights[:, row]), abs=1e-6)
            assert view["high"] == pytest.approx(flat(50 * weights[:, row]), abs=1e-3)
            assert view["late"] == flat(whose > row)
            assert view["at"] == pytest.approx(flat(pieces * wide + 0.5), abs=1e-3)
            gets = {round(p * wide, 1): h for h in range(H) for p in pieces[h].tolist()}
            assert {round(x - 0.5, 1): h for x, h in view["piece"]} == gets
            assert view["words"] == WORDS
            assert view["digits"] == ([h for h in range(H) for _ in range(T)] if H <= 4 else [])
            mine = shares(q[0], k[0], H, split)
            both.append(mine)
            assert view["shares"] == pytest.approx(flat(mine), abs=1e-6)
            assert view["red"] == flat((mine > 0) & later)
            assert view["rows"] == [t == row for t in range(T)]
        assert seen["says"] == views_sentence(*both, WORDS, H, row, 12)
        return seen


@pytest.mark.browser
def test_every_number_of_heads_and_every_output(table):
    explorer = Cuts(table)
    states = [{"heads": heads, "row": row} for heads in (1, 2, 3, 4, 6) for row in range(6)]
    harmless = {}
    for state, seen in zip(states, explorer.follow(states), strict=True):
        right, wrong = seen["views"]
        harmless[state["heads"]] = right["shares"] == wrong["shares"]
    assert [*harmless.values()] == [True, False, False, False, False], "the answer to its question"


MODEL, TOKENIZER, _ = load_checkpoint(CHECKPOINT)
SIGNS = {" ": "\u2423", "\n": "\u21b5"}


class Typed(Shown):
    """The explorer of chapter 14: a model, and the text that was typed."""

    NAME = "14"
    LOOK = """() => {
        const shades = (e) => e.width < 2 && !el.querySelector(".rows span") ? [] : [...e.getContext("2d")
            .getImageData(0, 0, e.width, e.height).data].filter((_, n) => n % 4 === 3);
        const rows = (kind) => all(`${kind} tbody tr`, (tr) => [tr.querySelector("th").textContent, all("td", text, tr)]);
        return {
            typed: el.querySelector("textarea").value,
            maps: all(".grid canvas", shades), large: shades(el.querySelector(".map canvas")),
            last: JSON.parse(el.querySelector(".map canvas").dataset.value),
            names: [all(".rows span", text), all(".columns span", text)],
            pressed: all(".grid button", (e) => [pressed(e), e.tabIndex]),
            scores: rows("table:not(.next)"), next: rows("table.next"),
            title: all(".title", text)[1], note: text(el.querySelector(".note")),
        };
    }"""

    def compare(self, seen):
        """Everything that the page shows, against torch on the state that it should have."""
        text, block, head = (self.state[name] for name in ("text", "block", "head"))
        assert seen["typed"] == text and seen["title"] == f"Block {block}, head {head}"
        chosen = [[n == 4 * block + head, 0 if n == 4 * block + head else -1] for n in range(12)]
        assert seen["pressed"] == chosen
        ids = TOKENIZER.encode("".join(c for c in text if c in TOKENIZER.vocab))[-128:]
        if not ids:
            assert seen["says"] == "Nothing is read." and not any(seen["maps"])
            assert {cell for _, row in seen["scores"] + seen["next"] for cell in row} == {"\u2013"}
            return seen
        logits, maps = MODEL.forward_with_weights(torch.tensor([ids]))
        maps, chances = maps[:, 0], logits[0, -1].softmax(dim=-1)
        shades = torch.tensor([*seen["maps"], seen["large"]]).view(13, len(ids), len(ids))
        wanted = 255 * torch.cat([maps.flatten(0, 1), maps[block, head][None]]).sqrt()
        assert (shades - wanted).abs().max() < 0.51, "half a shade, which rounding takes"
        assert seen["last"] == pytest.approx(maps[block, head, -1].tolist(), abs=1e-5)
        signs = [SIGNS.get(c, c) for c in TOKENIZER.decode(ids)]
        assert seen["names"] == [signs, signs]
        both = [head_scores(each, ids) for each in (maps[block, head], uniform_weights(len(ids)))]
        for (_, row), pair in zip(seen["scores"], zip(*both, strict=True), strict=True):
            for told, score in zip(row, pair, strict=True):
                none = math.isnan(score)
                assert told == "\u2013" if none else abs(float(told) - score) < 0.00501
        best = chances.topk(10)
        for (name, [told]), chance, i in zip(seen["next"], *best, strict=True):
            assert name == SIGNS.get(TOKENIZER.vocab[i], TOKENIZER.vocab[i])
            if told == "< 0.1 %":
                assert chance < 0.000501
                continue
            assert float(told.removesuffix(" %")) == pytest.approx(100 * chance.item(), abs=0.0501)
        vocab = [SIGNS.get(c, c) for c in TOKENIZER.vocab]
        told = maps_sentence(maps, ids, signs, chances, vocab, block, head)
        numbers = re.compile(r"\d+\.\d+")
        assert numbers.sub("", seen["says"]) == numbers.sub("", told)
        ours, theirs = ([float(x) for x in numbers.findall(each)] for each in (seen["says"], told))
        assert ours == pytest.approx(theirs, abs=0.1001 if ours[-1] != theirs[-1] else 0.01001)
        return seen


@pytest.mark.browser
def test_every_head_of_any_text(table):
    explorer, luck = Typed(table), random.Random(14)
    notes = {
        "": "Type a character: with nothing to read there is no map, and no guess.",
        "x": "",
        "a king\nand/": "The model has never seen '/': left out.",
        "12\u00e91": "The model has never seen '1', '2', '\u00e9': left out. Type a character: with",
        "the king of the ": "",
        "the queen of the " * 12: "It reads at most 128 characters: the last 128 of 204.",
    }
    states = [
        {"text": text, "block": luck.randrange(3), "head": luck.randrange(4)} for text in notes
    ]
    for seen, note in zip(explorer.follow(states), notes.values(), strict=True):
        assert seen["note"].startswith(note) and bool(seen["note"]) == bool(note)


class Beats(Shown):
    """One head in six beats, in chapter 06."""

    NAME = "06 six"
    LOOK = """() => {
        const kinds = (e) => [...e.querySelectorAll("path")].map((path) => path.getAttribute("class"));
        const tips = (e) => [...e.querySelectorAll("path")].map((path) => path.getAttribute("d").split("L")[1].split(" ").map(Number));
        return {
            cells: all("[data-cell]", (e) => ({
                place: e.dataset.cell, there: !e.disabled, value: value(e), text: text(e), lit: e.matches(".lit"),
                held: pressed(e), tab: e.tabIndex, weight: Number(e.style.getPropertyValue("--weight")), kinds: kinds(e), tips: tips(e),
                label: e.getAttribute("aria-label"),
            })),
            beats: all(".bar button", pressed), heads: all(".presets button", pressed),
            slider: [el.querySelector("input").value, el.querySelector("input").getAttribute("aria-valuetext")],
            names: all(".names", (list) => all(".now", text, list)), now: all(".formula .now", text),
            told: text(el.querySelector(".says p")), sum: text(el.querySelector(".sum")),
            threads: all(".threads path", attribute("stroke-width")), ticks: all(".tick", text),
        };
    }"""
    NAMES = ["project", "compare", "score", "scale", "softmax", "add"]

    def tables(self):
        """What the head computes, in float64, by the functions of the package."""
        double = lambda rows: torch.tensor(rows, dtype=torch.float64)  # noqa: E731
        found = {name: double(W) for name, W in self.state["heads"][self.state["head"]].items()}
        found["x"] = x = double(self.state["x"])
        for name in "qkv":
            found[name] = x @ found[f"W_{name}"]
        found["scores"] = attention_scores(found["q"], found["k"], scale=1.0)
        found["scaled"] = attention_scores(found["q"], found["k"])
        found["weights"] = attention_weights(found["scaled"])
        found["out"] = found["weights"] @ found["v"]
        return found | {"again": found["q"], "kT": found["k"].T, "values": found["v"]}

    def rows_done(self, beat):
        """How many rows of this beat, 1 to 6, are done."""
        return max(0, min(6, self.state["step"] - 6 * (beat - 1)))

    def stands(self, row):
        """What a row of the table holds: None, or the name of a beat."""
        done = [self.NAMES[b - 1] for b in (2, 3, 4, 5) if self.rows_done(b) > row]
        return done[-1] if done else None

    def there(self, name, row):
        if name == "table":
            return self.stands(row) is not None
        if name in ("q", "again", "k", "v", "out"):
            return self.rows_done(6 if name == "out" else 1) > row
        return {"kT": self.state["step"] > 6, "values": self.state["step"] > 30}.get(name, True)

    def focus(self, found):
        """Which number is explained: the pressed one if it's there, else one of the row in hand."""
        if self.state["cell"] and self.there(*self.state["cell"][:2]):
            return tuple(self.state["cell"])
        row, beat = self.row_and_beat()
        best = int(found["weights"][row].argmax())
        name = ("x", "q", "table", "table", "table", "table", "out")[beat]
        return name, row, best if name == "table" else 0

    def row_and_beat(self):
        step = self.state["step"]
        return (step - 1) % 6 if step else 0, math.ceil(step / 6)

    def sources(self, name, row, column):
        """The numbers that a number is made of."""
        across = lambda of, n, r: {(of, r, c) for c in range(n)}  # noqa: E731
        down = lambda of, n, c: {(of, r, c) for r in range(n)}  # noqa: E731
        if name in ("q", "again", "k", "v"):
            return across("x", 3, row) | down(f"W_{'q' if name == 'again' else name}", 3, column)
        if name in ("kT", "values"):
            return {("k", column, row) if name == "kT" else ("v", row, column)}
        if name == "out":
            return across("table", 6, row) | down("values", 6, column)
        if name == "table" and self.stands(row) in ("compare", "score"):
            pair = across("q", 2, row) | across("again", 2, row)
            return pair | down("kT", 2, column)
        return (
            across("table", 6, row) if name == "table" and self.stands(row) == "softmax" else set()
        )

    def arithmetic(self, found, name, row, column):
        """How a number is computed, written out."""
        asks = f"'{WORDS[row]}'"
        whole = lambda n: f"{n:.0f}" if n == round(n) else f"{n:.2f}"  # noqa: E731
        close = lambda text: f"({text})" if text.startswith("-") else text  # noqa: E731

        def products(a, b, say="{:.2f}".format):
            pairs = zip(a.tolist(), b.tolist(), strict=True)
            first = "{:.2f}".format
            return [
                f"{close(first(m)) if n else first(m)}\u00b7{close(say(b))}"
                for n, (m, b) in enumerate(pairs)
            ]

        if name in ("q", "again", "k", "v"):
            letter = "q" if name == "again" else name
            parts = products(found["x"][row], found[f"W_{letter}"][:, column], whole)
            return f"{letter} of {asks}: {' + '.join(parts)} = {found[letter][row, column]:.2f}"
        if name == "out":
            parts = products(found["weights"][row], found["v"][:, column])
            return f"context of {asks}: {' + '.join(parts)} = {found['out'][row, column]:.2f}"
        if name != "table":
            value = found[name][row, column].item()
            return {
                "x": f"x of {asks}, as given = {value:.2f}",
                "kT": f"the key of '{WORDS[column]}', turned into a column = {value:.2f}",
                "values": f"the value of {asks} = {value:.2f}",
            }.get(name) or f"training can change it = {whole(value)}"
        pair, level = f"{asks} with '{WORDS[column]}'", self.stands(row)
        parts = products(found["q"][row], found["k"][column])
        score, scaled, weight = (found[n][row, column] for n in ("scores", "scaled", "weights"))
        if level == "compare":
            each = (found["q"][row] * found["k"][column]).tolist()
            both = [f"{part} = {n:.2f}" for part, n in zip(parts, each, strict=True)]
            return f"{pair}: {' and '.join(both)}"
        if level == "score":
            return f"score of {pair}: {' + '.join(parts)} = {score:.2f}"
        if level == "scale":
            return f"scaled score of {pair}: {score:.2f} / \u221a2 = {scaled:.2f}"
        powers = [f"{n:.2f}" for n in found["scaled"][row].exp().tolist()]
        return (
            f"weight of {pair}: e^{scaled:.2f} = {powers[column]}, and {powers[column]} / "
            f"({' + '.join(powers)}) = {weight:.2f}"
        )

    def sentence(self, found):
        row, beat = self.row_and_beat()
        best = int(found["weights"][row].argmax())
        word, most, weight = WORDS[row], WORDS[best], f"{found['weights'][row, best]:.2f}"
        return (
            "Each of the 6 words has a vector x. The head has three matrices.",
            f"Three matrices turn the x of '{word}' into a query, a key and a value. No other word is needed.",
            f"The query of '{word}' meets every key: number times number. Arrows that point the same way fit.",
            f"The products are added. A score says how well a key fits the query of '{word}'.",
            f"Each score of '{word}' is divided by \u221a2, the root of the head size.",
            f"Softmax turns the row of '{word}' into weights that sum to 1. '{most}' has the largest, {weight}.",
            f"The weights of '{word}' mix the values into its context. '{most}' gives the largest share, {weight}.",
        )[beat]

    def compare(self, seen):
        """Everything that the page shows, against torch on the state that it should have."""
        found, (row, beat) = self.tables(), self.row_and_beat()
        focus = self.focus(found)
        lit = self.sources(*focus)
        kind = {"compare": "scores", "score": "scores", "scale": "scaled", "softmax": "weights"}
        largest = found["scores"].abs().max().item()
        longest = {name: found[name].norm(dim=1).max().item() for name in "qk"}
        for one in seen["cells"]:
            name, *place = one["place"].split()
            r, c = map(int, place)
            level = self.stands(r) if name == "table" else None
            assert one["there"] == self.there(name, r), one
            assert one["lit"] == ((name, r, c) in lit), one
            assert one["held"] == ((name, r, c) == focus) == (one["tab"] == 0), one
            arrows = [found["k"][c], found["q"][r]] if level == "compare" else []
            assert one["kinds"] == ["key", "query"][: len(arrows)]
            for tip, arrow, of in zip(one["tips"], arrows, "kq"[: len(arrows)], strict=True):
                x, y = (0.9 * arrow / longest[of]).tolist()
                assert tip == pytest.approx([x, -y], abs=1e-6)
            if not one["there"]:
                assert one["text"] == "" and one["label"] == "not yet"
                continue
            value = found[kind[level] if level else name][r, c].item()
            assert one["value"] == pytest.approx(value, abs=1e-6)
            told = one["text"].replace("\u2212", "-")
            assert told == "" if arrows else float(told) == pytest.approx(value, abs=0.00501)
            assert one["label"].endswith(one["text"]), "the name has what is read"
            if level:
                share = value**0.5 if level == "softmax" else abs(value) / largest
                assert one["weight"] == pytest.approx(share, abs=1e-6)
        mine = focus[1] if focus[0] == "out" else row
        wide = [0.6 + 14 * w for w in found["weights"][mine].tolist()] if beat == 6 else []
        assert seen["threads"] == pytest.approx(wide, abs=1e-4)
        assert seen["beats"] == [b == beat for b in range(1, 7)]
        assert seen["heads"] == [name == self.state["head"] for name in self.state["heads"]]
        says = f"{self.NAMES[beat - 1]}, row of '{WORDS[row]}'" if beat else "begin"
        assert seen["slider"] == [f"{self.state['step']}", says]
        assert seen["names"] == [[WORDS[row]] if beat else []] * 3
        part = {
            1: "q k\u1d40 v",
            2: "q k\u1d40",
            3: "q k\u1d40",
            4: "/ \u221a2",
            5: "softmax( )",
            6: "v",
        }
        assert " ".join("".join(seen["now"]).split()) == part.get(beat, "").replace("q k", "qk")
        assert seen["told"] == self.sentence(found)
        told, wanted = seen["sum"].replace("\u2212", "-"), self.arithmetic(found, *focus)
        figures = re.compile(r"-?\d+(?:\.\d+)?")
        bare = lambda text: figures.sub("#", re.sub(r"\((-[\d.]+)\)", r"\1", text))  # noqa: E731
        assert bare(told) == bare(wanted), (told, wanted)
        ours, theirs = (list(map(float, figures.findall(each))) for each in (told, wanted))
        assert ours == pytest.approx(theirs, abs=0.01001)
        return seen


@pytest.mark.browser
def test_every_step_of_every_head_is_drawn_as_torch_computes_it(table):
    explorer, luck = Beats(table), random.Random(6)
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
        heads = live()["06 six"].state["heads"] | {"random": matrices}
        x = torch.randn(6, 3, generator=draw).tolist()
        states.append(
            {"x": x, "heads": heads, "head": "random", "step": luck.randrange(37), "cell": None}
        )
    explorer.follow(states)


@pytest.mark.browser
def test_arrow_keys_lead_over_all_tables_of_the_head(table):
    """Along the words of the lower tables, up to what is above them, and past what isn't there yet."""
    explorer = Beats(table)
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


@pytest.mark.browser
def test_the_beats_follow_pointer_wheel_and_keys_and_leave_the_page_alone(opened):
    page = opened()
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


@pytest.mark.browser
def test_a_narrow_page_shows_the_tables_of_the_beat_and_a_finger_swipes(opened):
    page = opened(**PHONE)
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


BOX, HELD, SLIDER = "input[type=checkbox]", "th button", "input[type=range]"
CONTROLS = {  # what is clicked, pressed or chosen, and where it leads
    "03": (Next, [
        ((SLIDER, 0, "=0.4"), {"temperature": 0.4}), (("select", 0, "=5"), {"last": 5}),
        ((".top button", 0), {"seed": 6}), (("select", 0, "=4"), {"last": 4, "moved": {}}),
        ((".handle", 0, "ArrowLeft"), lambda bars: bars.nudge(0, "ArrowLeft")), ((".top button", 1), {"moved": {}}),
    ]),
    "06": (Shown, [
        ((BOX, 0), {"scaled": False}), ((BOX, 1), {"causal": True}), ((HELD, 3), {"row": 3}),
        (("select", 0, "=4"), {"target": 4}), ((HELD, 1), {"row": 1}), ((BOX, 0), {"scaled": True}),
    ]),
    "07": (Row, [((SLIDER, 0, "=1"), {"power": 1}), ((SLIDER, 1, "=2"), {"size": 2})]),
    "08 curtain": (Drawn, [
        ((SLIDER, 0, "=2"), {"at": 2}), ((HELD, 5), {"row": 5}), ((SLIDER, 0, "=4"), {"at": 4}),
        ((HELD, 6), {"row": 6}), ((SLIDER, 0, "=0"), {"at": 0}), ((HELD, 0), {"row": 0}),
    ]),
    "08 future": (Shown, [((BOX, 0), {"late": True}), ((HELD, 3), {"row": 3})]),
    "10": (Cuts, [
        ((".presets button", 2), {"heads": 3}), (("tr button", 4), {"row": 4}),
        ((".presets button", 0), {"heads": 1}), (("tr button", 7), {"row": 1}),
    ]),
    "10 two": (Shown, [((BOX, 0), {"two": True})]),
    "06 six": (Beats, [
        ((SLIDER, 0, "=9"), {"step": 9}), ((".bar button", 0), {"step": 6}), ((".presets button", 1), {"head": "random"}),
        (("[data-cell]", 30), {"cell": ["v", 3, 0]}), ((".presets button", 0), {"head": "laid out"}),
    ]),
    "06 six, a number in its table": (Beats, [  # it is let go where another is filled
        ((SLIDER, 0, "=18"), {"step": 18}), (("[data-cell='table 1 4']", 0), {"cell": ["table", 1, 4]}),
        ((SLIDER, 0, "=20"), {"step": 20}), ((SLIDER, 0, "=26"), {"step": 26}), ((SLIDER, 0, "=7"), {"step": 7}),
        ((".bar button", 4), {"step": 30}), ((".bar button", 5), {"step": 36, "cell": None}),
        (("[data-cell='out 2 1']", 0), {"cell": ["out", 2, 1]}), ((SLIDER, 0, "=33"), {"step": 33}),
        ((SLIDER, 0, "=6"), {"step": 6, "cell": None}), ((SLIDER, 0, "=0"), {"step": 0}),
    ]),
    "14": (Typed, [
        ((".grid button", 7), {"block": 1, "head": 3}), (("textarea", 0, "=x"), {"text": "x"}),
        ((".grid button", 7, "ArrowUp"), {"block": 0}), ((".grid button", 3, "ArrowUp"), {}),
        ((".grid button", 3, "ArrowRight"), {}), ((".grid button", 3, "ArrowLeft"), {"head": 2}),
    ]),
}  # fmt: skip


@pytest.mark.browser
@pytest.mark.parametrize("name", CONTROLS)
def test_every_control_leads_to_its_state(table, name):
    kind, steps = CONTROLS[name]
    kind(table, name.partition(",")[0]).goes(steps)


@pytest.mark.browser
def test_no_explorer_opens_on_the_answer_to_its_question(table):
    one, two = Shown(table, "10 two").follow([{}, {"two": True}])
    assert "outside of the hull" in two["says"] and "outside of the hull" not in one["says"]
    assert "none of its future" in live()["08 curtain"].still.sentence
    explorer = Shown(table, "08 future")
    far, pulled = explorer.state["reach"], []
    for angle, late in ((246, False), (246, True), (66, True)):
        explorer.aim(angle, far)
        pulled.append({kind: explorer.state[kind] for kind in explorer.hand[1]} | {"late": late})
    row = explorer.state["row"]
    before, after, near, far = Shown(table, "08 future").follow([{}, *pulled])
    assert after["weights"][:-1] == before["weights"][:-1], "only its own row has it"
    for part in ("mix", "threads", "says"):
        assert after[part] == before[part], "a word that is cut off before softmax"
    near, far = (seen["weights"][row] for seen in (near, far))  # after it, every weight notices
    assert all(a < b for a, b in zip(near[:5], far[:5], strict=True)) and near[5] == far[5] == 0
    assert sum(near) < 0.5 < 0.9 < sum(far) < 1


@pytest.mark.browser
def test_every_head_follows_every_key_however_fast_they_come(opened):
    page = opened()
    explorer = Typed(page)
    explorer.el.locator("textarea").click()
    page.keyboard.press("Control+a")
    where, text = page.url, "k\nd s/?"  # of which the book has some for itself
    for key in text:
        page.keyboard.press("Enter" if key == "\n" else key)
    assert explorer.has(text=text)["note"] == "The model has never seen '/': left out."
    for key in ("ArrowLeft", "Backspace", "ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
    assert explorer.has(text=text[:-2] + "?")["note"] == ""
    explorer.el.get_by_role("button", name="block 1, head 3").click()
    for key in ("ArrowUp", "ArrowLeft"):  # the second where the first has led
        page.keyboard.press(key)
    explorer.has(block=0, head=2)
    assert page.url == where, "an arrow key turns no page"
    whole = "Mind the eel, for he is not cargo but a passenger. " * 3
    explorer.el.locator("textarea").fill(whole[:122])
    page.keyboard.type(whole[122:132])  # all at once; the last need a whole pass for each
    said = explorer.has(text=whole[:132], block=0, head=2)["note"]
    assert said == "It reads at most 128 characters: the last 128 of 132."
    for _ in range(5):
        page.keyboard.press("Backspace")
    explorer.has(text=whole[:127])


@pytest.mark.browser
def test_words_name_the_rows_where_a_cell_is_too_small_for_a_letter(opened):
    page = opened()
    explorer = Typed(page)
    page.add_style_tag(
        content="div.course-maps .map { font-size: 24px !important }"
    )  # as on a slide
    explorer.el.locator("textarea").fill("the king and\nthe kingdom of x")
    page.evaluate(
        "async () => { for (const _ of '12') await new Promise(requestAnimationFrame); }"
    )
    cell = explorer.el.locator(".map").evaluate(
        "e => parseFloat(e.style.getPropertyValue('--cell'))"
    )
    assert 12 <= cell < 20
    for side, measure in (("rows", "height"), ("columns", "width")):
        seen = explorer.el.locator(f".{side} span").evaluate_all(
            f"all => all.map((e) => [e.textContent, e.getBoundingClientRect().{measure}])"
        )
        assert [word for word, _ in seen] == ["the", "king", "and", "the", "kingdom", "of", "x"]
        long = [cell * n for n in (4, 5, 4, 4, 8, 3, 1)]
        assert [room for _, room in seen] == pytest.approx(long, abs=0.5)


@pytest.mark.browser
@pytest.mark.parametrize("size", [14, 26])
def test_words_beside_arrows_are_as_far_apart_as_they_are_large(opened, size):
    page = opened()
    page.add_style_tag(
        content=f"div.course-live.course-threads text {{ font-size: {size}px !important }}"
    )
    explorer = Shown(page, "06")
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


@pytest.mark.browser
def test_the_maps_have_the_colour_of_the_theme(opened):
    page = opened()
    explorer = Typed(page)
    first = """e => {
        const canvas = e.querySelector(".map canvas");
        const shown = [...canvas.getContext("2d").getImageData(0, 0, 1, 1).data.slice(0, 3)];
        return [shown, getComputedStyle(e).getPropertyValue("--query").trim()];
    }"""
    found = []
    for theme in ("light", "navy"):
        turn(page, theme)
        explorer.agrees()
        shown, role = explorer.el.evaluate(first)
        assert shown == [int(role[n : n + 2], 16) for n in (1, 3, 5)]
        found.append(role)
    assert found[0] != found[1]


@pytest.mark.browser
def test_without_its_weights_the_still_picture_stays(address, chrome):
    page, errors, _ = watched(chrome)
    page.add_init_script("globalThis.courseWeights = Object.freeze({})")  # nothing can come in
    page.goto(address)
    stills = page.locator("main .course-figure svg[role=img]")
    assert stills.count() == 1 and stills.is_visible()
    assert page.locator("div.course-live").count() == len(live()) - 1 and not errors
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("width", (390, pytest.param(780, marks=pytest.mark.weekly), 1280))
def test_all_text_is_twelve_pixels_or_more(opened, width):
    page = opened(viewport={"width": width, "height": 900})
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
def test_axe_finds_nothing_in_any_theme_whatever_is_open(opened, themes):
    page = opened()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert not page.evaluate(AXE_RUN, [True])
    explorer = Shown(page, "06")
    explorer.drag((0.48, 0.95))
    explorer.el.locator("input[type=checkbox]").nth(1).check()
    turned = Shown(page, "05")
    turned.drag((0.4, 0.0))  # one weight near 1: the darkest cell
    for name in ("08 future", "10 two"):
        other = Shown(page, name)
        other.el.locator("input[type=checkbox]").check()
        if "mask" in other.state:
            other.el.locator("[data-cell='4 5']").click()  # a cell of the future: red
    Drawn(page).el.locator("input").evaluate(
        "e => { e.value = 2; e.dispatchEvent(new Event('input')); }"
    )
    assert page.evaluate(ONE_OF_EACH_KIND) > 150
    beats = Beats(page)
    for name in ("3 score", "6 add"):
        beats.el.get_by_role("button", name=name).click()
        assert page.evaluate(ONE_OF_EACH_KIND) > 150
    for theme in themes:
        turn(page, theme)
        assert not (found := page.evaluate(AXE_RUN, [False])), (theme, found)


@pytest.mark.browser
def test_the_explorer_and_the_figure_say_the_same(table):
    for explorer in (Next(table), Cuts(table), Typed(table)):
        assert explorer.follow([{}])[0]["says"] == explorer.still
    explorer, nothing = Shown(table, "05"), [0.0, 0.0]
    first, unasked = (seen["says"] for seen in explorer.follow([{}, {"queries": [nothing]}]))
    assert first == explorer.still
    assert unasked == arrows_figure(torch.tensor(nothing), KEYS, WORDS).sentence


@pytest.mark.browser
def test_without_script_the_still_picture_stays(opened):
    page = opened(java_script_enabled=False)
    stills = page.locator("main .course-figure svg[role=img]")
    assert stills.count() == len(live()) and page.locator("div.course-live").count() == 0
    assert all(still.is_visible() and still.get_attribute("aria-label") for still in stills.all())
    assert "threads" not in page.locator("main").inner_text(), "the state is no text"
