"""Speculative decoding gives the large model's distribution: proved by trying every draw there can be."""

from collections import Counter
from itertools import product

import pytest
import torch

from attention.gpt import GPT, Config
from chapters.ch13.ngrams import ngram_probabilities
from chapters.ch15.speculative import Reader, Table, accepted, drawn_by, speculate

pytestmark = pytest.mark.usefixtures("as_a_user")
V = 3


class Undecided(Exception):
    """A program has asked for one more draw."""


def every_outcome(program) -> Counter:
    """The probability of each result of `program(draw)`: it is run for every sequence of draws."""
    found, todo = Counter(), [((), 1.0)]
    while todo:
        decided, probability = todo.pop()
        left = list(decided)

        def draw(probabilities, left=left):
            if not left:
                raise Undecided(probabilities)
            return left.pop(0)

        try:
            result = program(draw)
        except Undecided as asked:
            branches = enumerate(asked.args[0].tolist())
            todo += [((*decided, i), probability * p) for i, p in branches if p > 0]
        else:
            found[result] += probability
    return found


def table(seed: int, *, sharp: float = 1.0, order: int = 1):
    """Probabilities that depend on the last `order` ids, in float64."""
    shape = (*[V] * order, V)
    logits = torch.randn(shape, generator=torch.Generator().manual_seed(seed)).double()
    rows = (sharp * logits).softmax(dim=-1)

    def guess(ids, n=1):
        ends = range(len(ids) - n + 1, len(ids) + 1)
        return torch.stack([rows[tuple(ids[end - order : end])] for end in ends])

    return guess


def surest(guess):
    """Only the likeliest id; the others have probability 0."""
    return lambda ids, n=1: (rows := guess(ids, n)).eq(rows.amax(dim=-1, keepdim=True)).double()


def alone(large, ids, n_new) -> dict[tuple, float]:
    """The probability of every text, from the large model's own guesses."""
    found = {}
    for new in product(range(V), repeat=n_new):
        rows = large([*ids, *new[:-1]], n_new)
        probability = rows.gather(1, torch.tensor(new)[:, None]).prod().item()
        found[(*ids, *new)] = probability
    return found


DRAFTS = {
    "another table": table(2),
    "the same": table(1, order=2),
    "far too sure": table(2, sharp=9.0),
    "always the likeliest": surest(table(2)),
    "longer memory": table(3, order=2),
}


@pytest.mark.parametrize("n_drafted", [0, 1, 2, 3])
@pytest.mark.parametrize("draft", DRAFTS)
def test_every_text_has_the_probability_that_the_large_model_gives_it(draft, n_drafted):
    large, ids = table(1, order=2), [0, 2]
    found = every_outcome(
        lambda draw: tuple(speculate(large, DRAFTS[draft], ids, 3, n_drafted, draw)[0])
    )
    wanted = alone(large, ids, 3)
    assert sum(found.values()) == pytest.approx(1)
    assert {text: found[text] for text in wanted} == pytest.approx(wanted, rel=0, abs=1e-12)


def test_so_it_is_where_the_large_model_forbids_an_id():
    large, ids = surest(table(1)), [0]
    found = every_outcome(lambda draw: tuple(speculate(large, table(2), ids, 3, 2, draw)[0]))
    [likeliest] = [text for text, p in alone(large, ids, 3).items() if p]
    assert dict(found) == pytest.approx({likeliest: 1.0}, rel=0, abs=1e-12)


def test_with_caches_it_is_the_distribution_of_the_gpt():
    """Two GPTs with random weights; what a refused draft has left in a cache is overwritten."""
    models = []
    for seed, n_embd in ((1, 8), (2, 4)):
        torch.manual_seed(seed)
        models.append(GPT(Config(V, 8, n_layer=2, n_head=1, n_embd=n_embd)).double().eval())
        for parameter in models[-1].parameters():
            torch.nn.init.normal_(parameter)
    large, small = models

    def program(draw):
        return tuple(speculate(Reader(large, 8), Reader(small, 8), [1], 3, 2, draw)[0])

    with torch.no_grad():
        wanted = alone(lambda ids, n: large(torch.tensor([ids]))[0, -n:].softmax(-1), [1], 3)
    assert dict(every_outcome(program)) == pytest.approx(wanted, rel=0, abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_a_table_gives_the_probabilities_of_chapter_13(n):
    draw = torch.Generator().manual_seed(n)
    seen, ids = (torch.randint(V, (size,), generator=draw) for size in (31, 13))
    rows = Table(seen.tolist(), n, V, 0.3)(ids.tolist()[:-1], len(ids) - n)
    assert rows.shape == (len(ids) - n, V)
    torch.testing.assert_close(rows.sum(dim=-1), torch.ones(len(rows)))
    found = rows.gather(1, ids[n:, None])[:, 0].double()
    wanted = ngram_probabilities(ids, seen, n, V, 0.3, interpolate=True)[1:]
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-6)


def test_with_a_table_as_draft_it_is_the_large_models_distribution():
    large, ids = table(1, order=2), [0, 2]
    draft = Table([0, 1, 1, 2, 0, 0, 1, 2, 2, 1], 3, V, 0.1)
    found = every_outcome(lambda draw: tuple(speculate(large, draft, ids, 3, 2, draw)[0]))
    assert dict(found) == pytest.approx(alone(large, ids, 3), rel=0, abs=1e-6)


def test_a_draft_that_is_right_saves_every_pass_it_can():
    large, draw = table(1), drawn_by(torch.Generator().manual_seed(0))
    for n_drafted, passes in ((0, 12), (1, 6), (2, 4), (3, 3), (5, 2), (11, 1), (50, 1)):
        ids, found = speculate(large, large, [0], 12, n_drafted, draw)
        assert (len(ids), found) == (13, passes)


def test_a_draft_that_is_never_right_costs_no_pass():
    never = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0], [0.5, 0.5]])
    draw = drawn_by(torch.Generator().manual_seed(0))
    assert accepted([0], *never, draw) == [1]
    ids, passes = speculate(
        lambda ids, n: never[1][:1].expand(n, 2), lambda ids, n: never[0], [0], 5, 3, draw
    )
    assert ids == [0, 1, 1, 1, 1, 1] and passes == 5


def test_the_prompt_is_left_alone():
    prompt = [0, 1]
    speculate(table(1), table(2), prompt, 3, 2, drawn_by(torch.Generator().manual_seed(0)))
    assert prompt == [0, 1]
