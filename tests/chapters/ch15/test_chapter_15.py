"""Chapter 15: the numbers that its figures and its explorer state, and what its page says of models."""

import re
from collections import Counter

import pytest
import torch

from attention.cache import Cache
from attention.gpt import CausalSelfAttention
from attention.stories import write_stories
from chapters.ch14.story_heads import guesses
from chapters.ch15.budget import LLAMA_2_7B, LLAMA_3_8B, MODELS, cache_bytes, kept_positions
from chapters.ch15.explorer import CONTEXTS, KV_HEADS, SEQUENCES, cache_calculator
from chapters.ch15.figures import CARD, cache_figure, cost_figure, groups_figure, work_figure
from chapters.ch15.speculative import Table

GIB = 2**30
WEIGHTS = 2 * LLAMA_2_7B.parameters


@pytest.mark.parametrize(("n_prompt", "n_new"), [(3, 4), (1, 1), (5, 3)])
def test_the_scores_of_each_step_by_counting(no_pixels, n_prompt, n_new):
    said = work_figure(n_prompt, n_new).sentence
    again = kept = 0
    for step in range(n_new):
        for row in range(n_prompt + step):
            again += row + 1
            kept += row + 1 if step == 0 or row == n_prompt + step - 1 else 0
    assert f"computes all rows again, {again} scores in all" in said
    assert said.endswith(f"only new rows, {kept} scores.")


def test_the_work_figure_writes_its_counts_over_the_squares():
    svg = work_figure(3, 4).svg
    for scores in (6, 10, 15, 21, 4, 5):
        assert f">{scores} scores<" in svg


def test_the_cost_figure_says_what_the_sizes_give(no_pixels):
    said = cost_figure(LLAMA_3_8B, [1024, 8192, 131_072]).sentence
    for sizes in MODELS:
        n = kept_positions(sizes, 131_072)
        each = 576 if sizes.latent else 2 * sizes.n_kv_head * sizes.head_size
        assert f"{sizes.name} {sizes.n_layer * each * n * 2 / GIB:.3g}" in said
    T, P, look = 131_072, 8_030_261_248, 4 * 32 * 32 * 128
    assert f"{2 * P + look * T:.1e} with a cache" in said
    assert f"{2 * P * T + look * T * (T + 1) // 2:.1e} if everything is read again" in said


def test_the_groups_figure_joins_neighbours():
    said = groups_figure(8, [8, 2, 1])
    assert "8 query heads" in said.sentence and "8, 2, 1 heads of keys" in said.sentence
    assert all(name in said.svg for name in ("multi-head: 8", "grouped: 2", "multi-query: 1"))


@pytest.mark.parametrize("kv_heads", KV_HEADS)
def test_the_calculator_multiplies(no_pixels, kv_heads):
    explorer = cache_calculator()
    for context in CONTEXTS:
        for sequences in SEQUENCES:
            said = explorer.render(context, kv_heads, sequences).sentence
            cache = sequences * 2 * 32 * kv_heads * 128 * context * 2
            size = f"{cache / GIB:.3g} GiB" if cache >= GIB else f"{cache / 2**20:.3g} MiB"
            assert f"layers: {size}, {cache / WEIGHTS:.2g} times" in said
            assert ("do not fit" in said) == (WEIGHTS + cache > CARD)
            assert re.search(rf"of {sequences} texts? of {context:,} tokens", said)


def test_the_scale_of_the_calculator_stays_while_a_control_moves():
    explorer = cache_calculator()
    ticks = [
        re.findall(r">(0\.01|1000)<", explorer.render(context, 8, 1).svg)
        for context in (CONTEXTS[0], CONTEXTS[-1])
    ]
    assert ticks[0] == ticks[1] == ["0.01", "1000"]


def test_the_explorers_question_has_the_answer_that_the_page_gives():
    """Between 8,192 and 32,768 with 32 heads, at about 26,000; four times as far with 8."""
    each = cache_bytes(LLAMA_2_7B, 1)
    assert 8192 * each < WEIGHTS < 32_768 * each and round(WEIGHTS / each, -3) == 26_000
    assert 64 * 1024 * each > WEIGHTS and 6 * cache_bytes(LLAMA_2_7B, 4096) < WEIGHTS
    assert cache_calculator().still.sentence.startswith("The cache of 1 text of 1,024 tokens")


def test_the_table_drafts_the_form_and_misses_only_words_that_look_back(trained):
    """More than half of the owners and things are kept less than half of the time, and hardly another word."""
    model, tokenizer = trained
    draft = Table(
        tokenizer.encode("".join(write_stories(2000, 1337))), 8, tokenizer.vocab_size, 0.01
    )
    stories = write_stories(20, 1338)
    kinds = {guess[:2]: guess.kind for guess in guesses(tokenizer, stories)}
    missed, seen = Counter(), Counter(kinds.values())
    for n, story in enumerate(stories):
        ids = tokenizer.encode("\n" + story)
        with torch.no_grad():
            large_p = model(torch.tensor([ids[:-1]]))[0].softmax(dim=-1)
        kept = torch.minimum(large_p, draft(ids[:-1], len(ids) - 1)).sum(dim=-1)
        missed.update(kinds.get((n, t), "free") for t in (kept < 0.5).nonzero()[:, 0].tolist())
    shares = {kind: missed[kind] / seen[kind] for kind in seen}
    assert min(shares["owner"], shares["thing"]) > 1 / 2
    assert max(shares[kind] for kind in ("form", "deed", "she", "her")) < 1 / 20


@pytest.mark.parametrize(("steps", "D"), [([4, 1, 1], 2), ([3, 1, 1, 1], 3)])
def test_the_cache_has_the_columns_that_a_cache_keeps(steps, D):
    torch.manual_seed(0)
    layer, cache = CausalSelfAttention(D, 1), Cache(sum(steps))
    drawn, columns, earlier = cache_figure(steps, D), 0, []
    for new in steps:
        kept = cache.seen
        layer(torch.randn(1, new, D), cache)
        assert f">{3 * new} new columns, {2 * kept} kept</text>" in drawn.svg
        columns += new + 2 * cache.seen  # q has only new ones
        earlier += [str(kept)] if kept else []
    assert drawn.svg.count("<path") == D * columns  # a cell for each number
    assert f"reads {steps[0]} words at once and computes {3 * steps[0]} columns" in drawn.sentence
    assert drawn.sentence.endswith(
        f"computes 3, and the {' or '.join(earlier)} earlier words need no new queries."
    )
