"""Paired runs: each model is trained as if it were alone."""

from functools import partial

import torch
from torch import nn

from attention.batches import cut_blocks
from attention.training import batch_loss, cross_entropy, minimize
from chapters.ch07.paired_seeds import paired_losses

V, T = 5, 3
IDS = torch.randint(V, (40,), generator=torch.Generator().manual_seed(0))
HELD_OUT = cut_blocks(IDS, torch.tensor([1, 8, 20]), T)


class Scaled(nn.Module):
    """Rows of logits, times the setting."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(V, V)

    def forward(self, ids, setting=2.0):
        return setting * self.table(ids)


def test_each_model_is_trained_as_if_it_were_alone():
    eval_steps, seeds = (2, 5), (3, 4, 11)
    losses = paired_losses(Scaled, [1.0, 2.0], seeds, IDS, HELD_OUT, eval_steps, 7, 0.1)
    assert losses.shape == (2, 2, 3)
    for n, seed in enumerate(seeds):
        torch.manual_seed(seed)
        alone = Scaled()
        optimizer = torch.optim.AdamW(alone.parameters(), lr=0.1)
        draw = torch.Generator().manual_seed(seed)
        loss_of = partial(batch_loss, alone, IDS, 7, T, draw)
        for at, steps in enumerate((2, 3)):
            list(minimize(loss_of, alone.parameters(), [optimizer], steps))
            loss = cross_entropy(alone(HELD_OUT[0]), HELD_OUT[1])
            torch.testing.assert_close(losses[at, 1, n], loss.detach())


def test_a_pair_differs_in_its_setting_alone():
    losses = paired_losses(Scaled, [2.0, 2.0, 1.0], (0, 1), IDS, HELD_OUT, (1, 4), 7, 0.1)
    torch.testing.assert_close(losses[:, 0], losses[:, 1])
    assert (losses[:, 0] != losses[:, 2]).all()
