"""Reading attention: tasks whose map is known, scores, circuits, interventions, heads set by hand."""

from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from attention.gpt import GPT, Config, make_block
from attention.heads import attention_scores
from attention.training import cross_entropy
from chapters.ch14.attention_only import make_attention_only
from chapters.ch14.circuits import (
    decompose_residual_stream,
    direct_logit_attribution,
    head_scores,
    ov_matrix,
)
from chapters.ch14.handcrafted_induction import channels, handcrafted_induction
from chapters.ch14.interventions import (
    ablated,
    ablation_effects,
    edited,
    head_outputs,
    mean_head_outputs,
    patched,
)
from chapters.ch14.patterns import (
    by_distance,
    induction_score,
    mean_weight,
    previous_token_score,
    received,
    reversal_score,
    sink_score,
    uniform_weights,
)
from chapters.ch14.tasks import (
    START,
    accuracy,
    fit_task,
    repeated_strings,
    reversed_strings,
    task_loss,
)
from tests.attention.draws import draw_ids, draw_model, seeded

pytestmark = pytest.mark.usefixtures("as_a_user")
B, T, V = 3, 11, 13
PLAIN = Config(V, 17, n_layer=2, n_head=6, n_embd=36)
KINDS = [
    PLAIN,
    replace(PLAIN, positions="learned", norm="none", qk_norm=False),
    replace(PLAIN, positions="alibi", n_kv_head=2),
    replace(PLAIN, positions="sinusoidal", bias=True),
    replace(PLAIN, n_kv_head=1, bias=True, tied=True),
]


def ids_of(seed=0):
    return draw_ids(B, T, seed=seed)


@pytest.fixture(params=KINDS, ids=lambda config: f"{config.positions}-{config.n_kv_head}")
def config(request):
    return request.param


@pytest.fixture(params=[make_block, make_attention_only], ids=["block", "attention-only"])
def model(config, request):
    return draw_model(config, request.param)


# ---------------------------------------------------------------- tasks


@pytest.mark.parametrize("length", [2, 3, 8])
def test_a_string_is_read_there_and_back(length):
    x, y, counts = reversed_strings(B, length, V, seeded())
    whole = torch.cat([x[:, :1], y], dim=1)
    assert x.shape == y.shape == (B, 2 * length - 1) and torch.equal(x[:, 1:], y[:, :-1])
    assert torch.equal(whole, whole.flip(1)) and counts.sum() == length
    for t in counts.nonzero()[:, 0]:
        assert torch.equal(y[:, t], x[:, 2 * (length - 1) - t])


@pytest.mark.parametrize("period", [2, 5, V - 1])
def test_a_string_comes_again(period):
    x, y, counts = repeated_strings(B, period, V, seeded())
    assert x.shape == y.shape == (B, 2 * period) and (x[:, 0] == START).all()
    assert torch.equal(x[:, 1:], y[:, :-1]) and counts.sum() == period - 1
    for row in x[:, 1 : period + 1].tolist():
        assert START not in row and len(set(row)) == period
    for t in counts.nonzero()[:, 0]:
        assert torch.equal(x[:, t], x[:, t - period])
        assert torch.equal(y[:, t], x[:, t - period + 1])


def test_every_draw_is_another_and_a_seed_gives_it_again():
    for make in (reversed_strings, repeated_strings):
        generator = seeded(5)
        first, second = (make(B, 6, V, generator).x for _ in range(2))
        assert not torch.equal(first, second)
        assert torch.equal(make(B, 6, V, seeded(5)).x, first)


def test_only_the_positions_that_count_are_judged():
    task = repeated_strings(B, 5, V, seeded())
    right = torch.nn.functional.one_hot(task.y, V) * 9.0
    half = right.clone()
    half[:, :6] = 0  # before the string comes again
    half[0, 7] = -right[0, 7]
    assert accuracy(lambda_model(right), [task]) == 1
    assert accuracy(lambda_model(half), [task, task]) == pytest.approx(1 - 1 / (4 * B))
    assert_close(task_loss(lambda_model(half), task), cross_entropy(half[:, 6:], task.y[:, 6:]))


def lambda_model(logits):
    """A model that says these logits whatever it reads."""

    class Says(torch.nn.Module):
        def forward(self, ids):
            return logits

    return Says()


def test_one_head_learns_to_reverse():
    torch.manual_seed(0)
    config = Config(V, 9, n_layer=1, n_head=1, n_embd=24, positions="learned", qk_norm=False)
    model, generator = GPT(config, make_attention_only), seeded()
    losses = fit_task(
        model, lambda: reversed_strings(32, 5, V, generator), n_steps=80, learning_rate=5e-3
    )
    assert len(losses) == 80 and losses[0] > 2 and losses[-1] < 0.3
    held_out = reversed_strings(64, 5, V, seeded(1))
    _, weights = model.forward_with_weights(held_out.x)
    assert accuracy(model, [held_out]) > 0.95 and reversal_score(weights).mean() > 0.8


# ---------------------------------------------------------------- patterns


def test_scores_are_the_means_that_a_loop_finds():
    weights = torch.rand(2, 3, T, T, generator=seeded()).tril()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    loops = {
        previous_token_score(weights): [(t, t - 1) for t in range(1, T)],
        induction_score(weights, 1): [(t, t) for t in range(1, T)],
        induction_score(weights, 4): [(t, t - 3) for t in range(4, T)],
        induction_score(weights, 4, first=1): [(t, t - 3) for t in range(5, T)],
        reversal_score(weights): [(t, 10 - t) for t in range(5, T)],
        sink_score(weights): [(t, 0) for t in range(1, T)],
        sink_score(weights, 6): [(t, 0) for t in range(6, T)],
    }
    for score, places in loops.items():
        assert_close(score, sum(weights[..., row, key] for row, key in places) / len(places))


def test_received_is_the_mean_over_the_rows_that_may_look():
    weights = torch.rand(2, T, T, generator=seeded()).tril()
    loop = [weights[:, t:, t].mean(dim=-1) for t in range(T)]
    assert_close(received(weights), torch.stack(loop, dim=-1))


def test_the_mean_weight_by_distance():
    weights = torch.rand(2, T, T, generator=seeded()).tril()
    found = by_distance(weights)
    assert_close(found[..., 1], previous_token_score(weights))
    assert_close(found[..., 0], weights[..., range(T), range(T)].mean(dim=-1))
    assert_close(found[..., T - 1], weights[..., T - 1, 0])


def test_mean_weight_takes_pairs():
    rows, keys = torch.tensor([1, 2]), torch.tensor([0, 2])
    assert_close(mean_weight(uniform_weights(3), rows, keys), torch.tensor((1 / 2 + 1 / 3) / 2))


# ---------------------------------------------------------------- interventions


def test_looking_changes_nothing(model):
    ids = ids_of()
    whole = model(ids)
    outputs = head_outputs(model, ids)
    assert outputs.shape == (2, B, 6, T, 6)
    with edited(model, lambda layer, own: own):
        assert_close(model(ids), whole)
    with patched(model, 1, 3, outputs):
        assert_close(model(ids), whole)


def test_a_head_without_output_weights_is_one_that_is_ablated(model):
    ids, layer, head = ids_of(), 1, 4
    with ablated(model, layer, head):
        found = model(ids)
        assert_close(model.forward_with_weights(ids)[0], found)
    assert not torch.allclose(found, model(ids)), "the hook is gone"
    with torch.no_grad():
        model.blocks[layer].attention.out.weight[:, head * 6 : head * 6 + 6] = 0
    assert_close(model(ids), found)


def test_the_mean_is_over_texts_and_positions():
    model, ids = draw_model(PLAIN), ids_of()
    mean = mean_head_outputs(model, ids)
    assert_close(mean[1, 0, 2, 0], head_outputs(model, ids)[1, :, 2].flatten(0, 1).mean(dim=0))
    seen = []
    with ablated(model, 1, 2, mean), edited(model, lambda at, own: seen.append(own) or own):
        model(ids)
    assert_close(seen[1][:, 2], mean[1, 0, 2].expand(B, T, -1))
    assert not torch.allclose(seen[1][:, 3], mean[1, 0, 3].expand(B, T, -1))


def test_all_heads_of_another_run_give_its_logits_where_the_words_are_the_same():
    """In attention alone, the last stream is the embedding and the heads: patch all, and it is there."""
    model = draw_model(PLAIN, make_attention_only)
    ids, other = ids_of(0), ids_of(1)
    other[:, -1] = ids[:, -1]
    outputs = head_outputs(model, other)
    with edited(model, lambda layer, own: outputs[layer]):
        assert_close(model(ids)[:, -1], model(other)[:, -1])


def test_a_patch_at_one_position_leaves_the_positions_before(model):
    ids, outputs = ids_of(), head_outputs(model, ids_of(1))
    with patched(model, 0, 2, outputs, torch.tensor([6])):
        found = model(ids)
    whole = model(ids)
    assert_close(found[:, :6], whole[:, :6])
    assert not torch.allclose(found[:, 6:], whole[:, 6:])


def test_what_was_recorded_before_a_patch_stays_what_it_was():
    model, ids, seen = draw_model(PLAIN), ids_of(), []
    before = head_outputs(model, ids)
    with edited(model, lambda at, own: seen.append(own) or own), ablated(model, 0, 2):
        model(ids)
    assert_close(seen[0], before[0])


def test_a_hook_goes_also_after_an_error():
    model, ids = draw_model(PLAIN), ids_of()
    whole = model(ids)
    with pytest.raises(KeyError), edited(model, lambda layer, own: own * 0):
        raise KeyError
    assert_close(model(ids), whole)


def test_effects_are_differences_in_the_order_of_the_heads():
    model, (x, y) = draw_model(PLAIN), (ids_of(0), ids_of(1))
    effects = ablation_effects(model, lambda: cross_entropy(model(x), y).item())
    assert effects.shape == (2, 6)
    with ablated(model, 1, 2):
        changed = cross_entropy(model(x), y).item()
    assert effects[1, 2] == pytest.approx(changed - cross_entropy(model(x), y).item(), abs=1e-6)
    mean = mean_head_outputs(model, x)
    others = ablation_effects(model, lambda: cross_entropy(model(x), y).item(), mean)
    assert not torch.allclose(others, effects)


# ---------------------------------------------------------------- circuits


def test_the_qk_circuit_gives_the_scores(model):
    """Of the first layer, from embeddings alone, at every distance."""
    block, ids = model.blocks[0], ids_of()[:1]
    x = model.embed(ids)
    q, k, _ = block.attention.project(block.norm_1(x))
    shared = 6 // block.attention.n_kv_head
    for head in (0, 4):
        added = block.attention.attention_bias(T, T, x).expand(6, T, T)
        scores = attention_scores(q[0, head], k[0, head // shared]) + added[head]
        for t, key in ((10, 10), (10, 3), (5, 4)):
            found = head_scores(block, head, x[0, t : t + 1], x[0, key : key + 1], t - key)
            assert_close(found[0, 0], scores[t, key])


def test_the_ov_circuit_gives_what_a_head_adds(model):
    """Where there is one word, every head looks at it alone."""
    block, attention = model.blocks[0], model.blocks[0].attention
    x = torch.randn(4, 1, 36, dtype=torch.float64, generator=seeded())
    seen = block.norm_1(x)
    without = attention(torch.zeros_like(seen))  # the biases' part
    added = sum(seen @ ov_matrix(attention, head).T for head in range(6))
    assert_close(added, attention(seen) - without)
    assert torch.linalg.matrix_rank(ov_matrix(attention, 5)) == 6


def test_the_stream_is_the_sum_of_its_parts(model, config):
    ids, seen = ids_of(), []
    handle = model.final_norm.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    model(ids)
    handle.remove()
    names, added = decompose_residual_stream(model, ids)
    assert_close(added.sum(dim=0), seen[0])
    assert len(names) == len(set(names)) == len(added)
    per_layer = 6 + config.bias + hasattr(model.blocks[0], "mlp")
    assert len(names) == 1 + 2 * per_layer and names[:3] == ["embedding", "head 0.0", "head 0.1"]


def test_a_logit_is_the_sum_of_its_parts(model):
    ids, targets = ids_of(), ids_of(1)
    logits = model(ids)
    wanted = logits.gather(-1, targets[..., None])[..., 0] - logits.mean(dim=-1)
    assert_close(
        direct_logit_attribution(model, decompose_residual_stream(model, ids), targets).sum(dim=0),
        wanted,
    )


def test_what_is_ablated_has_no_part():
    model, ids = draw_model(PLAIN), ids_of()
    with ablated(model, 1, 2):
        names, added = decompose_residual_stream(model, ids)
    assert not added[names.index("head 1.2")].any() and added[names.index("head 1.3")].any()


# ---------------------------------------------------------------- by hand


@pytest.mark.parametrize("period", [2, 3, 12])
def test_the_heads_set_by_hand_go_on_with_any_string(period):
    model = handcrafted_induction(V, 24)
    task = repeated_strings(64, period, V, seeded())
    assert accuracy(model, [task]) == 1 and task_loss(model, task) < 1e-3
    _, weights = model.forward_with_weights(task.x)
    assert previous_token_score(weights[0, :, 0]).min() > 0.999
    assert induction_score(weights[1, :, 0], period, first=1).min() > 0.999


def test_before_the_string_comes_again_the_second_head_finds_nothing():
    """All scores are nearly 0: it shares out its weight equally."""
    task = repeated_strings(2, 6, V, seeded())
    _, weights = handcrafted_induction(V, 24, 20.0).forward_with_weights(
        task.x
    )  # a soft first head blurs them
    assert_close(weights[1, 0, 0, :7, :7], uniform_weights(7))


def test_one_head_alone_can_not():
    model, task = handcrafted_induction(V, 24), repeated_strings(64, 12, V, seeded())
    for layer in (0, 1):
        with ablated(model, layer, 0):
            assert accuracy(model, [task]) < 0.3


def test_the_circuits_of_the_hand_made_are_what_they_were_made_for():
    """Look for what stood before: a diagonal. Copy what stands there: a diagonal."""
    model = handcrafted_induction(5, 9, strength=7.0)
    at, (first, second) = channels(5, 9), model.blocks
    tokens = model.token_embedding.weight
    written = tokens @ ov_matrix(first.attention, 0).T
    assert_close(written[:, at.previous], torch.eye(5))
    positions = model.position_embedding.weight
    before = torch.eye(9).roll(1, dims=0).tril()  # the position before each, and none before 0
    assert_close(head_scores(first, 0, positions, positions), 7 * before)
    assert_close(head_scores(second, 0, tokens, written), 7 * torch.eye(5))
    said = tokens @ ov_matrix(second.attention, 0).T @ model.lm_head.weight.T
    assert_close(said, 7 * torch.eye(5))


def test_only_what_is_said_is_set():
    """Embeddings and logits, and of each head q, k, v and out; position 0 asks for none before it."""
    set_ = sum(int(p.count_nonzero()) for p in handcrafted_induction(5, 9).parameters())
    assert set_ == (5 + 9 + 5) + (8 + 9 + 5 + 5) + 4 * 5
