"""The ids followed by n_new more, each the most likely, from a model that takes at most
block_size."""

import torch

from course.learn.record import Exercise


class Model:
    """A model that guesses from all the ids that it reads: the next id is their weighted sum, times
    a step."""

    def __init__(self, vocab_size, block_size, step):
        self.vocab_size, self.block_size, self.step = vocab_size, block_size, step

    def __call__(self, ids):
        T = ids.shape[1]
        if self.block_size < T:
            raise IndexError(f"position {T - 1} is out of the table of {self.block_size} positions")
        places = torch.arange(T) + 1
        sums = (self.step * (ids * places).cumsum(dim=1) + places) % self.vocab_size
        far = (torch.arange(self.vocab_size) - sums[..., None]).abs()
        return -far.float()

    def __repr__(self):
        return f"Model(block_size={self.block_size})"

def given(B, T, n_new, V, block_size, step=1):
    draw = torch.Generator().manual_seed(B * T + n_new)
    ids = torch.randint(V, (B, T), generator=draw)
    return Model(V, block_size, step), ids, n_new, block_size

GIVEN = [given(1, 2, 2, 7, 5), given(2, 3, 6, 11, 5), given(3, 5, 4, 7, 3, 2), given(2, 4, 0, 5, 4)]

def drawn(d):
    B, T, n_new = d.sizes(3)
    return given(B, T, n_new, d.choice((7, 11, 13)), d.size(2), d.choice((1, 2, 3)))

E = Exercise(__name__, GIVEN, drawn)

@E.answer
def write_on(model, ids, n_new, block_size):
    for _ in range(n_new):
        context = ids[:, -block_size:]
        logits = model(context)[:, -1]
        new = logits.argmax(dim=-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
    return ids

E.slip("ids[:, -block_size:]", "ids", """you give the model all ids. That works until the text is
    longer than the block, because the model's table of positions ends there. Give the model only
    the newest ids.""")
E.slip("ids[:, -block_size:]", "ids[:, :block_size]", """you give the model the oldest ids. Once the
    text is longer than the block, it reads the same beginning again and again.""")
E.slip("context = ids[:, -block_size:]\n        logits = model(context)", """ids = ids[:, -block_size:]
        logits = model(ids)""", """the ids that the model no longer reads are also missing from your
            result. Crop a copy for the model, and return all ids.""")
E.slip("-block_size:]", "-block_size + 1:]", """your context is one id shorter than it could be. The
    block has room for `block_size` ids.""")
E.slip("ids[:, -block_size:]", "ids[-block_size:]", """you crop the batch. The first axis holds the
    sequences, the second the positions.""")
E.slip("[:, -1]", "[:, 0]", """you take the guess at position 0, which is about id 1. Which position
    holds the guess for the next id?""")
E.slip("ids = torch.cat([ids, new], dim=1)\n    return ids", """ids = torch.cat([ids, new], dim=1)
    return ids[:, -n_new:]""", """you return only the new ids. Return all ids, first the given ones,
        then the new ones.""")
E.slip("ids = torch.cat([ids, new], dim=1)", """ids = torch.cat([ids, new], dim=1)
        ids = torch.cat([ids[:, :-1], ids[:, -1:].clamp(max=0)], dim=1)""", """your new ids are all
            0. Append the model's guesses.""")
E.slip("ids = torch.cat([ids, new], dim=1)", "ids = torch.cat([ids, new[:1].expand(len(ids), 1)], dim=1)",
    """you give every sequence the new id of the first one. Each sequence has its own row of
    logits.""")

@E.law
def begins_with_the_ids(out, model, ids, n_new, block_size):
    """the result has to begin with all the given ids, and to have n_new more"""
    B, T = ids.shape
    return out.shape == (B, T + n_new) and torch.equal(out[:, :T], ids)

E.hint("""Which ids does the model read, and which do you return? They differ once the text is
    longer than the block.""")
E.hint("`ids[:, -block_size:]` are the newest ids, or all of them if there are fewer.")
E.hint("""In each round, crop a copy, take the logits of the last position and their argmax with
    `keepdim=True`, and append the new ids with `torch.cat` along dim 1.""")
