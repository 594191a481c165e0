"""What the tests of `attention` draw: numbers, ids and models, each from a seed."""

import torch
from torch import Tensor, nn

from attention.gpt import GPT, Config, make_block


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def draw_ids(*shape: int, vocab_size: int = 13, seed: int = 1) -> Tensor:
    return torch.randint(vocab_size, shape, generator=seeded(seed))


def draw_model(config: Config, block=make_block) -> GPT:
    """In float64, with weights that are not zero anywhere."""
    torch.manual_seed(0)
    model = GPT(config, block).double()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3)
    return model.eval()
