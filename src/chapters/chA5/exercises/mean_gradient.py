"""Average the gradients of processes whose shares of the batch have different sizes."""

import torch

from course.learn.record import Exercise

E = Exercise(__name__, trained=False,
    inputs=[([torch.tensor([1.0, 2.0]), torch.tensor([4.0, 8.0])], [2, 1]),
            ([torch.tensor([1.0, 2.0]), torch.tensor([4.0, 8.0])], [1, 3]),
            ([torch.tensor([3.0, -1.0])], [5]),
            ([torch.tensor([1.0]), torch.tensor([0.0]), torch.tensor([-2.0])], [1, 2, 5])],
    draw=lambda d: (lambda n, size: ([d.tensor(size) for _ in range(n)], [1 + d.size(0) for _ in range(n)]))(1 + d.size(0) % 4, d.size(1)))

@E.answer
def mean_gradient(gradients, counts):
    total = sum(gradient * count for gradient, count in zip(gradients, counts, strict=True))
    return total / sum(counts)

E.slip("gradient * count", "gradient", """you add up means as if they were sums. A process with
    three examples has the mean of three, so it has to count three times.""")
E.slip("sum(counts)", "len(counts)", """you divide by the number of processes. You have added up
    the gradients of all examples, so divide by the number of examples.""")
E.slip("total / sum(counts)", "total", """you return the sum over all examples. The loss is a mean,
    so divide by the number of examples.""")
E.slip("sum(counts)", "max(counts)", """you divide by the largest share. How many examples do all
    processes have together?""")
E.slip("gradient * count", "gradient / count", """you make the larger shares count less. Each
    gradient is already a mean. To get the sum over its examples, multiply.""")
E.mistake(lambda gradients, counts: sum(gradients) / len(gradients), """you give every process the
    same weight. That is right only if all shares are equal. Otherwise an example in a small share
    counts more than one in a large share.""")
E.mistake(lambda gradients, counts: gradients[counts.index(max(counts))], """you took one process's
    gradient. The others have seen examples as well.""")

E.hint("""How would one process compute the gradient of all examples? Which sum would it take, and what
    would it divide it by?""")
E.hint("A mean times its count is a sum. You can add the sums of different processes.")
E.hint("Add up gradient * count, and divide once, by the sum of the counts.")
