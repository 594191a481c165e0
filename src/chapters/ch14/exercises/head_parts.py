"""The part of each head in the logits, (B, H, T, V)."""

import torch

from chapters.laws import close
from course.learn.draws import quarters
from course.learn.record import Exercise


def drawn(d):
    B, H, T, D, C, V = d.sizes(6)
    head_outputs = d.tensor(B, H, T, D)
    head_outputs[:, d.randrange(H)] = 0
    return head_outputs, d.tensor(C if d.n % 2 else H * D, H * D), d.tensor(V, C if d.n % 2 else H * D)

def given(B, H, T, D, V, seed):
    head_outputs = quarters(B, H, T, D, seed=seed)
    return head_outputs, quarters(H * D, H * D, seed=seed + 1), quarters(V, H * D, seed=seed + 2)

E = Exercise(__name__, draw=drawn, without=("attention",),
    inputs=[(torch.tensor([1.0, 2.0]).view(1, 2, 1, 1), torch.tensor([[1.0, 3.0], [0, 1]]), torch.eye(2)),
            given(1, 2, 1, 2, 2, seed=1), given(2, 2, 3, 2, 3, seed=2)])

@E.answer
def head_parts(head_outputs, w_out, w_logits):
    B, H, T, D = head_outputs.shape
    parts = []
    for h in range(H):
        columns = w_out[:, h * D : (h + 1) * D]  # what `out` reads of head h: (C, D)
        parts.append(head_outputs[:, h] @ columns.T @ w_logits.T)
    return torch.stack(parts, dim=1)

E.slip("w_out[:, h * D : (h + 1) * D]", "w_out[h * D : (h + 1) * D].T", """you take rows of `w_out`,
    or transpose it once too often. A Linear multiplies by its weight transposed, so each input
    belongs to a column. Head h has D of these columns.""")
E.slip("w_out[:, h * D : (h + 1) * D]", "w_out[:, h::H]", """you take every H-th column. In the
    merged tensor the heads follow one another: head h has the D columns that start at h * D.""")
E.slip("w_out[:, h * D : (h + 1) * D]", "w_out[:, :D]", """you send every head through the first
    head's columns. Each head has its own D columns.""")
E.slip("torch.stack(parts, dim=1)", "sum(parts)", """you return the logits of all heads together.
    Return one part for each head.""")
E.slip(" @ w_logits.T", "", "you return channels. `w_logits` turns them into V logits.")
E.slip("torch.stack(parts, dim=1)", "torch.stack([sum(parts) / H] * H, dim=1)", """you gave every
    head an equal part of the logits. How much did each head itself add?""")
E.slip("torch.stack(parts, dim=1)", "torch.stack([sum(parts)] * H, dim=1)", """you gave every head
    all of the logits. How much did each head itself add?""")
E.slip("torch.stack(parts, dim=1)", "torch.stack(parts)", """in your result the heads are the first
    axis. It has to be (B, H, T, V), so stack them on axis 1.""")
E.slip("torch.stack(parts, dim=1)", "torch.softmax(torch.stack(parts, dim=1), dim=-1)", """you
    turned each head's part into probabilities. Parts of logits add up, but probabilities don't.""")
E.slip("torch.stack(parts, dim=1)", "sum(parts)[:, None] - torch.stack(parts, dim=1)", """you return
    the logits without the head. Return the head's own part.""")

E.mistake(lambda head_outputs, w_out, w_logits: torch.stack([
    (head_outputs * (torch.arange(head_outputs.shape[1]) == h)[:, None, None]).reshape(
        len(head_outputs), head_outputs.shape[2], -1) @ w_out.T @ w_logits.T for h in range(head_outputs.shape[1])], 1),
    """you turned (B, H, T, D) into (B, T, H * D) only with a view, so each row holds several
    positions of one head. Move the axes first: `transpose(1, 2)`.""")

@E.law
def heads_add_up_to_the_logits(parts, head_outputs, w_out, w_logits):
    """the parts of all heads have to sum to the logits: merged heads, times `w_out.T`, times `w_logits.T`"""
    merged = head_outputs.transpose(1, 2).flatten(2)
    return close(parts.sum(dim=1), merged @ w_out.T @ w_logits.T)

@E.law
def a_head_of_zeros_adds_nothing(parts, head_outputs, w_out, w_logits):
    """if the outputs of a head are 0 everywhere, its part has to be 0"""
    silent = (head_outputs == 0).all(-1).all(-1)
    return bool((parts[silent] == 0).all())

E.hint("""`out` multiplies merged heads, (B, T, H * D), by `w_out.T`. Which columns of `w_out`
    multiply head h?""")
E.hint("""If all heads but h were 0, what would the logits be? Only the D columns that start at h *
    D would matter.""")
E.hint("""For each h, compute `head_outputs[:, h] @ w_out[:, h * D : (h + 1) * D].T @ w_logits.T`.
    Then stack the parts on axis 1.""")
