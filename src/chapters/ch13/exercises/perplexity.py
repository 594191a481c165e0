"""The perplexity of a text, from the costs of its characters in nats, batch by batch."""

import torch

from course.learn.draws import quarters
from course.learn.record import Exercise

GIVEN = [([torch.tensor([1.0, 2.0]), torch.tensor([3.0, 0.5])],),
         ([torch.tensor([0.5, 1.5, 2.5]), torch.tensor([4.0])],),
         ([torch.full((3,), 2.0), torch.full((5,), 2.0)],),
         ([quarters(4, seed=1).abs(), quarters(7, seed=2).abs(), quarters(2, seed=3).abs()],)]

def drawn(d):
    return ([d.tensor(d.size()).abs() for _ in range(d.size())],)

E = Exercise(__name__, GIVEN, drawn, trained=False)

@E.answer
def perplexity(costs):
    everything = torch.cat(costs)
    return everything.mean().exp()

E.slip("everything.mean().exp()", "everything.exp().mean()", """you took the mean of the exponentials:
    one bad guess then outweighs all others. First the mean, then `exp`.""")
E.slip("everything.mean().exp()", "2 ** everything.mean()", """2 to the power is right for costs in bits.
    These are in nats: `exp`.""")
E.slip("torch.cat(costs)", "torch.stack([batch.mean() for batch in costs])", """you gave each batch the
    same weight, however many characters it has. The last batch of a text is often a short one.""")
E.slip("everything.mean().exp()", "everything.sum().exp()", """that is one over the probability of the
    whole text. Per character: the mean.""")
E.slip("everything.mean().exp()", "(-everything.mean()).exp()", """that is the probability of a typical
    character. The perplexity is one over it.""")
E.slip(".exp()", "", "that is the loss. The perplexity is its exponential.")
E.slip("everything.mean().exp()", "torch.stack([batch.mean().exp() for batch in costs]).mean()", """you
    made a perplexity of each batch, and took their mean. A perplexity is made once, of the mean cost
    of all characters.""")
E.slip("everything.mean().exp()", "everything.median().exp()", "the mean, not the median.")

@E.law
def perplexity_of_one_number(answer, costs):
    """it has to lie between the exponentials of the lowest and the highest cost"""
    low, high = torch.cat(costs).aminmax()
    return bool(low.exp() - 1e-4 <= answer <= high.exp() * (1 + 1e-4))

E.hint("A model that gives each of V characters the same probability has the loss ln V. Its perplexity is V.")
E.hint("Which has to come first, the mean or the exponential? And over what is the mean?")
E.hint("`torch.cat` puts the batches together; then one mean, and one `exp`.")
