"""Chapter 05: the numbers that its figures and its explorer state."""

import math

import torch

from chapters.ch05.explorer import query_explorer
from chapters.ch05.figures import arrows_figure, attention_figure
from tests.chapters.conftest import says
from tests.conftest import WORDS, X

POLAR = [(20, 1.2), (70, 1.0), (100, 1.6), (170, 1.2), (240, 1.4), (310, 1.0)]
ARROWS = [(r * math.cos(math.radians(a)), r * math.sin(math.radians(a))) for a, r in POLAR]


def weights_by_hand(angle: float, length: float) -> list[float]:
    """|q| |k| cos(angle between), softmax: in Python floats, without vectors."""
    scores = [length * r * math.cos(math.radians(angle - a)) for a, r in POLAR]
    shares = [math.exp(score) for score in scores]
    return [share / sum(shares) for share in shares]


def check_sentence(sentence: str, angle: int, length: float) -> None:
    """The winner, the last, their weights and the context, against weights_by_hand."""
    weights = weights_by_hand(angle, length)
    x, y = (sum(w * k[c] for w, k in zip(weights, ARROWS, strict=True)) for c in (0, 1))
    asks = f"at {angle}\N{DEGREE SIGN} with length {length:.2f} listens most to "
    first, last = (
        f"'{WORDS[weights.index(w)]}', weight {w:f}" for w in (max(weights), min(weights))
    )
    heard = f"{asks}{first}, and least to {last}." if length else "every weight is 0.1667."
    says(sentence, f"{heard} The context is [{x:f}, {y:f}].")


def say(angle: float, length: float) -> str:
    """The figure's sentence about a query."""
    turn = math.radians(angle)
    query = length * torch.tensor([math.cos(turn), math.sin(turn)])
    return arrows_figure(query, torch.tensor(ARROWS), WORDS).sentence


def test_the_figure_over_every_angle_and_length(no_pixels):
    for angle in range(0, 360, 10):
        check_sentence(say(angle, 1.75), angle, 1.75)
    for n in range(11):
        check_sentence(say(240, n / 4), 240, n / 4)


def test_the_explorer_opens_away_from_its_question():
    still = query_explorer(torch.tensor(ARROWS), WORDS).still
    check_sentence(still.sentence, 250, 2.0)
    assert "listens most to 'starts'" not in still.sentence  # the answer, at 70 degrees
    assert "listens most to 'starts'" in say(70, 2.0)


def test_attention_figure_names_the_marked_row():
    scores = X @ X.T
    weights = scores.softmax(dim=-1)
    sentence = attention_figure(scores, weights, weights @ X, WORDS, row=4).sentence
    row = [math.exp(sum(a * b for a, b in zip(X[4].tolist(), k, strict=True))) for k in X.tolist()]
    row = [share / sum(row) for share in row]
    assert (
        f"'one' gives its largest weight, {max(row):.4f}, to '{WORDS[row.index(max(row))]}'"
        in (sentence)
    )
    assert f"its smallest, {min(row):.4f}, to '{WORDS[row.index(min(row))]}'" in sentence
    assert "[0.4671, 0.5910, 0.5266]" in sentence
    assert "Every row of the weights sums to 1." in sentence


def test_attention_figure_without_a_row_takes_the_largest_weight_of_all():
    q = torch.tensor([[1.0, 0.0], [0.0, 3.0]])
    k = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    weights = (q @ k.T).softmax(dim=-1)
    largest = math.exp(3) / (math.exp(3) + 2)
    said = attention_figure(q @ k.T, weights, weights @ torch.ones(3, 5), "ab", "xyz").sentence
    assert "2 queries, the rows, over 3 keys, the columns" in said
    assert f"'b' gives its largest weight, {largest:.4f}, to 'y'" in said
    assert "context is" not in said  # five channels are too many for a sentence


def test_attention_figure_names_no_winner_among_equal_weights():
    weights = torch.full((6, 6), 1 / 6)
    said = attention_figure(torch.zeros(6, 6), weights, weights @ X, WORDS, row=1).sentence
    assert "The query 'journey' gives the same weight, 0.1667, to every key; its context" in said
    assert "largest" not in said


def test_attention_figure_with_a_mask_looks_for_the_smallest_among_the_allowed():
    mask = torch.ones(6, 6).tril().bool()
    scores = (X @ X.T).masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    said = attention_figure(scores, weights, weights @ X, WORDS, row=1).sentence
    own, other = math.exp(1.4950), math.exp(0.9544)
    assert f"largest weight, {own / (own + other):.4f}, to 'journey'" in said
    assert f"of those it may look at, {other / (own + other):.4f}, to 'Your'" in said
    assert "15 of the 36 scores are -inf." in said
    first = attention_figure(scores, weights, weights @ X, WORDS, row=0).sentence
    assert "largest weight, 1.0000, to 'Your'; its context" in first  # no smallest: one key only


def test_attention_figure_says_when_rows_do_not_sum_to_1():
    scores = torch.zeros(2, 2)
    weights = torch.tensor([[0.0, 0.0], [1.0, 1.0]])
    said = attention_figure(scores, weights, weights @ torch.eye(2), "ab").sentence
    assert "do not all sum to 1: their sums go from 0.00 to 2.00." in said
