"""Say which shapes a cell prints, and whether x is the batch that the cell draws."""

from course.learn.record import Exercise

E = Exercise(__name__, inputs=[()])

@E.answer
def printed():
    return (8,), (4, 8), False

E.mistake(lambda: ((4, 8), (4, 8), True), """you treat `x` as the batch that cell 2 draws.
    Follow the names: which line gives `x` a value, and which line gives `xb` a value?""")
E.slip("(8,)", "8", """your first answer is a number, because `(8)` means 8. A tuple with one entry
    needs a comma: `(8,)`.""")
E.slip("(8,)", "(4, 8)", """your second and third answers are right. But in the first case the deleted
    cell doesn't run. Which line gives `x` its value then?""")
E.slip("(4, 8)", "(8,)", """in the second case the deleted cell has run, and the kernel keeps the
    values that it assigned. Which line gave `x` a value last?""")
E.slip("False", "True", """your shapes are right. But two different batches can have the same shape. Is
    `x` the batch that cell 2 has just drawn?""")
E.mistake(lambda: ((8,), (8,), True), """your first answer is right. In the second case two
    batches are drawn. What is the name of the first one, and what is the name of the second?""")

@E.law
def two_shapes_and_a_bool(answer):
    """the answer has to be two shapes, each written like (2, 3), and True or False"""
    return [type(part) for part in answer] == [tuple, tuple, bool]

@E.law
def clean_run_shows_cell_1(answer):
    """in the first case `x` is the block from cell 1, `train_ids[:8]`"""
    return answer[0] == (8,)

@E.law
def deleted_cell_has_run(answer):
    """in the second case `x` is a batch, with its sequences on the first axis, and no later cell changes it"""
    return answer[1] == (4, 8)

@E.law
def two_batches_are_two_draws(answer):
    """the deleted cell and cell 2 draw two different batches"""
    return answer[2] is False

E.hint("Follow only the name `x` from cell to cell. Cross out each line that doesn't assign it.")
E.hint("""In the first case, cell 1 runs, then cell 2. In the second case, cell 1 runs, then the
    deleted cell, then cell 2. Which line assigns `x` last in each case?""")
E.hint("""Cell 1 makes a block of shape (8,), the deleted cell draws a batch of shape (4, 8), and
    cell 2 draws another batch.""")
