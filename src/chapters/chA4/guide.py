"""What an instructor looks up: minutes, paths, and of each chapter its aim, misconceptions and show.

A misconception names an exercise and how the hint begins that its known mistake gets; `show` names
the cell of an explorer. Minutes are those of `course.outline`.
"""

import html
from typing import NamedTuple

from chapters.chA1.glossary import Table
from chapters.chA1.words import NOTEBOOKS
from course import notebooks
from course.learn.html import prose
from course.outline import minutes


class Lesson(NamedTuple):
    """How to teach one chapter."""

    aim: str
    beliefs: tuple[
        tuple[str, str, str], ...
    ]  # what they believe, an exercise, its hint's beginning
    discuss: str
    cell: str  # of the explorer
    script: str


LESSONS = {
    "00": Lesson("Read a shape by its letters, and say what an operation does to each axis.",
        (("`view` can do what `transpose` does", "swap_last_two", "the shape is right and the numbers are not"),
         ("`dim` names the axis that stays", "six_shapes", "shape 2: you kept the axis that `dim` names"),
         ("broadcasting shrinks", "six_shapes", "shape 4: broadcasting stretches the smaller size")),
        "A program runs and its shapes are right. What can still be wrong?", "cell-054",
        "Walk through x to visit 8. Ask where visit 9 is in memory. Switch to the transpose, ask again, then move."),
    "01": Lesson("Turn text into ids and back, and say what a vocabulary costs.",
        (("an id is the character's number in Unicode", "encode", "these are the characters' numbers in Unicode"),
         ("a byte is a character", "bytes_to_text", "you made a character of every single byte"),
         ("pairs are counted once", "bpe", "you counted the pairs once, at the start")),
        "Who is badly served by a vocabulary that was learnt from English?", "cell-052",
        "Stand at 0 merges. Ask for the first pair, and move one step. Then ask: do the first or the last merges save more?"),
    "02": Lesson("Cut blocks, shift targets, and hold a part back to judge by.",
        (("one block is one example", "examples", "only the longest context of each sequence is left"),
         ("the target is the last character of its context", "examples", "your target is the last id of its own context"),
         ("a slice that is too long complains", "cut", "near the end your blocks come back short or empty")),
        "Why hold back the end of the text, and not lines drawn at random?", "cell-033",
        "Move the start to the right. Let the room call stop where the last target would be missing."),
    "03": Lesson("Say what a loss means, and which floor a kind of model can't get below.",
        (("columns of the counted table sum to 1", "lowest_loss", "your columns sum to 1, not your rows"),
         ("`F.cross_entropy` wants probabilities", "batch_loss", "softmax ran twice"),
         ("a batch's loss is the model's", "can_be_true", "one claim is judged wrongly: the floor holds for the whole text")),
        "A colleague reports a loss below the floor. Which three questions do you ask?", "cell-098",
        "Choose q. Ask what comes next, and how sure the table is. Then the space: as unsure as a die with how many sides?"),
    "04": Lesson("Average the past by one matrix, and read a row of weights.",
        (("columns sum to 1", "averaging_weights", "your columns sum to 1, not your rows"),
         ("a score of 0 forbids", "weights_from_mask", "forbidden columns still get a full share"),
         ("row t is divided by T", "mean_past", "you divide every running sum by T")),
        "A mean forgets which word was where. What could the shares hang on instead?", "cell-051",
        "Ask what one weight changes: one number, a row, a column? Set it to 0.75, then choose another column."),
    "05": Lesson("Make weights out of words: dot product, softmax, mix.",
        (("twice the score is twice the weight", "score_lead", "a lead of 2 makes the weight exp(2)"),
         ("weights need only sum to 1", "is_weights", "[1.5, -0.5] sums to 1 too"),
         ("softmax runs over all numbers, or down", "stable_softmax", "on a matrix your columns sum to 1")),
        "Which word would you like *it* to listen to, and can a dot product of fixed vectors do that?", "cell-068",
        "Turn the query to 70 degrees. Ask who gets most, *journey* at which it points, or the longer *starts*? Show it."),
    "06": Lesson("Tell query, key and value apart, and scores from weights from weight matrices.",
        (("attention weights are parameters", "shapes", "you gave the attention weights the shape of a weight matrix"),
         ("rows are keys", "shapes", "your scores have a row for each key"),
         ("in cross-attention the memory asks", "cross_attend", "the roles are swapped: your queries come from the memory")),
        "Why three vectors? What is lost if the key is also the value?", "cell-103",
        "All keys point one way. Ask whether the query can make *one* the loudest. Drag it till someone says stop."),
    "07": Lesson("Say why scores grow with d, and what a saturated softmax stops learning.",
        (("divide by 1/√d", "scaled_weights", "you multiply by sqrt(d)"),
         ("the root is that of the embedding's size", "scaled_weights", "you scale by the size of x"),
         ("a scale counts once in a variance", "score_variance", "the scale counts only once in your answer")),
        "A head without the scale trains nearly as well here. Why keep the scale?", "cell-036",
        "Set d to 64, then 1024, without a scale. Ask which of the four factors gives one row for every d."),
    "08": Lesson("Mask before softmax, and prove that nothing leaks.",
        (("a score of 0 hides a word", "causal_weights", "your forbidden scores became 0"),
         ("a mask after softmax will do", "causal_weights", "you masked after softmax"),
         ("True means the same everywhere", "as_allowed", "`.bool()` makes True of all that is not 0")),
        "The last row of a leaking attention is right. Who would notice, and when?", "cell-102",
        "Open one cell above the diagonal. Before you look at *Who notices?*, collect names."),
    "09": Lesson("Put attention into a module that moves, saves, drops and says what it can't do.",
        (("rows sum to 1 after dropout", "drop", "you made the rows sum to 1"),
         ("a buffer isn't saved", "saved_numbers", "a buffer is saved unless you say otherwise"),
         ("two copies test a batch", "mixes_batch", "you put copies into the batch")),
        "What may differ between two runs that are both right?", "cell-063",
        "p from 0.1 to 0.9: the mean of the sums stays, the spread grows. Then switch training off, and ask again."),
    "10": Lesson("Cut channels into heads and back, and say what a wrong view does.",
        (("any view of the right shape is right", "split_heads", "the shape is right, and the positions are mixed"),
         ("d_out is always of all heads", "widths", "you read both as the fused module does"),
         ("each head has all the channels", "split_heads", "each of your heads has all C channels")),
        "Losses look splendid and the text is bad. What do you suspect first?", "cell-073",
        "Choose an output, ask whose numbers flow into it, then press for the wrong view: red words are later ones."),
    "11": Lesson("Say what attention knows of order, and what each scheme adds.",
        (("values are turned too", "rotary_attention", "you turned the values too"),
         ("turning queries is enough", "rotary_attention", "only the queries are turned"),
         ("penalties add to far keys", "penalties", "you add for each step back")),
        "Two causal layers know something of order without being told. Should one tell them?", "dial",
        "Query at 2, key at 0. Move both by 3. Ask for the angle and the dot product before you let go."),
    "12": Lesson("Stack blocks that add to a stream.",
        (("a layer replaces its input", "block", "the residual of the first part is missing"),
         ("a norm does what a residual does", "find_missing", "you call blocks fine whose norms stand after the sums"),
         ("RMS norm takes the mean away", "normalise", "the mean is always taken away")),
        "What would you see in training if one residual were missing, and what not?", "explore",
        "No residuals, with norms: go down layer by layer, and ask when two words can no longer be told apart."),
    "13": Lesson("Train, judge and sample a small GPT honestly.",
        (("shift once more to be safe", "next_loss", "you shifted twice"),
         ("padding counts", "padded_loss", "your mean counts the padding too"),
         ("top-p keeps a share of the ids", "top_p", "you keep a share p of the *ids*")),
        "Which comparison in this chapter would you not believe with a single seed?", "explorer",
        "Temperature 0, then 1.5, then top-p below 1. Each time the room says first what the text will look like."),
    "14": Lesson("Read a map, put a number on it, and test what it suggests.",
        (("a score counts how often a head looks there", "one_back_score", "you count how often the one before gets the largest weight"),
         ("an induction head looks at the same token", "behind_score", "that is the weight to the same character's first place"),
         ("what a patch brings back sums to 1", "restored", "yours sum to 1. They needn't")),
        "A colleague shows you a map that looks like a story. What do you ask for?", "live",
        "Type the king and the ki. Ask which head looks at the n. Then make the king a kite, and ask again."),
    "15": Lesson("Write with a cache, and say what the next word costs.",
        (("the new word stands at position 0", "decode_step", "your new word stands at position 0"),
         ("a causal mask fits any rectangle", "cache_mask", "your triangle begins at the top left"),
         ("`repeat` shares keys", "grouped", "your query heads take keys and values in rounds")),
        "Is it bytes or operations that make the next word slow? How could you tell?", "calculator",
        "32 heads of keys: at which context does the cache weigh more than the model? Then 8."),
    "16": Lesson("Find what is wrong by what it does, and choose a check for what it excludes.",
        (("a check that finds nothing tells nothing", "suspects", "a check that found nothing tells something too"),
         ("the best check is the luckiest one", "next_check", "you count on luck"),
         ("a program may be compared with itself", "is_right", "you compare the program with itself")),
        "All your checks are green. What can still be wrong, and how would you know?", "matrix",
        "Ask which single check finds most patients, then which finds those that all the others miss."),
}  # fmt: skip
PATHS = {
    "3 hours": "04 05 06 08 10",
    "6 hours": "00 01 02 03 04 05 06 07 08 09 10",
    "12 hours": "00 01 02 03 04+ 05 06+ 07 08+ 09 10+ 11 12 13 14 15",
}
WEEKS = (
    "00 01",
    "02",
    "03",
    "04",
    "05",
    "06",
    "07",
    "08",
    "09",
    "10",
    "11",
    "12",
    "13",
    "14",
    "15",
    "16",
)


def chapter_minutes(chapter: str) -> tuple[int, int]:
    """How long the main line of a chapter takes, and what is Deeper."""
    path = notebooks.root() / "notebooks" / NOTEBOOKS[chapter]
    cells = notebooks.parse(notebooks.read_text(path), path.name)["cells"]
    main, deeper = minutes(cells)
    return round(main), round(deeper)


def path_minutes(path: str) -> int:
    """How long a path takes; a + takes what is Deeper in."""
    found = [(chapter_minutes(name[:2]), "+" in name) for name in path.split()]
    return sum(main + deeper * more for (main, deeper), more in found)


def paths() -> Table:
    """The paths, with their chapters and minutes."""
    rows = tuple((name, path, f"{path_minutes(path)} minutes") for name, path in PATHS.items())
    return Table(("path", "chapters", "together"), rows, "\n".join(map(": ".join, rows)))


def term() -> Table:
    """A week for each row: what is met in class, how long it takes, and what is done at home."""
    rows = []
    for week, names in enumerate(WEEKS, 1):
        main, deeper = map(sum, zip(*map(chapter_minutes, names.split()), strict=True))
        home = f"the exercises on a sheet; what is Deeper, {deeper} minutes"
        rows.append((str(week), names.replace(" ", " and "), f"{main} minutes", home))
    heads = ("week", "chapter", "its main line", "at home")
    return Table(heads, tuple(rows), "\n".join(map("  ".join, rows)))


def lesson(chapter: str) -> Table:
    """How to teach a chapter. Raises ValueError for another one."""
    if chapter not in LESSONS:
        raise ValueError(f"chapter: expected one of {', '.join(LESSONS)}, got {chapter!r}")
    found, (main, deeper) = LESSONS[chapter], chapter_minutes(chapter)
    rows = [("minutes", f"{main}, and {deeper} more for what is Deeper"), ("aim", found.aim)]
    rows += [
        (f"they believe {n}", f"{belief}. Exercise `{name}` says: *{hint}* ...")
        for n, (belief, name, hint) in enumerate(found.beliefs, 1)
    ]
    rows += [("discuss", found.discuss), ("show", found.script)]
    shown = tuple((head, prose(text)) for head, text in rows)
    says = "\n".join(f"{head}: {text}" for head, text in rows)
    link = f'<a href="{NOTEBOOKS[chapter]}">{html.escape(NOTEBOOKS[chapter][:-6])}</a>'
    return Table((chapter, link), shown, says)
