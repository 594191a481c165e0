"""Say whose keys and values a process has after so many hand-ons."""

from course.learn.record import Exercise

E = Exercise(
    __name__,
    inputs=[(1, 3, 1), (0, 3, 1), (2, 3, 0), (0, 4, 3), (1, 2, 2), (3, 5, 12)],
    draw=lambda d: (lambda size, rank, step: (rank % size, size, step))(d.size(1), d.size(0), d.size(0)),
)


@E.answer
def holder(rank, size, step):
    return (rank - step) % size


E.slip("rank - step", "rank + step", """your keys come from the next process. Each process hands its
    own on to the next one, so what arrives comes from the one before.""")
E.slip("(rank - step) % size", "rank - step", """a rank is never below 0. The processes are a ring: the
    one before process 0 is the last.""")
E.slip("(rank - step) % size", "max(rank - step, 0)", """you stop at process 0. The ring goes on: what
    process 0 gets comes from the last process.""")
E.slip("rank - step", "rank - step - 1", """you count one hand-on too many. Before the first, at step 0,
    each process has its own keys.""")
E.slip("rank - step", "rank - 1", """that is after one hand-on, whatever `step` is.""")
E.slip("rank - step", "step - rank", """you count the wrong way: from the step, and not from the
    process. At step 0 process 1 has its own keys, those of part 1.""")
E.slip("% size", "% (size - 1 or 1)", """a ring of `size` processes comes back to its beginning after
    `size` hand-ons, not one earlier.""")
E.mistake(lambda rank, size, step: rank, """that is where everything begins. Each hand-on brings the keys
    of the process before.""")

E.hint("After no hand-on it is its own part. After one it is that of the process before.")
E.hint("Each hand-on goes one process further back: rank, rank - 1, rank - 2. What comes before 0?")
E.hint("In a ring you count modulo `size`: Python's `%` of a negative number is what you need.")
