"""A head as two circuits, and the residual stream as a sum of parts (Elhage et al., 2021).

The QK circuit determines where a head attends, and the OV circuit what it then adds to the stream.
All heads and MLPs add to one stream, so each logit is a sum over them as well.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention.gpt import CausalSelfAttention
from attention.training import evaluating
from chapters.ch14.interventions import head_outputs


@torch.no_grad()
def head_scores(
    block: nn.Module,
    head: int,
    queries: Float[Tensor, "N C"],
    keys: Float[Tensor, "M C"],
    distance: int = 0,
) -> Float[Tensor, "N M"]:
    """The QK circuit: the score of each query for each key, `distance` positions back.

    Queries and keys are vectors of the stream before the block's normalisation, for example embeddings.
    """
    if distance < 0:
        raise ValueError(f"distance: expected 0 or more, because keys come first, got {distance}")
    attention = block.attention
    q, _, _ = attention.project(block.norm_1(queries)[:, None], start=distance)
    _, k, _ = attention.project(block.norm_1(keys)[:, None])  # (M, Hkv, 1, D)
    shared = attention.n_head // attention.n_kv_head
    scores = q[:, head, 0] @ k[:, head // shared, 0].T * attention.head_size**-0.5
    if attention.positions == "alibi":
        scores = scores + attention.attention_bias(1, distance + 1, queries)[head, 0, 0]
    return scores


@torch.no_grad()
def ov_matrix(attention: CausalSelfAttention, head: int) -> Float[Tensor, "C C"]:
    """The OV circuit: y = ov_matrix @ x is what the head adds if it attends only to x (no biases).

    It is W_O W_V, for the head's own part of both matrices, so its rank is at most the head size.
    """
    D, H = attention.head_size, attention.n_head
    at = H + attention.n_kv_head + head // (H // attention.n_kv_head)  # after queries and keys
    values = attention.qkv.weight[at * D : (at + 1) * D]  # (D, C)
    return attention.out.weight[:, head * D : (head + 1) * D] @ values


class Parts(NamedTuple):
    """The vectors that each part adds to the residual stream; `added.sum(dim=0)` is the stream's end."""

    names: list[str]
    added: Float[Tensor, "P B T C"]


def decompose_residual_stream(model: nn.Module, ids: Int[Tensor, "B T"]) -> Parts:
    """The vectors that the embedding, every head and every MLP add to the stream."""
    outputs = head_outputs(model, ids)  # (L, B, H, T, D)
    with evaluating(model):
        x = model.embed(ids)
        names, added = ["embedding"], [x]
        for layer, block in enumerate(model.blocks):
            out = block.attention.out
            columns = out.weight.split(block.attention.head_size, dim=1)  # H of (C, D)
            heads = [outputs[layer][:, head] @ own.T for head, own in enumerate(columns)]
            names += [f"head {layer}.{head}" for head in range(len(heads))]
            if out.bias is not None:
                heads.append(out.bias.expand_as(x))
                names.append(f"bias {layer}")
            added += heads
            x = x + torch.stack(heads).sum(dim=0)
            if hasattr(block, "mlp"):
                added.append(block.mlp(block.norm_2(x)))
                names.append(f"MLP {layer}")
                x = x + added[-1]
    return Parts(names, torch.stack(added))


def direct_logit_attribution(
    model: nn.Module, parts: Parts, targets: Int[Tensor, "B T"]
) -> Float[Tensor, "P B T"]:
    """How much of each target's logit, above the mean of all logits, comes from each part.

    The last normalisation is held fixed at its factor for the complete stream; then the logit is a sum
    (direct logit attribution). It doesn't include what a part does through later blocks.
    """
    if isinstance(model.final_norm, nn.LayerNorm):
        raise ValueError(
            'model: expected the normalisation "rms" or "none", whose share of each part is one '
            "factor, got layer norm"
        )
    with evaluating(model):
        whole = parts.added.sum(dim=0)  # (B, T, C)
        scaled = parts.added
        if isinstance(model.final_norm, nn.RMSNorm):
            eps = model.final_norm.eps or torch.finfo(whole.dtype).eps
            size = (whole.square().mean(dim=-1, keepdim=True) + eps).sqrt()
            scaled = parts.added / size * model.final_norm.weight
        directions = model.lm_head.weight - model.lm_head.weight.mean(dim=0)  # (V, C)
        return (scaled * directions[targets]).sum(dim=-1)
