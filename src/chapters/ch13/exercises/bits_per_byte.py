"""The bits per byte of a text, from the costs of its tokens in nats, batch by batch."""

from math import log

import torch

from course.learn.draws import quarters
from course.learn.record import Exercise

GIVEN = [([torch.tensor([1.0, 2.0]), torch.tensor([3.0])], "one day"),
         ([torch.tensor([0.5, 1.5, 2.5]), torch.tensor([4.0])], "a caf\u00e9"),
         ([torch.full((3,), 2.0), torch.full((5,), 2.0)], "\u00e9\u00e8\u00ea, all with two bytes"),
         ([quarters(4, seed=1).abs(), quarters(7, seed=2).abs(), quarters(2, seed=3).abs()], "\u2013 and three")]

def drawn(d):
    return [d.tensor(d.size()).abs() for _ in range(d.size())], "\u00e9" * d.size() + "n" * d.size()

E = Exercise(__name__, GIVEN, drawn, trained=False)

@E.answer
def bits_per_byte(costs, text):
    nats = torch.cat(costs).sum()
    return nats / log(2) / len(text.encode())

E.slip("torch.cat(costs).sum()", "torch.cat(costs).mean()", """you took the mean per token. Add up the
    costs of all tokens: the division comes later, and it is by bytes.""")
E.slip("len(text.encode())", "len(text)", """you divide by the number of characters. Some characters
    take several bytes: count those of `text.encode()`.""")
E.slip("len(text.encode())", "len(torch.cat(costs))", """you divide by the number of tokens. Another
    tokenizer has fewer or more of them, so divide by the number of bytes.""")
E.slip("nats / log(2)", "nats", """you return nats per byte. Divide by ln 2, because a bit is
    ln 2 nats.""")
E.slip("log(2)", "log(10)", """you divide by ln 10, which gives decimal digits. A bit is ln 2
    nats.""")
E.slip("/ log(2)", "* log(2)", """you multiply by ln 2. A bit is only ln 2 = 0.69 nats, so
    there are more bits than nats: divide.""")
E.slip("torch.cat(costs).sum()", "sum(batch.mean() for batch in costs)", """you add up one mean cost for
    each batch. Add up the costs of all tokens.""")
E.slip("nats / log(2) / len(text.encode())", "torch.cat([c.mean()[None] for c in costs]).mean() / log(2)",
       """you returned the mean of the batches' losses, in bits per token. Add up the costs of all
       tokens, and divide by the number of bytes.""")
E.slip("torch.cat(costs)", "costs[0]", "you used only the first batch. Join all of them.")
E.slip("nats / log(2) / len(text.encode())", "(nats / len(text.encode())).exp()", """you returned
    e to the power of the nats per byte. The number that we want is without `exp`, and in bits.""")
E.slip("nats / log(2) / len(text.encode())", "nats / log(2)", """you returned the bits of the
    entire text. Divide by its number of bytes.""")

@E.law
def more_bits_than_nats(answer, costs, text):
    "for each byte there have to be more bits than nats, because a bit is only ln 2 = 0.69 nats"
    return bool(answer >= 1.2 * torch.cat(costs).sum() / len(text.encode()))

E.hint("A token can stand for one byte or for ten. Which sum is the same, however the text is cut into tokens?")
E.hint("How many nats does the whole text cost? How many bits is that, if a bit is ln 2 nats?")
E.hint("""Join the batches with `torch.cat` and add up. Divide by `log(2)`, and by the length of
    `text.encode()`.""")
