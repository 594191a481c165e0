"""What the chapters refuse, in one table: the call, and what the ValueError says."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from attention.gpt import Config
from chapters.ch00.figures import axes_figure, walk_figure
from chapters.ch05.figures import attention_figure
from chapters.ch06.explorer import head_explorer
from chapters.ch10.figures import merge_figure, ribbon_figure
from chapters.ch12.depth import WiredBlock, propagate, residual_wiring
from chapters.ch13.counting import forward_flops
from chapters.ch13.gpt2_tokenizer import GPT2Tokenizer, as_letters
from chapters.ch13.hugging_face import GPT2, from_hugging_face, to_hugging_face
from chapters.ch13.ngrams import best_smoothing, ngram_probabilities
from chapters.ch14.circuits import (
    decompose_residual_stream,
    direct_logit_attribution,
    head_scores,
)
from chapters.ch14.handcrafted_induction import handcrafted_induction
from chapters.ch14.interventions import ablated
from chapters.ch14.patterns import induction_score, previous_token_score, uniform_weights
from chapters.ch14.tasks import accuracy, repeated_strings, reversed_strings
from chapters.ch15.blockwise import blockwise_attention
from chapters.ch15.budget import GPT2 as GPT2_SIZES
from chapters.ch15.budget import kept_positions
from chapters.ch15.window_cache import WindowCache
from chapters.ch16.clinic import patient
from chapters.ch16.patients import PATIENTS
from chapters.chA5.communication import all_reduce_bytes, ring_bytes
from tests.attention.draws import draw, draw_ids, draw_model, seeded
from tests.conftest import WORDS, X

pytestmark = pytest.mark.usefixtures("as_a_user")
SQUARE, CELLS, ONE = torch.ones(2, 2), torch.arange(30).view(2, 3, 5), nn.Identity()
PLAIN = Config(13, 17, n_layer=2, n_head=6, n_embd=36)
LIKE_GPT2 = Config(13, 17, n_layer=3, n_head=5, n_embd=35, **GPT2)
BYTES = {as_letters(bytes([byte])): byte for byte in range(256)}


def wired(call):
    return call(torch.ones(1, 2, 12), ONE, ONE, place="behind")


def table(n_ids=9, n=2, vocab_size=5, smoothing=1.0):
    ids, seen = (draw_ids(size, vocab_size=5, seed=0) for size in (n_ids, 9))
    return ngram_probabilities(ids, seen, n, vocab_size, smoothing)


def off(layer, head):
    return ablated(draw_model(PLAIN), layer, head).__enter__()


def by_logits(norm):
    model, ids = draw_model(replace(PLAIN, norm=norm)), draw_ids(3, 11)
    return direct_logit_attribution(model, decompose_residual_stream(model, ids), ids)


def circuit(distance):
    model = draw_model(PLAIN)
    return head_scores(model.blocks[0], 1, *[model.token_embedding.weight] * 2, distance)


def in_blocks(block_size=4, mask=None, q=slice(None), v=slice(None), heads=slice(None)):
    k = draw(2, 3, 13, 5, seed=1)[:, heads]
    values = draw(2, 3, 13, 7, seed=2)[:, heads, v]
    return blockwise_attention(draw(2, 3, 11, 5)[..., q], k, values, block_size, mask)


def repaired(old):
    case = patient(1)
    case.give_up()
    return case.repair(old, "x")


OTHERS = {  # of a GPT that isn't like GPT-2, and what is said of it
    "positions='rotary'": dict(positions="rotary"),
    "n_kv_head=1": dict(n_kv_head=1),
    "bias=False, tied=False": dict(bias=False, tied=False),
}
REFUSED = [
    (lambda: axes_figure(CELLS, WORDS[:1]), "expected 2 sequences of 3 words"),
    (lambda: walk_figure(CELLS, CELLS.clone(), "a copy", 0), "not a copy of x"),
    *[(lambda given=given: attention_figure(*given), "index the batch and the head first")
      for given in ([torch.ones(1, 2, 2)] * 3, [SQUARE, torch.ones(2, 3), SQUARE], [SQUARE, SQUARE, X])],
    (lambda: head_explorer(X, {"wide": [torch.ones(3, 3)] * 3}, WORDS), r"of size 2, to be drawn as arrows, got \[3\]; take W_q"),
    (lambda: head_explorer(X, {}, WORDS), r"of size 2, to be drawn as arrows, got \[\]; take W_q"),
    (lambda: ribbon_figure(torch.zeros(6, 6), 4, WORDS), "expected a contiguous"),
    (lambda: ribbon_figure(torch.zeros(6, 6), 2, WORDS[:3]), "expected a contiguous"),
    (lambda: ribbon_figure(torch.zeros(6, 6).T, 2, WORDS), "expected a contiguous"),
    (lambda: merge_figure(torch.zeros(3, 5, 4), torch.zeros(8, 8)), r"expected \(H, T, D\) and \(H D, H D\), got \(3, 5, 4\) and \(8, 8\)"),
    (lambda: propagate([ONE], draw(1, 5, 12), draw(1, 4, 12)), r"direction: expected the shape of x, \(1, 5, 12\).*got \(1, 4, 12\)"),
    *[(lambda call=call: wired(call), "place: expected one of after, before, none, got 'behind'") for call in (WiredBlock, residual_wiring)],
    (lambda: forward_flops(PLAIN, 0, 3), "expected 1 or more of both, got 0 and 3"),
    (lambda: table(n=0), "n: expected 1 or more"),
    (lambda: table(smoothing=0.0), "smoothing: .* got 0.0"),
    (lambda: table(n_ids=1), "ids: expected at least 2"),
    (lambda: table(vocab_size=2), "ids: .* from 0 to 1"),
    (lambda: best_smoothing(draw_ids(9), draw_ids(9), 2, 13, []), "among: .* got none"),
    *[(lambda m=m: GPT2Tokenizer(BYTES, [m]), f"merges: expected two tokens .* got '{m}'") for m in ("Ġ  t", "Ġt h", "日 t", "t")],
    *[(lambda vocab=vocab: GPT2Tokenizer(vocab, ["Ġ t"]), "vocab: expected the ids 0 to 256, .* 1 merges")
      for vocab in (BYTES, BYTES | {"Ġt": 3}, BYTES | {"Ġt": 257})],
    *[(lambda move=move, other=other: move({}, replace(LIKE_GPT2, **other)), f"expected one like GPT-2's.*got {said}")
      for said, other in OTHERS.items() for move in (to_hugging_face, from_hugging_face)],
    (lambda: to_hugging_face({"transformer.wte.weight": SQUARE}, LIKE_GPT2), "such as token_embedding.weight, got transformer.wte.weight"),
    (lambda: from_hugging_face({"token_embedding.weight": SQUARE}, LIKE_GPT2), "such as transformer.wte.weight, got token_embedding.weight"),
    (lambda: reversed_strings(2, 1, 13, seeded()), "length: expected 2 or more ids .* got 1"),
    (lambda: repeated_strings(2, 1, 13, seeded()), "period: expected 2 to 12 ids.* got 1"),
    (lambda: repeated_strings(2, 13, 13, seeded()), "period: expected 2 to 12 ids.* got 13"),
    (lambda: accuracy(draw_model(PLAIN), []), "tasks: expected at least one, got none"),
    (lambda: induction_score(uniform_weights(4), 0), "period, first: .* got 0 and 0"),
    (lambda: induction_score(uniform_weights(4), 2, -1), "period, first: .* got 2 and -1"),
    (lambda: induction_score(uniform_weights(4), 4), r"got none in \(4, 4\); read a longer"),
    (lambda: previous_token_score(uniform_weights(1)), r"got none in \(1, 1\); read a longer"),
    (lambda: off(2, 0), "layer: expected 0 to 1, got 2"),
    (lambda: off(0, 6), "head: expected 0 to 5, got 6"),
    (lambda: circuit(distance=-1), "distance: expected 0 or more"),
    (lambda: by_logits("layer"), 'expected the normalisation "rms" or "none".*layer norm'),
    (lambda: handcrafted_induction(5, 9, 0.0), "strength: expected a score above 0, got 0.0"),
    (lambda: in_blocks(0), "block_size: expected 1 or more.*got 0"),
    (lambda: in_blocks(v=slice(1, None)), "a value for every key"),
    (lambda: in_blocks(heads=slice(1)), "repeat_interleave"),
    (lambda: in_blocks(q=slice(1, None)), "queries as wide as keys"),
    (lambda: in_blocks(mask=lambda i, j: j < i), "mask_mod: expected a key to attend to for every query"),
    (lambda: kept_positions(GPT2_SIZES, -1), "n_positions: expected 0 or more, got -1"),
    *[(lambda w=w: WindowCache(*w), "window, sinks: expected 1 or more positions") for w in ((0,), (1, -1))],
    (lambda: draw_model(PLAIN)(draw_ids(1, 2), [WindowCache(1)] * 2), "window: expected up to 1 new positions at once, got 2"),
    (lambda: patient(0), f"expected 1 to {len(PATIENTS)}, got 0"),
    (lambda: patient(1).check("futur"), r"check: expected one of 'shape', .*; did you mean 'future'\?"),
    (lambda: patient(1).name("no masks"), r"fault: expected one of .*did you mean 'no mask'\?"),
    (lambda: repaired("weights"), "times; take more"),
    (lambda: repaired("xyz"), "0 times; copy it"),
    (lambda: repaired(""), "no times"),
    (lambda: ring_bytes(12, 5, 5), "share equally, got 12 and 5; pad the text"),
    (lambda: all_reduce_bytes(12, 0), "n_machines: expected 1 or more, got 0"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "says"), REFUSED, ids=[says[:40] for _, says in REFUSED])
def test_what_can_not_be_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()
