"""What each head alone adds to the logits: (B, H, T, V)."""

import torch

from course.learn.draws import quarters
from course.learn.laws import close
from course.learn.record import Exercise


def drawn(d):
    B, H, T, D, C, V = d.sizes(6)
    head_outputs = d.tensor(B, H, T, D)
    head_outputs[:, d.randrange(H)] = 0
    return head_outputs, d.tensor(C if d.n % 2 else H * D, H * D), d.tensor(V, C if d.n % 2 else H * D)

def given(B, H, T, D, V, seed):
    head_outputs = quarters(B, H, T, D, seed=seed)
    return head_outputs, quarters(H * D, H * D, seed=seed + 1), quarters(V, H * D, seed=seed + 2)

E = Exercise(
    __name__,
    inputs=[(torch.tensor([1.0, 2.0]).view(1, 2, 1, 1), torch.tensor([[1.0, 3.0], [0, 1]]), torch.eye(2)),
            given(1, 2, 1, 2, 2, seed=1), given(2, 2, 3, 2, 3, seed=2)],
    draw=drawn,
    without=("attention",),
)


@E.answer
def head_parts(head_outputs, w_out, w_logits):
    B, H, T, D = head_outputs.shape
    parts = []
    for h in range(H):
        columns = w_out[:, h * D : (h + 1) * D]  # what `out` reads of head h: (C, D)
        parts.append(head_outputs[:, h] @ columns.T @ w_logits.T)
    return torch.stack(parts, dim=1)

E.slip("w_out[:, h * D : (h + 1) * D]", "w_out[h * D : (h + 1) * D].T", """you take rows of `w_out`, or transpose
    it once too often. A Linear multiplies by its weight transposed: what comes in are the columns, and
    of these head h has D.""")
E.slip("w_out[:, h * D : (h + 1) * D]", "w_out[:, h::H]", """you take every H-th column. Merged heads
    stand one behind the other: head h has the D columns from h * D on.""")
E.slip("w_out[:, h * D : (h + 1) * D]", "w_out[:, :D]", """every head goes through the first head's columns.
    Each has its own D.""")
E.slip("torch.stack(parts, dim=1)", "sum(parts)", """those are the logits of all heads together. Asked for are
    the parts, one for each head.""")
E.slip(" @ w_logits.T", "", "those are still channels. `w_logits` makes V logits of them.")
E.slip("torch.stack(parts, dim=1)", "torch.stack([sum(parts) / H] * H, dim=1)", """you gave every head an
    equal part of the logits. What came from this head?""")
E.slip("torch.stack(parts, dim=1)", "torch.stack([sum(parts)] * H, dim=1)", """you gave every head all of the
    logits. What came from this head?""")
E.slip("torch.stack(parts, dim=1)", "torch.stack(parts)", """the heads come first in yours. Expected is
    (B, H, T, V): stack them on axis 1.""")
E.slip("torch.stack(parts, dim=1)", "torch.softmax(torch.stack(parts, dim=1), dim=-1)", """you made
    probabilities of each head's part. Parts of logits add up; probabilities don't.""")
E.slip("torch.stack(parts, dim=1)", "sum(parts)[:, None] - torch.stack(parts, dim=1)", """that is what is left
    without the head. Asked for is its own part.""")

E.mistake(lambda head_outputs, w_out, w_logits: torch.stack([
    (head_outputs * (torch.arange(head_outputs.shape[1]) == h)[:, None, None]).reshape(
        len(head_outputs), head_outputs.shape[2], -1) @ w_out.T @ w_logits.T for h in range(head_outputs.shape[1])], 1),
    """your (B, H, T, D) became (B, T, H * D) by a view alone, so that a row holds several positions of one
    head. Move the axes first: `transpose(1, 2)`.""")

@E.law
def heads_add_up_to_the_logits(parts, head_outputs, w_out, w_logits):
    """the parts of all heads have to sum to the logits: merged heads, times `w_out.T`, times `w_logits.T`"""
    merged = head_outputs.transpose(1, 2).flatten(2)
    return close(parts.sum(dim=1), merged @ w_out.T @ w_logits.T)

@E.law
def a_head_of_zeros_adds_nothing(parts, head_outputs, w_out, w_logits):
    """a head whose outputs are 0 everywhere has to have the part 0"""
    silent = (head_outputs == 0).all(-1).all(-1)
    return bool((parts[silent] == 0).all())

E.hint("`out` multiplies merged heads, (B, T, H * D), by `w_out.T`. Which of its columns meet head h?")
E.hint("""If all heads but h were 0, what would the logits be? Only the D columns from h * D on would be
    read.""")
E.hint("For each h: `head_outputs[:, h] @ w_out[:, h * D : (h + 1) * D].T @ w_logits.T`, and then a stack on axis 1.")
