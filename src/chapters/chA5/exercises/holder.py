"""Return the rank whose keys and values a process has after `step` steps of the ring."""

from course.learn.record import Exercise

E = Exercise(__name__,
    inputs=[(1, 3, 1), (0, 3, 1), (2, 3, 0), (0, 4, 3), (1, 2, 2), (3, 5, 12)],
    draw=lambda d: (lambda size, rank, step: (rank % size, size, step))(d.size(1), d.size(0), d.size(0)))

@E.answer
def holder(rank, size, step):
    return (rank - step) % size

E.slip("rank - step", "rank + step", """your keys come from the next process. Each process passes
    its keys to the next one, so it receives those of the process before it.""")
E.slip("(rank - step) % size", "rank - step", """your rank can be below 0. The processes form a
    ring, so the one before process 0 is the last.""")
E.slip("(rank - step) % size", "max(rank - step, 0)", """you stop at process 0. But the ring goes
    on, because process 0 receives its keys from the last process.""")
E.slip("rank - step", "rank - step - 1", """you count one step too many. Before the first step, each
    process has its own keys.""")
E.slip("rank - step", "rank - 1", """your answer is for one step, whatever `step` is.""")
E.slip("rank - step", "step - rank", """you subtract the rank from the step. Subtract the step from
    the rank: at step 0, process 1 has its own keys, those of part 1.""")
E.slip("% size", "% (size - 1 or 1)", """your ring comes back to its beginning one step too early. A
    ring of `size` processes takes `size` steps.""")
E.mistake(lambda rank, size, step: rank, """you describe the situation before the first step. With
    each step, a process receives the keys of the process before it.""")

E.hint("""After 0 steps a process has its own part. After one step it has the part of the process
    before it.""")
E.hint("Each step goes one process further back: rank, rank - 1, rank - 2. What comes before 0?")
E.hint("In a ring you count modulo `size`: Python's `%` of a negative number is what you need.")
