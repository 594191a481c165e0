"""Chapter 08: the numbers that its figures and its explorer state, and what it tells of others."""

import math

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers

from attention.masks import causal_mask, padding_mask, window_mask
from attention.properties import ripples
from chapters.ch08.explorer import curtain_explorer, mask_painter
from chapters.ch08.figures import leak_figure, mask_gallery, painted_sentence
from chapters.ch08.leaking_twins import DIAGONALS, stored
from tests.chapters.conftest import says
from tests.conftest import WORDS, X, matrices

T = len(WORDS)


def by_hand(rows: list[list[float]], mask: list[list[bool]]) -> tuple[list, list]:
    """Weights and outputs in Python floats, with loops; None for a row that may look nowhere."""
    q, k, v = (
        [[sum(a * b for a, b in zip(row, column, strict=True)) for column in W.T.tolist()] for row in rows]
        for W in matrices()
    )  # fmt: skip
    weights, outs = [], []
    for i in range(T):
        dots = [
            sum(a * b for a, b in zip(q[i], k[j], strict=True)) / math.sqrt(2) for j in range(T)
        ]
        shares = [math.exp(dots[j]) if mask[i][j] else 0.0 for j in range(T)]
        total = sum(shares)
        weights.append([share / total for share in shares] if total else None)
        outs.append(
            [sum(weights[i][j] * v[j][c] for j in range(T)) for c in (0, 1)] if total else None
        )
    return weights, outs


def ripples_by_hand(mask: list[list[bool]]) -> list[list[float]]:
    before = by_hand(X.tolist(), mask)[1]
    table = [[math.nan] * T for _ in range(T)]
    for j in range(T):
        rows = [
            [1 - value for value in row] if n == j else row for n, row in enumerate(X.tolist())
        ]
        after = by_hand(rows, mask)[1]
        for i in range(T):
            if before[i]:
                table[i][j] = max(abs(a - b) for a, b in zip(after[i], before[i], strict=True))
    return table


def check_sentence(said: str, mask: list[list[bool]]) -> None:
    ahead = [(r, c) for r in range(T) for c in range(r + 1, T) if mask[r][c]]
    opened = sum(map(sum, mask))
    assert f"{opened} of 36 cells open, {len(ahead)} of them in the future" in said
    closed = [word for word, cells in zip(WORDS, mask, strict=True) if not any(cells)]
    assert (", and no open cell for '" in said) == bool(closed)
    assert ("is nan" in said) == bool(closed)
    for word in closed:
        assert f"'{word}'" in said
    table = ripples_by_hand(mask)
    leaks = {(r, c): table[r][c] for r, c in ahead}
    if not leaks:
        assert "o output notices its future" in said
        return
    s = "s" * (len(leaks) > 1)
    row, column = max(leaks, key=leaks.get)
    most = f"in the output of '{WORDS[row]}' when '{WORDS[column]}' changes"
    says(
        said,
        f"leaks into {len(leaks)} cell{s}. The largest leak is {leaks[row, column]:f}, {most}",
    )


def attend(mask: torch.Tensor):
    """The outputs of a head with this mask, by torch."""
    W_q, W_k, W_v = matrices()

    def forward(x):
        scores = (x @ W_q) @ (x @ W_k).T / math.sqrt(2)
        return torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1) @ (x @ W_v)

    return forward


def painted(mask: torch.Tensor) -> str:
    """What the painter says; to draw its picture each time would take seconds."""
    return painted_sentence(mask, ripples(attend(mask), X), WORDS)


@pytest.mark.parametrize("diagonal", range(-1, T))
def test_the_painters_picture_says_what_loops_say(no_pixels, diagonal):
    mask = torch.ones(T, T, dtype=torch.bool).tril(diagonal)
    drawn = mask_painter(X, *matrices(), WORDS, {"painted": mask}, "painted").still.sentence
    assert drawn == painted(mask)
    check_sentence(drawn, mask.tolist())
    for cell in range(0, T * T, 5):
        flipped = mask.clone()
        flipped.view(-1)[cell] ^= True
        check_sentence(painted(flipped), flipped.tolist())


def test_an_empty_row_comes_back_by_any_cell_and_without_a_leak_by_its_own():
    for cell in range(T):
        mask = causal_mask(T).tril(-1)
        mask[0, cell] = True
        said = painted(mask)
        check_sentence(said, mask.tolist())
        assert "nan" not in said and ("No output notices" in said) == (cell == 0)


def test_ripples_agree_with_loops_and_leave_x_alone():
    mask, before = causal_mask(T), X.clone()
    found = ripples(attend(mask), X)
    torch.testing.assert_close(
        found, torch.tensor(ripples_by_hand(mask.tolist())), atol=1e-5, rtol=0
    )
    assert bool((found.triu(1) == 0).all()) and bool((found.diagonal() > 0.01).all())
    assert torch.equal(X, before)


def test_gallery_counts_open_cells_and_names_closed_rows(no_pixels):
    masks = {
        "all": torch.ones(T, T, dtype=torch.bool),
        "below": causal_mask(T).tril(-1),
        "window": window_mask(T, 3),
        "pads": causal_mask(T) & padding_mask(torch.tensor([4]), T)[0],
    }
    said = mask_gallery(masks, WORDS).sentence
    assert "all: 36 of 36 cells open, 15 of them in the future;" in said
    assert (
        "below: 15 of 36 cells open, 0 of them in the future, and no open cell for 'Your';" in said
    )
    assert "window: 15 of 36 cells open, 0 of" in said  # 1 + 2 + 4 * 3
    assert "pads: 18 of 36 cells open, 0 of" in said  # 21 without the 3 cells of the pads' columns


def test_leak_figure_tells_a_zero_weight_from_a_clean_output(no_pixels):
    names = ("after", "clean", "lost")
    triangle = torch.ones(2, 2).tril()
    weights = dict.fromkeys(names, triangle / triangle.sum(-1, keepdim=True))
    nan = torch.tensor([[math.nan, math.nan], [0.25, 0.5]])
    rings = torch.tensor([[0.5, 0.125], [0.25, 0.5]]), triangle, nan
    said = leak_figure(weights, dict(zip(names, rings, strict=True)), ["a", "b"]).sentence
    assert (
        "after: no weight on a future word, and the future leaks into 1 cell. The largest leak is "
        "0.1250, in the output of 'a' when 'b' changes." in said
    )
    assert "clean: no weight on a future word, and no output notices its future" in said
    assert (
        "lost: no weight on a future word, and no output notices its future; the output of 'a' is nan"
        in said
    )


@pytest.mark.parametrize("name", DIAGONALS)
@pytest.mark.parametrize("row", (0, 3, 6))
def test_the_curtain_says_what_loops_say(no_pixels, name, row):
    explorer, k = curtain_explorer(row, name), DIAGONALS[name]
    words, said = explorer.state["words"], explorer.still.sentence
    seen = [j for j in range(7) if k is None or j <= row + k]
    open_ = [(i, j) for i in range(7) for j in range(7) if k is None or j <= i + k]
    label = name if k is None else f"diagonal={name}"
    assert f"With {label}, '{words[row]}' sees {len(seen)} of 7 words, " in said
    leaks = " and ".join(f"'{words[j]}'" for j in seen if j > row)
    assert (f"and its future leaks: {leaks}." if leaks else "and none of its future.") in said
    ahead = sum(j > i for i, j in open_)
    assert f"{ahead} of the {len(open_)} open cells of the mask are in the future." in said
    runs = [*stored()[name].values()]
    means = {
        what: sum(run[what] for run in runs) / 3
        for what in runs[0]
        if what[:4] not in ("text", "read")
    }
    says(
        said,
        f"a loss of {means['training']:f} in training and of {means['without future']:f} with",
    )
    assert f"Of its 100 stories, {round(means['well formed'])} are well formed." in said


def test_hugging_faces_tokenizers_mark_words_with_1():
    """The one row of the chapter's conventions that its notebook tells and does not run."""
    vocabulary = {word: n for n, word in enumerate(["?", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.enable_padding(pad_id=0, pad_token="?")
    found = [e.attention_mask for e in tokenizer.encode_batch(["Your journey", " ".join(WORDS)])]
    assert found == padding_mask(torch.tensor([2, 6]), T).long()[:, 0].tolist()
