"""Say which shapes a cell prints, and whether x is the batch that it has drawn."""

from course.learn.record import Exercise

E = Exercise(__name__, inputs=[()])

@E.answer
def printed():
    return (8,), (4, 8), False

E.mistake(lambda: ((4, 8), (4, 8), True), """you read `x` as the batch, as the author did. Go by
    the names: which line gives `x` a value, and which line gives `xb` one?""")
E.slip("(8,)", "8", """the first answer is a number: `(8)` is just 8. A tuple of one entry takes a
    comma: `(8,)`.""")
E.slip("(8,)", "(4, 8)", """the second and the third are right. But on a clean run the deleted cell
    never runs: who gives `x` its value then?""")
E.slip("(4, 8)", "(8,)", """a deleted cell has run all the same: what it assigned is still in
    memory. Which line gave `x` a value last?""")
E.slip("False", "True", """the shapes are right. But a shape is not a batch: is `x` the batch that
    cell 2 has just drawn?""")
E.mistake(lambda: ((8,), (8,), True), """on the clean run you are right. In the second case two
    batches are drawn: under which name is the first one kept, and under which the second?""")

@E.law
def two_shapes_and_a_bool(answer):
    """the answer has to be two shapes, each written like (2, 3), and True or False"""
    return [type(part) for part in answer] == [tuple, tuple, bool]

@E.law
def clean_run_shows_cell_1(answer):
    """on a clean run `x` is what cell 1 made, `train_ids[:8]`"""
    return answer[0] == (8,)

@E.law
def deleted_cell_has_run(answer):
    """in the second case `x` is a whole batch, sequences first, and no later cell changes it"""
    return answer[1] == (4, 8)

@E.law
def two_batches_are_two_draws(answer):
    """the two batches are two draws"""
    return answer[2] is False

E.hint("Follow the name `x` only, from cell to cell. Cross out each line that doesn't assign it.")
E.hint("""Clean run: cell 1, then cell 2. Second case: cell 1, the deleted cell, then cell 2. In
    each, which line assigns `x` last?""")
E.hint("""Cell 1 makes a block of shape (8,), the deleted cell a batch of shape (4, 8), and cell 2
    draws another one.""")
