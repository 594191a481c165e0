"""The numbers in the sentences of chapter 02's figures, against slices and counts of our own."""

import html
import re

import pytest
import torch

from attention.batches import get_batch
from chapters.ch02.exercises import is_right
from chapters.ch02.explorer import window_explorer
from chapters.ch02.figures import batch_figure, pipeline_figure, starts_figure, window_figure

SENTENCE = "Your journey starts with one step"


@pytest.fixture(autouse=True)
def coarse(monkeypatch):
    """Draw few pixels: what is tested is what the sentences say."""
    monkeypatch.setattr("course.draw.picture.DPI", 20)


def spoken(text, start, block):
    """What the sentence must say, from slices of the string."""
    inputs, targets = text[start : start + block], text[start + 1 : start + 1 + block]
    asked = f"A window of {block} on a text of {len(text)} tokens starts at position {start}."
    if start + block < len(text):
        return asked, f"The inputs are '{inputs}' and the targets '{targets}'"
    count = [
        f"{len(p)} {w}{'' if len(p) == 1 else 's'}"
        for p, w in ((inputs, "input"), (targets, "target"))
    ]
    return asked, f"give {count[0]} and {count[1]} instead of {block} each"


@pytest.mark.parametrize("control", ["start", "block"])
def test_explorer_says_what_the_slices_hold(control):
    explorer = window_explorer(SENTENCE)
    slider = explorer.controls[control]
    for value in range(slider.min, slider.max + 1):
        slider.value = value
        state = explorer.state
        said = html.unescape(explorer.view.value)
        assert said.count("<img") == 1
        for part in spoken(SENTENCE, state["start"], state["block"]):
            assert said.count(part) == 2  # the alt text and the caption


def test_explorer_reaches_an_empty_window():
    explorer = window_explorer(SENTENCE)
    assert explorer.controls["start"].max == len(SENTENCE)
    explorer.controls["start"].value = len(SENTENCE)
    said = explorer.render(**explorer.state).sentence
    assert "give 0 inputs and 0 targets" in said
    assert "last start with a full block is 24." in said


def test_last_full_start_is_the_last():
    n = len(SENTENCE)
    for block in (1, 3, 8, 10):
        last = n - block - 1
        assert "The slices give" not in window_figure(SENTENCE, last, block).sentence
        late = window_figure(SENTENCE, last + 1, block).sentence
        assert f"{block} input{'s' * (block > 1)} and {block - 1} target" in late
        assert f"full block is {last}." in late


def test_a_text_shorter_than_a_block_names_no_start():
    said = window_figure("abc", 0, 5).sentence
    assert "give 3 inputs and 2 targets instead of 5" in said
    assert "last start" not in said


def test_window_says_the_first_and_the_last_example():
    said = window_figure(SENTENCE, 5, 3).sentence
    first, last = "The first asks for 'o' after 'j'", "the last asks for 'r' after 'jou'"
    assert f"3 examples. {first}, and {last}." in said


def test_batch_figure_counts_its_examples_and_shows_white_space():
    vocab = ["\n", "a", "b", "\N{GRINNING FACE}"]
    x, y = torch.tensor([[1, 2, 0], [3, 1, 1]]), torch.tensor([[2, 0, 3], [1, 1, 2]])
    said = batch_figure(x, y, vocab).sentence
    assert "2 sequences of 3 positions: 6 examples" in said
    assert "inputs 'ab\u21b5' and the targets 'b\u21b5\N{GRINNING FACE}'" in said


@pytest.mark.parametrize("seed", range(5))
def test_starts_figure_names_every_late_start(seed):
    n_train, n_ids, block = 67, 101, 5
    generator = torch.Generator().manual_seed(seed)
    starts = torch.randint(n_ids - block, (7,), generator=generator)
    said = starts_figure(starts, n_train, n_ids, block).sentence
    train = torch.arange(n_train)
    late = [b for b, s in enumerate(starts.tolist()) if len(train[s + 1 : s + 1 + block]) < block]
    assert late, "the draw has to hold a late start"
    found = re.search(r"Sequences? ([\d, ]+) starts? too late\.$", said)
    assert found[1] == ", ".join(map(str, late))
    assert "last start with a full block in the training part is 61." in said


def test_starts_figure_on_the_border():
    said = starts_figure(torch.tensor([61, 0]), 67, 101, 5).sentence
    assert said.endswith("No start is too late.")
    said = starts_figure(torch.tensor([0, 62]), 67, 101, 5).sentence
    assert said.endswith("Sequence 1 starts too late.")


FAULTS = {  # of the loaders of exercise 6: what is true of each and of no right one
    "targets_not_shifted": lambda x, y: torch.equal(x, y),
    "targets_rolled": lambda x, y: torch.equal(y, x.roll(-1, 1)),
    "targets_two_ahead": lambda x, y: torch.equal(y, x + 2),
    "never_the_last_block": lambda x, y: torch.equal(y, x + 1) and starts(x) == {*range(7)},
    "one_block_copied": lambda x, y: torch.equal(y, x + 1) and len(starts(x)) == 1,
    "never_the_first_block": lambda x, y: torch.equal(y, x + 1) and starts(x) == {*range(1, 8)},
    "last_target_missing": lambda x, y: torch.equal(y, torch.cat([x[:, 1:], x[:, -1:]], 1)),
}


def starts(x):
    return {*x[:, 0].tolist()}


@pytest.mark.parametrize("name", FAULTS)
def test_a_loader_of_exercise_6_has_the_fault_it_is_named_after(name):
    for loader, has_it in ((getattr(is_right, name), True), (get_batch, False)):
        x, y = loader(torch.arange(11), 500, 3, torch.Generator().manual_seed(1))
        assert len(x) == 500 and FAULTS[name](x, y) == has_it


@pytest.mark.parametrize(("starts", "block"), [([0, 6], 4), ([3, 10, 1], 5)])
def test_the_pipeline_cuts_blocks_and_the_targets_are_one_later(starts, block):
    tokens = list(SENTENCE[:16])
    ids = torch.tensor([100 + ord(token) for token in tokens])
    drawn = pipeline_figure(tokens, ids, starts, block)
    first, then = (SENTENCE[starts[0] + shift :][:block] for shift in (0, 1))
    assert drawn.sentence.endswith(f"the first inputs are '{first}', and their targets '{then}'.")
    assert f"The 16 characters of '{SENTENCE[:16]}' become 16 ids." in drawn.sentence
    assert f"{len(starts)} blocks of {block} ids" in drawn.sentence
    assert f"of shape ({len(starts)}, {block})" in drawn.sentence
    x, y = ([ids[s + shift : s + shift + block] for s in starts] for shift in (0, 1))
    shown = torch.cat([ids, *x, *y]).tolist()  # every id once in its row, and in each block
    for each in set(shown):
        assert drawn.svg.count(f">{each}</text>") == shown.count(each), each
