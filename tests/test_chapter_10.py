"""Chapter 10: the numbers that its figures and its explorer state, and its references."""

import html
import re

import pytest
import torch
import torch.nn.functional as F

from attention.multi_head import MultiHeadAttention, merge_heads
from course.chapters.ch10.explorer import VIEWS, heads_explorer
from course.chapters.ch10.figures import leftover_figure, ribbon_figure, shares_figure
from course.draw.picture import Picture, picture
from course.learn.exercises import load
from tests.conftest import WORDS, answer

T = len(WORDS)


@pytest.fixture(autouse=True)
def no_pixels(monkeypatch):
    """The pictures with their sentence but without pixels, which take the time."""
    monkeypatch.setattr(
        "course.chapters.ch10.figures.picture",
        lambda figure, sentence: Picture("", " ".join(sentence.split())),
    )


def test_the_shares_figure_draws_what_is_heard_only_if_it_is_given(monkeypatch):
    monkeypatch.setattr("course.chapters.ch10.figures.picture", picture)
    values, shares = torch.arange(24.0).view(6, 4), torch.eye(6)[[0, 2]]
    out = torch.cat([shares[0] @ values[:, :2], shares[1] @ values[:, 2:]])
    asks, says = (shares_figure(values, shares, WORDS, "step", *given) for given in ((), (out,)))
    assert asks.svg.count(">?</text>") == 4 and "hears" not in asks.sentence
    assert ">?</text>" not in says.svg and says.sentence.endswith("It hears [0, 1, 10, 11].")
    assert "Head 0: 1 of 'Your'. Head 1: 1 of 'starts'" in says.sentence
    one = shares_figure(values, torch.tensor([[0.5, 0, 0.5, 0, 0, 0]]), WORDS, "step")
    assert "All channels: 0.5 of 'Your' and 0.5 of 'starts'." in one.sentence


def numbers(pattern: str, sentence: str) -> list[int]:
    found = re.search(pattern, sentence)
    assert found, (pattern, sentence)
    return [int(group.replace(",", "")) for group in found.groups()]


def source(view: str, n_head: int, head: int, row: int) -> int:
    """The word that a row of a head was cut from: a right cut keeps it, a wrong one reads on."""
    split_wrong = view in ("wrong view when splitting", "wrong both times")
    return (head * T + row) // n_head if split_wrong else row


def made_by(view: str, n_head: int, t: int, part: int) -> tuple[int, int]:
    """Which head and row end up in this part of output t."""
    if view in ("wrong reshape when merging", "wrong both times"):
        return divmod(t * n_head + part, T)
    return part, t


def by_counting(view: str, n_head: int) -> tuple[int, int, int]:
    """Looks ahead, pairs of the past that are heard, and parts out of place, on integers only."""
    ahead, past, astray = set(), set(), 0
    for t in range(T):
        for part in range(n_head):
            head, row = made_by(view, n_head, t, part)
            astray += source(view, n_head, head, row) != t
            for key_row in range(row + 1):
                j = source(view, n_head, head, key_row)
                (ahead if j > t else past).add((t, j))
    return len(ahead), len(past), astray


def agrees(sentence: str, n_head: int, width: int, view: str) -> None:
    """Every number of the explorer's sentence, against counting."""
    if width % n_head:
        found = numbers(
            r"(\d+) channels cannot .* by (\d+) heads: each would get (\d+), and (\d+)", sentence
        )
        assert found == [width, n_head, width // n_head, width % n_head]
        return
    ahead, past, astray = by_counting(view, n_head)
    cut = numbers(r"^(\d+) channels cut into (\d+) heads? of (\d+), ", sentence)
    assert cut == [width, n_head, width // n_head]
    assert VIEWS[view][0] in sentence
    assert numbers(r"(\d+) of the (\d+) outputs before a changed", sentence) == [ahead, 15]
    assert numbers(r"Of the (\d+) pairs .* (\d+) are heard", sentence) == [21, past]
    assert numbers(r"(\d+) of the (\d+) parts", sentence) == [astray, n_head * T]
    assert ("the largest by" in sentence) == (ahead > 0)
    module = MultiHeadAttention(width, n_head, T)
    count = sum(parameter.numel() for parameter in module.parameters())
    assert numbers(r"has ([\d,]+) parameters", sentence) == [count]


def shown(explorer) -> str:
    return html.unescape(re.search("<figcaption>(.*)</figcaption>", explorer.view.value)[1])


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("width", [12, 24])
def test_the_explorer_over_every_number_of_heads(view, width):
    explorer = heads_explorer(WORDS)
    explorer.controls["view"].value = view
    explorer.controls["width"].value = width
    heads = explorer.controls["n_head"]
    for n_head in range(heads.min, heads.max + 1):
        heads.value = n_head
        agrees(shown(explorer), n_head, width, view)


def test_the_explorer_over_every_width_and_view():
    explorer = heads_explorer(WORDS)
    width, view = explorer.controls["width"], explorer.controls["view"]
    for value in range(width.min, width.max + 1, width.step):
        width.value = value
        agrees(shown(explorer), 2, value, view.value)
    assert width.value == width.max
    for name in view.options:
        view.value = name
        agrees(shown(explorer), 2, width.max, name)


def test_the_explorer_shows_what_the_chapter_says():
    explorer = heads_explorer(WORDS)
    assert explorer.state == {"n_head": 2, "width": 12, "view": "wrong view when splitting"}
    agrees(explorer.still.sentence, **explorer.state)
    for n_head in (1, 2, 3, 4, 6):
        assert by_counting("view, then transpose", n_head) == (0, 21, 0)
        assert by_counting("wrong both times", n_head)[0] == 0
    for view in VIEWS:
        assert by_counting(view, 1) == (0, 21, 0)
    assert by_counting("wrong both times", 6) == (0, 6, 0)  # each word hears itself alone


@pytest.mark.parametrize("n_head", [1, 2, 3, 6])
def test_ribbon_figure_counts_the_rows_that_went_astray(n_head):
    x = torch.arange(6.0 * T).view(T, 6)
    sentence = ribbon_figure(x, n_head, WORDS).sentence
    rows = [(h, t, (h * T + t) // n_head) for h in range(n_head) for t in range(T)]
    astray, n_rows = numbers(r"(\d+) of the (\d+) rows belong", sentence)
    assert (astray, n_rows) == (sum(word != t for _, t, word in rows), n_head * T)
    row, head, away = numbers(r"Row (\d+) of head (\d+), .* (\d+) (?:later|earlier)", sentence)
    place, holds = re.search(r"place of '(\w+)', holds numbers of '(\w+)'", sentence).groups()
    assert place == WORDS[row] and (head, row, WORDS.index(holds)) in rows
    assert away == max(word - t for _, t, word in rows)
    wrong = x.view(n_head, T, 6 // n_head)
    assert f"with strides {wrong.stride()}" in sentence
    assert torch.equal(wrong[head, row] // 6, torch.full((6 // n_head,), WORDS.index(holds)))


def test_ribbon_figure_works_inside_a_larger_tensor():
    x = torch.arange(48.0).view(2, T, 4)[1]
    assert ribbon_figure(x, 2, WORDS).sentence == ribbon_figure(x.clone(), 2, WORDS).sentence


def test_ribbon_figure_refuses_what_it_cannot_cut():
    x = torch.zeros(T, 6)
    for tensor, n_head, words in (
        (x, 4, WORDS),
        (x, 2, WORDS[:3]),
        (torch.zeros(6, T).T, 2, WORDS),
    ):
        with pytest.raises(ValueError, match="expected a contiguous"):
            ribbon_figure(tensor, n_head, words)


def test_leftover_figure():
    assert "each would get 2, and 2 would be left over" in leftover_figure(12, 5).sentence


def test_split_and_merge_undo_each_other():
    for x, n_head in load("10.split_heads").inputs:
        assert torch.equal(merge_heads(answer("10.split_heads")(x, n_head)), x)


@pytest.mark.parametrize("n", range(4))
def test_the_whole_agrees_with_pytorchs_module(n):
    x, w_qkv, w_out, n_head = inputs = load("10.multi_head").fixed[n]
    nothing = torch.zeros(3 * x.shape[-1]), torch.zeros(x.shape[-1])
    future = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
    theirs, _ = F.multi_head_attention_forward(
        *[x.transpose(0, 1)] * 3, x.shape[-1], n_head, w_qkv, nothing[0], None, None, False, 0.0,
        w_out, nothing[1], attn_mask=future,
    )  # fmt: skip
    torch.testing.assert_close(answer("10.multi_head")(*inputs), theirs.transpose(0, 1))


def test_packing_is_what_chunk_and_split_undo():
    draw = torch.Generator().manual_seed(1)
    w_q, w_k, w_v = ([torch.randn(2, 5, generator=draw) for _ in range(3)] for _ in range(3))
    x = torch.randn(2, 7, 5, generator=draw)
    packed = answer("10.pack")(w_q, w_k, w_v)
    cut = [answer("10.split_heads")(part, 3) for part in (x @ packed.T).chunk(3, -1)]
    for heads, weights in zip(cut, (w_q, w_k, w_v), strict=True):
        for h, weight in enumerate(weights):
            torch.testing.assert_close(heads[:, h], x @ weight.T)


def test_shared_heads_are_pytorchs_grouped_queries():
    q, k, v = torch.randn(2, 6, 5, 4), torch.randn(2, 3, 5, 4), torch.randn(2, 3, 5, 4)
    ours = F.scaled_dot_product_attention(q, *(answer("10.share_heads")(kv, 6) for kv in (k, v)))
    theirs = F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    torch.testing.assert_close(ours, theirs)


def test_the_count_is_that_of_a_real_module():
    for n_embd, n_head in load("10.count_parameters").fixed:
        module = MultiHeadAttention(n_embd, n_head, block_size=3)
        count = sum(parameter.numel() for parameter in module.parameters())
        assert answer("10.count_parameters")(n_embd, n_head) == count
    assert answer("10.count_parameters")(768, 12) == 2_360_064
