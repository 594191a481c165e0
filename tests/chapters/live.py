"""What the tests of live explorers share: a page that has all of them, and what one shows beside its state.

A chapter describes its explorers in `chNN/live.py`, and tests them in `chNN/test_live.py`; `test_live.py` holds
for all of them.
"""

import math
from functools import cache
from importlib import import_module
from pathlib import Path

from course.draw.live import Live
from course.draw.parts import fingerprint

DESK = {"width": 1200, "height": 900}
PHONE = dict(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
BOX, HELD, SLIDER = "input[type=checkbox]", "th button", "input[type=range]"

# Each change is drawn at once, so that two hundred states take no longer than some frames.
STEPS = """async ([module, first, file, steps]) => {
    let state = first, draw;
    const weights = file && await unpacked(courseWeights[file]);
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


KINDS: dict[str, type["Shown"]] = {}  # by name


@cache
def explorers() -> dict[str, type["Shown"]]:
    """The explorers of all chapters, in their order."""
    for path in sorted(Path(__file__).parent.glob("ch*/live.py")):
        import_module(f"tests.chapters.{path.parent.name}.live")
    return dict(sorted(KINDS.items()))


def stepped(value, key, small, large):
    """Where an arrow key leads from a value: on by a step, or by a small one with Shift, in whole steps."""
    size = small if key.startswith("Shift") else large
    by = -1 if key.endswith(("Left", "Down")) else 1
    return (math.floor(value / size + 0.5) + by) * size


class Shown:
    """A live explorer on a page, beside the state that it should have."""

    NAME = ""  # the heading above it on the page
    LOOK = ""  # JavaScript: a function that reads what it shows, with what SEE gives
    CONTROLS: dict[str, list] = {}  # steps with controls, and where each of them leads

    def __init_subclass__(cls):
        if name := vars(cls).get("NAME"):
            assert name not in KINDS, f"two explorers with the name {name!r}"
            KINDS[name] = cls

    @staticmethod
    def live() -> Live:
        """Make the explorer."""
        raise NotImplementedError

    @classmethod
    @cache
    def first(cls) -> Live:
        """The explorer as it is put on the page."""
        return cls.live()

    def __init__(self, page):
        self.page, self.state = page, {**self.first().state}
        self.still = self.first().still.sentence
        self.el = page.locator("div.course-live").nth(list(explorers()).index(self.NAME))
        self.handle = self.el.locator(".handle")
        self.el.scroll_into_view_if_needed()

    def compare(self, seen):
        """Everything that the page shows, against torch on the state that it should have."""
        raise NotImplementedError

    def stir(self):
        """Bring out what the first state hasn't, the darkest cell or what is wrong, and stop at each."""
        yield

    @property
    def see(self):
        """The JavaScript that reads what the page shows."""
        return SEE.replace("LOOK", self.LOOK)

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
        kinds = ["state" if isinstance(step, dict) else "act" for step in steps]
        first, steps = self.first(), list(zip(kinds, steps, strict=True))
        file = fingerprint(first.weights) if first.weights else ""
        given = [first.module, first.state, file, steps]
        return self.page.evaluate(STEPS.replace("SEE", self.see), given)


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
