"""Average the gradients of processes whose shares of the batch have different sizes."""

import torch

from course.learn.record import Exercise

E = Exercise(
    __name__, trained=False,
    inputs=[([torch.tensor([1.0, 2.0]), torch.tensor([4.0, 8.0])], [2, 1]),
            ([torch.tensor([1.0, 2.0]), torch.tensor([4.0, 8.0])], [1, 3]),
            ([torch.tensor([3.0, -1.0])], [5]),
            ([torch.tensor([1.0]), torch.tensor([0.0]), torch.tensor([-2.0])], [1, 2, 5])],
    draw=lambda d: (lambda n, size: ([d.tensor(size) for _ in range(n)], [1 + d.size(0) for _ in range(n)]))(1 + d.size(0) % 4, d.size(1)),
)


@E.answer
def mean_gradient(gradients, counts):
    total = sum(gradient * count for gradient, count in zip(gradients, counts, strict=True))
    return total / sum(counts)


E.slip("gradient * count", "gradient", """you add up means as if they were sums. A process with three
    examples has the mean of three: it counts three times.""")
E.slip("sum(counts)", "len(counts)", """you divide by the number of processes. You have added up the
    gradients of all examples, so divide by their number.""")
E.slip("total / sum(counts)", "total", """that is the sum over all examples. The loss is their mean.""")
E.slip("sum(counts)", "max(counts)", """you divide by the largest share. How many examples are there in
    all?""")
E.slip("gradient * count", "gradient / count", """you make the larger shares count less. Each gradient is a
    mean already: to get the sum over its examples, multiply.""")
E.mistake(lambda gradients, counts: sum(gradients) / len(gradients), """every process counts the same
    in yours. That is right for equal shares only: an example of a small share then counts more.""")
E.mistake(lambda gradients, counts: gradients[counts.index(max(counts))], """you took one process's
    gradient. The others have seen examples, too.""")

E.hint("How would one process do it, with all examples? Which sum, divided by what?")
E.hint("A mean times its count is a sum. Sums of different processes may be added.")
E.hint("Add up gradient * count, and divide once, by the sum of the counts.")
