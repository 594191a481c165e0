"""The picture of a whole GPT in a page, from the disk: what its parts show is what torch computes."""

import itertools

import pytest
import torch

from chapters.ch13.explorer import tensors, whole_gpt
from chapters.ch13.whole_figure import PARTS, three_digits, whole_figure
from chapters.ch13.writer import BEGINNING
from course.publish.mdbook import build
from tests.pages import axe_finds_nothing_within, cell, course, explored, sizes_of_texts

KEYS = [part.key for part in PARTS if part.key]
OF_A_BLOCK = ["qkv", "weights", "mix", "heard", "hidden", "mlp", "out"]
STILL = {"reduced_motion": "reduce"}


@pytest.fixture(scope="module")
def read(trained):
    """The ids with which the explorer opens, and what the model makes of them."""
    model, tokenizer = trained
    ids = torch.tensor(tokenizer.encode("\n" + BEGINNING))
    return ids, tensors(model, ids)


# ---------------------------------------------------------------- without a page


def test_the_parts_are_those_of_the_models_own_pass(trained, read):
    (model, _), (ids, found) = trained, read
    logits, weights = model.forward_with_weights(ids[None])
    torch.testing.assert_close(found["logits"], logits[0])
    for n in range(model.config.n_layer):
        torch.testing.assert_close(found[f"weights {n}"], weights[n, 0])
        before = found[f"out {n - 1}"] if n else found["vectors"]
        torch.testing.assert_close(found[f"heard {n}"], before + found[f"mix {n}"])
        torch.testing.assert_close(found[f"out {n}"], found[f"heard {n}"] + found[f"mlp {n}"])
        assert (found[f"hidden {n}"] >= 0).all() and found[f"hidden {n}"].shape[-1] == 4 * 64


def test_the_still_picture_says_its_sizes_and_the_likeliest_token(trained):
    streams = torch.arange(4 * 7 * 5.0).view(4, 7, 5)
    drawn = whole_figure("kite", streams, {"Mira": 0.75, "and": 0.0001}, 491)
    for told in ("7 tokens", "vectors of 5 numbers", "each of 3 blocks", "491 logits"):
        assert told in drawn.sentence
    assert drawn.sentence.endswith("After 'kite', the most probable is 'Mira', with 75.0 %.")
    for number in ("30.0", "65.0", "100", "138"):  # of the last token: at first, after each block
        assert f">{number}</text>" in drawn.svg, number
    assert "75.0 %" in drawn.svg and "&lt; 0.1 %" in drawn.svg
    assert all(f">{part.label}</text>" in drawn.svg for part in PARTS)


def test_the_explorer_opens_on_the_sentence_of_the_writer(trained, read):
    (model, tokenizer), (ids, _) = trained, read
    chance, best = model(ids[None])[0, -1].softmax(dim=-1).max(dim=-1)
    explorer = whole_gpt()
    assert (
        f"'{tokenizer.decode([best]).strip()}', with {100 * chance:.1f} %"
        in explorer.still.sentence
    )
    assert len(explorer.state["tabs"]) == model.config.n_layer


@pytest.mark.parametrize(
    ("value", "shown_as"),
    [
        (-0.004, "0.00"),
        (1.234, "1.23"),
        (9.996, "10.0"),
        (-12.34, "\u221212.3"),
        (-642.08, "\u2212642"),
    ],
)
def test_three_digits(value, shown_as):
    assert three_digits(value) == shown_as


def test_boxes_do_not_overlap_and_arrows_end_at_them():
    for one, other in itertools.combinations(PARTS, 2):
        apart = (
            one.x + one.wide <= other.x or other.x + other.wide <= one.x
            or one.y + one.high <= other.y or other.y + other.high <= one.y
        )  # fmt: skip
        assert apart, (one.key, other.key)
    for line in whole_gpt().state["lines"]:
        x, y = line[-1]
        assert any(
            part.x <= x <= part.x + part.wide and part.y <= y <= part.y + part.high
            for part in PARTS
        ), line


# ---------------------------------------------------------------- in Chromium


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    root = course(
        tmp_path_factory.mktemp("whole") / "course", live=[cell("# Live"), explored(whole_gpt())]
    )
    build(root)
    return (root / "build" / "book" / "live.html").as_uri()


@pytest.fixture
def opened(address, visit):
    def load(**options):
        page = visit(address, **STILL | options)
        if options.get("java_script_enabled", True):
            page.evaluate("window.liveReady")
        return page

    return load


def press(page, key):
    """Press a part, and wait until it is drawn."""
    page.locator(".part").nth(KEYS.index(key)).click()
    page.wait_for_function(
        "n => document.querySelectorAll('.part')[n].ariaPressed === 'true'", arg=KEYS.index(key)
    )


def press_block(page, block):
    page.get_by_role("button", name=f"block {block}", exact=True).click()
    page.get_by_role("button", name=f"block {block}", exact=True, pressed=True).wait_for()


def numbers(page):
    rows = page.locator(".numbers tbody tr").evaluate_all(
        "rows => rows.map(tr => [...tr.querySelectorAll('td')].map(td => Number(td.dataset.value)))"
    )
    return torch.tensor(rows)


def pairs(found, ids, part, block, head):
    """The whole tensor of a part, and the slice that the page shows."""
    last, likely = slice(-5, None), found["logits"][-1].topk(5).indices
    if part == "ids":
        return ids, ids[last, None]
    if part == "qkv":
        three = [found[f"{name} {block}"] for name in ("queries", "keys", "values")]
        return three[0], torch.cat([x[head, last, :2] for x in three], dim=-1)
    if part == "weights":
        weights = found[f"weights {block}"]
        seen = weights[head, -1].topk(5).indices.sort().values
        slice_ = weights[head, last][:, seen]
        return weights, torch.cat([slice_, 1 - slice_.sum(dim=-1, keepdim=True)], dim=-1)
    if part == "logits":
        return found["logits"], found["logits"][last][:, likely]
    if part == "next":
        return found["logits"][-1], found["logits"][-1].softmax(dim=-1)[likely][:, None]
    whole = found[f"{part} {block}" if part in OF_A_BLOCK else part]
    return whole, whole[last, :5]


def agrees(page, found, ids, part, block=0, head=0):
    whole, slice_ = pairs(found, ids, part, block, head)
    sizes = f"= ({', '.join(map(str, whole.shape))})"
    page.locator(".title", has_text=sizes).wait_for()
    torch.testing.assert_close(numbers(page), slice_.to(numbers(page)), rtol=1e-3, atol=2e-3)


@pytest.mark.browser
def test_every_part_of_every_block_is_what_torch_computes(opened, read):
    (ids, found), page = read, opened()
    for part in KEYS:
        press(page, part)
        for block in range(3) if part in OF_A_BLOCK else (0,):
            press_block(page, block)
            heads = range(2) if part in ("qkv", "weights") else (0,)
            for head in heads:
                if len(heads) > 1:
                    page.get_by_role("button", name=f"head {head}", exact=True).click()
                    page.get_by_role("button", name=f"head {head}", pressed=True).wait_for()
                agrees(page, found, ids, part, block, head)


@pytest.mark.browser
def test_its_sentences_are_true(opened, trained, read):
    (_, tokenizer), (ids, found) = trained, read
    token = lambda i: tokenizer.decode([int(ids[i])]).strip() if i else "start"  # noqa: E731
    page = opened()
    told = {}
    for part in KEYS:
        press(page, part)
        agrees(page, found, ids, part)
        told[part] = page.locator(".says").inner_text()
    looked = found["weights 0"][0, -1]
    best = tokenizer.decode([int(found["logits"][-1].argmax())]).strip()
    chance = 100 * found["logits"][-1].softmax(dim=-1).max()
    assert f"{len(ids)} tokens" in told["ids"] and "491 vectors" in told["vectors"]
    assert told["weights"].endswith(
        f"'{token(-1)}' looks most at '{token(int(looked.argmax()))}', with weight {looked.max():.2f}."
    )
    active = int((found["hidden 0"][-1] != 0).sum())
    assert "256 numbers" in told["hidden"] and f"{active} of them aren't 0" in told["hidden"]
    assert told["out"].endswith("They go into block 1.")
    assert told["logits"].endswith(f"After 'kite', that of '{best}' is the highest.")
    assert told["next"].endswith(f"After 'kite', '{best}' has {chance:.1f} %.")
    press(page, "out")
    press_block(page, 2)
    page.get_by_text("They go into the last normalisation.").wait_for()


@pytest.mark.browser
def test_a_pressed_weight_says_what_it_is_computed_from(opened, read):
    (ids, found), page = read, opened()
    press(page, "weights")
    press_block(page, 1)
    weights, t = found["weights 1"][0], len(ids) - 1
    agrees(page, found, ids, "weights", block=1)
    looked = weights[-1].topk(5).indices.sort().values.tolist()
    cells = page.locator(".numbers td button")
    assert cells.count() == sum(s <= row for row in range(t - 4, t + 1) for s in looked)
    scores = found["queries 1"][0, t] @ found["keys 1"][0].T
    powers = (scores / 32**0.5).exp()
    for n in (0, 4):
        cells.nth(cells.count() - 5 + n).click()
        numbers = scores[looked[n]], scores[looked[n]] / 32**0.5, powers[looked[n]], powers.sum()
        times, scaled, power, total = (three_digits(float(number)) for number in numbers)
        sentence = (
            f" is {times}, and divided by √32 it is {scaled}. e to this power is {power}. The powers in this "
            f"row sum to {total}, so the weight is {weights[t, looked[n]]:.2f}."
        )
        page.locator(".says", has_text=sentence).wait_for()
    assert page.evaluate("document.activeElement.ariaPressed") == "true", "it has lost the focus"
    page.keyboard.press("ArrowLeft")
    text = cells.nth(cells.count() - 2).inner_text()
    assert page.evaluate("document.activeElement.textContent") == text
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.closest('tr').rowIndex") == 4
    assert page.locator(".numbers td button[tabindex='0']").count() == 1
    page.get_by_role("button", name="head 1", exact=True).click()
    page.locator(".says", has_text="In head 1 of block 1, 'kite' looks most at").wait_for()
    assert page.locator(".numbers td button[aria-pressed=true]").count() == 0


@pytest.mark.browser
def test_a_slider_leads_through_all_parts_in_order(opened):
    page = opened()
    page.get_by_role("slider", name="From text to next token:").focus()
    page.keyboard.press("Home")
    for n, key in enumerate(KEYS):
        page.wait_for_function(
            "n => document.querySelectorAll('.part')[n].ariaPressed === 'true'", arg=n
        )
        says = next(part.says for part in PARTS if part.key == key)
        assert page.get_by_role("slider").get_attribute("aria-valuetext") == says
        page.keyboard.press("ArrowRight")


@pytest.mark.browser
@pytest.mark.parametrize(("motion", "moves"), [("no-preference", 1), ("reduce", 0)])
def test_numbers_grow_out_of_their_part_where_things_may_move(opened, motion, moves):
    page = opened(reduced_motion=motion)
    page.evaluate(
        """() => {
            window.moves = 0;
            const {animate} = Element.prototype;
            Element.prototype.animate = function (...how) { window.moves += 1; return animate.apply(this, how); };
        }"""
    )
    for _ in range(2):  # a second press changes nothing
        press(page, "weights")
    assert page.evaluate("moves") == moves


@pytest.mark.browser
def test_a_typed_text_is_read(opened, trained):
    model, tokenizer = trained
    page = opened()
    typed = "Once there was a drum Emil beat and a"
    press(page, "next")
    page.get_by_role("textbox", name="Your text").fill(typed)
    ids = torch.tensor(tokenizer.encode("\n" + typed))
    page.locator(".says", has_text="After 'a'").wait_for()
    agrees(page, tensors(model, ids), ids, "next")
    page.get_by_role("textbox").fill("Once a zebra")
    page.get_by_text("The model has never seen 'zebra'").wait_for()
    page.get_by_role("textbox").fill("")
    page.locator(".says", has_text="After 'start'").wait_for()


@pytest.mark.browser
def test_keys_lead_from_part_to_part_and_blocks_take_enter(opened):
    page = opened()
    pressed = page.locator(".part[aria-pressed=true]").first
    page.locator(".part[tabindex='0']").first.focus()
    for key in KEYS[KEYS.index("vectors") + 1 :]:
        page.keyboard.press("ArrowRight")
        name = next(part.says for part in PARTS if part.key == key)
        page.wait_for_function(
            "name => document.querySelector('.part[aria-pressed=true]').ariaLabel === name",
            arg=name,
        )
        assert (
            page.evaluate("document.activeElement.ariaLabel")
            == name
            == pressed.get_attribute("aria-label")
        )
    page.keyboard.press("ArrowLeft")
    page.locator(".title", has_text="logits").wait_for()
    page.get_by_role("button", name="block 2", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="block 2", exact=True, pressed=True).wait_for()


@pytest.mark.browser
@pytest.mark.parametrize("width", (390, 1280))
def test_its_text_can_be_read_and_its_parts_can_be_hit(opened, width):
    page = opened(viewport={"width": width, "height": 900})
    for part in KEYS:
        press(page, part)
    sizes = [size for size, _ in sizes_of_texts(page, "div.course-whole")]
    assert len(sizes) > 40 and min(sizes) >= 12
    boxes = [box.bounding_box() for box in page.locator(".part").all()]
    assert min(min(box["width"], box["height"]) for box in boxes) >= 24
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.browser
def test_axe_finds_nothing(opened):
    page = opened()
    for part in ("vectors", "weights", "next"):
        press(page, part)
        axe_finds_nothing_within(page, ".course-whole")


@pytest.mark.browser
def test_without_scripts_a_true_picture_stands_there(opened):
    picture = opened(java_script_enabled=False).locator(".course-figure svg")
    assert whole_gpt().still.sentence in picture.get_attribute("aria-label")
    assert picture.locator("text", has_text="next token").first.is_visible()
