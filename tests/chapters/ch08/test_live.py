"""The live explorers of chapter 08: every cell, every mask, the pointer, and what they don't give away."""

import random

import pytest

from tests.chapters.ch08.live import MASKS, Curtain, Future, Painter
from tests.conftest import WORDS

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("late", (False, True))
def test_every_cell_opens_and_closes_before_softmax_and_after_it(live_table, late):
    explorer = Future(live_table)

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


def test_every_cell_and_every_mask(live_table):
    painter, luck = Painter(live_table), random.Random(8)
    painted = [[[luck.random() < 0.4 for _ in WORDS] for _ in WORDS] for _ in range(30)]
    presets = [{"mask": mask.tolist()} for mask in MASKS.values()]
    steps = [((".presets button", n), presets[n]) for n in (*range(len(MASKS)), 0)]
    steps += [
        (("[data-cell]", place), lambda painter, place=place: painter.flip(divmod(place, 6)))
        for place in range(36)
    ]
    painter.goes([({}, {}), *steps, *(({"mask": mask},) * 2 for mask in painted)])


def test_arrow_keys_lead_over_all_cells(live_table):
    painter = Painter(live_table)
    keys = ["ArrowRight"] * 2 + ["ArrowDown"] * 6 + ["ArrowLeft"] * 3 + ["ArrowUp"] * 2
    found = painter.through([("[data-cell][tabindex='0']", 0, key) for key in keys])
    row = column = 0
    for key, seen in zip(keys, found, strict=True):
        row = max(0, min(5, row + {"ArrowDown": 1, "ArrowUp": -1}.get(key, 0)))
        column = max(0, min(5, column + {"ArrowRight": 1, "ArrowLeft": -1}.get(key, 0)))
        assert seen["reached"] == [f"{row} {column}"]


def test_a_row_is_painted_by_one_stroke(open_live):
    page = open_live()
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


def test_every_mask_from_every_word_and_every_key(live_table):
    curtain = Curtain(live_table)
    curtain.follow([{"row": row, "at": at} for row in range(7) for at in range(5)])
    right, left, up, down = "ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"
    keys = [(right, 2), (right, 3), (right, 4), (right, 4)]
    keys += [(left, 3), (left, 2), (left, 1), (left, 0), (left, 0), (up, 1), (up, 2), (down, 1)]
    start = {"row": 3, "at": 1}
    curtain.goes([(start, start), *(((".handle", 0, key), {"at": at}) for key, at in keys)])


@pytest.mark.parametrize("width", (390, 1200))
def test_the_curtain_follows_the_pointer(open_live, width):
    page = open_live(viewport={"width": width, "height": 900})
    curtain = Curtain(page)
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


def test_the_curtain_opens_on_no_answer():
    assert "none of its future" in Curtain.first().still.sentence


def test_only_after_softmax_every_weight_notices_a_word_that_is_cut_off(live_table):
    explorer = Future(live_table)
    far, pulled = explorer.state["reach"], []
    for angle, late in ((246, False), (246, True), (66, True)):
        explorer.aim(angle, far)
        pulled.append({kind: explorer.state[kind] for kind in explorer.hand[1]} | {"late": late})
    row = explorer.state["row"]
    before, after, near, far = Future(live_table).follow([{}, *pulled])
    assert after["weights"][:-1] == before["weights"][:-1], "only its own row has it"
    for part in ("mix", "threads", "says"):
        assert after[part] == before[part], "a word that is cut off before softmax"
    near, far = (seen["weights"][row] for seen in (near, far))  # after it, every weight notices
    assert all(a < b for a, b in zip(near[:5], far[:5], strict=True)) and near[5] == far[5] == 0
    assert sum(near) < 0.5 < 0.9 < sum(far) < 1
