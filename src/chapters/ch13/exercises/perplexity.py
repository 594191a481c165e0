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

E.slip("everything.mean().exp()", "everything.exp().mean()", """you took the mean of the
    exponentials, so one bad guess outweighs all others. Take the mean first, then `exp`.""")
E.slip("everything.mean().exp()", "2 ** everything.mean()", """you take a power of 2, which is right
    for costs in bits. These costs are in nats, so use `exp`.""")
E.slip("torch.cat(costs)", "torch.stack([batch.mean() for batch in costs])", """you gave each batch the
    same weight, however many characters it has. The last batch of a text is often a short one.""")
E.slip("everything.mean().exp()", "everything.sum().exp()", """you returned one over the probability
    of the entire text. Take the mean, to get a number per character.""")
E.slip("everything.mean().exp()", "(-everything.mean()).exp()", """you returned the probability of
    a typical character. The perplexity is one over that probability.""")
E.slip(".exp()", "", "you returned the loss. The perplexity is its exponential.")
E.slip("everything.mean().exp()", "torch.stack([batch.mean().exp() for batch in costs]).mean()", """you
    computed the perplexity of each batch, and took their mean. Compute it once, from the mean cost
    of all characters.""")
E.slip("everything.mean().exp()", "everything.median().exp()", """you took the median. Take the
    mean.""")

@E.law
def perplexity_of_one_number(answer, costs):
    """the perplexity has to lie between the exponentials of the lowest and the highest cost"""
    low, high = torch.cat(costs).aminmax()
    return bool(low.exp() - 1e-4 <= answer <= high.exp() * (1 + 1e-4))

E.hint("A model that gives each of V characters the same probability has the loss ln V. Its perplexity is V.")
E.hint("Which has to come first, the mean or the exponential? And what is the mean taken over?")
E.hint("Join the batches with `torch.cat`. Then take one mean, and one `exp`.")
