"""Return what a twin of the head with the weights W_q, W_k, W_v gives for x, and what the head gives."""

import copy

import torch

from attention.heads import Head
from chapters.laws import close
from course.learn.draws import Draw
from course.learn.record import Exercise


def drawn(d):
    B, T, C, D = d.sizes(4)
    D, batch = D if d.n % 3 else C, (B, T)[d.n % 2 :]  # every third time square
    with torch.random.fork_rng(devices=[]):  # the notebook's own draws go on as if nothing was
        torch.manual_seed(d.getrandbits(30))
        return Head(C, D), *(d.tensor(C, D) for _ in "qkv"), d.tensor(*batch, C)

E = Exercise(__name__, [drawn(Draw("first", n)) for n in (3, 1)], drawn, n_drawn=12)

@E.answer
def transplant(head, W_q, W_k, W_v, x):
    twin = copy.deepcopy(head)
    with torch.no_grad():
        twin.query.weight.copy_(W_q.T)
        twin.key.weight.copy_(W_k.T)
        twin.value.weight.copy_(W_v.T)
    return twin(x), head(x)

E.slip("copy.deepcopy(head)", "head", """both of your outputs come from the new weights, because
    you wrote into head itself. `twin = head` is a second name for it, and `copy.copy` shares its
    layers. Which function copies the layers too?""")
E.slip("twin =", "twin, head = head,", """both of your outputs are right, but the head you were
    given now holds the new weights, so it gives different numbers from now on. What makes a real
    copy?""")
STORED = """you copy matrices for `x @ W`, (in, out), but a Linear stores (out, in). If they are
    square, you see no error, but the output is wrong."""
END = "\n    return twin(x), head(x)\n    with"
E.slip("with", "W_q, W_k, W_v = W_q.T, W_k.T, W_v.T\n    with", STORED)
E.slip("with", f"for p, W in zip(twin.parameters(), (W_q, W_k, W_v)): p.data = W{END}", STORED)
E.slip("with", f"twin.load_state_dict(dict(zip(twin.state_dict(), (W_q, W_k, W_v)))){END}",
       STORED)
E.slip("with", "W_q, W_k, W_v = (W.reshape(W.T.shape).T for W in (W_q, W_k, W_v))\n    with",
       """you reshape to (out, in). That fits, but it shuffles the numbers. Rows have to become
           columns.""")
E.slip("with", "W_q, W_k = W_k, W_q\n    with", """you put W_q into the key layer and W_k into the
    query layer. Then row t of the weights shows which positions look at t.""")
E.slip(".copy_(W_v.T)", "", """your queries and keys are right, but the twin still has its old
    values.""")
E.slip("twin(", "head(", """your twin still has the head's own weights, so the new ones aren't
    used.""")
E.slip("twin(x), head(x)", "head(x), twin(x)", """both of your outputs are right, but in the wrong
    order. The twin's output comes first.""")
E.slip("weight.copy_(W_q.T)", "weight = W_q.T", """you replace a Parameter with a plain tensor,
    which PyTorch refuses with a TypeError. Keep the Parameter and copy numbers into it.""")
E.slip("no_grad", "enable_grad", """you write into a Parameter while PyTorch records gradients,
    which PyTorch refuses. The copy isn't part of the computation. Which `with` turns recording
    off?""")

@E.law
def the_head_is_unharmed(outputs, head, W_q, W_k, W_v, x):
    """the second output has to be that of the unchanged head"""
    return close(outputs[1], head(x).detach())

E.hint("""There are three steps: make a real copy of the head, write the numbers into the copy, and
    return both outputs.""")
E.hint("Use `copy.deepcopy(head)`, then `twin.query.weight.copy_(...)` under `torch.no_grad()`.")
E.hint("""A Linear stores (out, in), so copy `W_q.T` into `query`, and likewise for `key` and
    `value`. Return `twin(x), head(x)`.""")
