"""Chapter 03, the bigram baseline: its exercises, its quiz and its sources."""

import math

import torch
import torch.nn.functional as F

from course.exercise import Exercise, Law, Mistake
from course.quiz import Option, Question
from course.sources import Source


def _logits(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


_ONE = (_logits(1, 1, 2, seed=1), torch.tensor([[1]]))
_TWO = (_logits(2, 3, 5, seed=2), torch.tensor([[4, 0, 1], [2, 2, 3]]))
_THREE = (_logits(3, 2, 7, seed=3), torch.tensor([[6, 1], [0, 5], [3, 3]]))
_LONG = (_logits(1, 5, 3, seed=4), torch.tensor([[2, 0, 0, 1, 2]]))


# 1. Cross-entropy, by view


def batch_loss(logits, targets):
    B, T, V = logits.shape
    return F.cross_entropy(logits.view(B * T, V), targets.view(B * T))


def _scrambled(logits, targets):
    B, T, V = logits.shape
    return F.cross_entropy(logits.view(B, V, T), targets)


def _unreshaped(logits, targets):
    return F.cross_entropy(logits, targets)


def _probabilities_first(logits, targets):
    return batch_loss(F.softmax(logits, dim=-1), targets)


def _summed(logits, targets):
    return batch_loss(logits, targets) * targets.numel()


def _last_position(logits, targets):
    return F.cross_entropy(logits[:, -1], targets[:, -1])


def _no_log(logits, targets):
    return -F.softmax(logits, dim=-1).gather(-1, targets[..., None]).mean()


def _logit_only(logits, targets):
    return -logits.gather(-1, targets[..., None]).mean()


def _targets_across(logits, targets):
    B, T, V = logits.shape
    return F.cross_entropy(logits.reshape(B * T, V), targets.T.reshape(B * T))


def _in_bits(logits, targets):
    return batch_loss(logits, targets) / math.log(2)


BATCH_LOSS = Exercise(
    id="03.batch_loss",
    asks="Return the mean cross-entropy in nats of logits (B, T, V) and targets (B, T).",
    reference=batch_loss,
    inputs=[_ONE, _TWO, _THREE, _LONG],
    mistakes=[
        Mistake(
            _scrambled,
            "`view(B, V, T)` has the right shape and the wrong contents: it draws new lines "
            "between the numbers as they lie in memory, so each distribution is cut from several "
            "rows. "
            "Keep V the last axis when you use `view`.",
        ),
        Mistake(
            _unreshaped,
            "`F.cross_entropy` looks for the classes on axis 1, and there you have the positions. "
            "Which two axes can become one, so that the classes move up? (If you have flattened "
            "already: V differs from input to input. Take it from `logits.shape`.)",
        ),
        Mistake(
            _probabilities_first,
            "softmax ran twice: `F.cross_entropy` takes logits and does its own softmax. Given "
            "probabilities it finds a loss that can never come near 0.",
        ),
        Mistake(
            _summed,
            "this is the sum over all guesses. It grows with the batch; the mean can be compared.",
        ),
        Mistake(
            _last_position,
            "only the last position of each sequence is counted. Every position is a guess, so "
            "there are B * T of them.",
        ),
        Mistake(
            _no_log,
            "this is minus the mean probability. The cost of a guess is minus the logarithm of "
            "the probability.",
        ),
        Mistake(
            _logit_only,
            "you charged minus the logit. A logit alone says nothing: it has to be compared with "
            "the others of its row, which is what softmax does.",
        ),
        Mistake(
            _targets_across,
            "the logits are flattened sequence by sequence, the targets position by position, so "
            "they no longer belong together. Flatten both in the same order.",
        ),
        Mistake(_in_bits, "this loss is in bits. The unit here is the nat: no division by ln 2."),
    ],
    laws=[
        Law("the loss has to be one number, not negative", lambda loss, *_: float(loss) >= 0),
        Law(
            "adding 1 to every logit mustn't change the loss, and reversing the order of the "
            "sequences mustn't either: it has to be the mean over all guesses",
            lambda loss, logits, targets: torch.isclose(
                loss, batch_loss(logits.flip(0) + 1, targets.flip(0)), atol=1e-5
            ),
        ),
    ],
    hints=(
        "How many guesses are there in the batch? Each has V scores and one target.",
        "`F.cross_entropy` is happy with scores of shape (N, V) and targets of shape (N,). What "
        "is N?",
        "`logits.view(B * T, V)` and `targets.view(B * T)`, with `B, T, V = logits.shape`.",
    ),
)


# 2. The loss of each position, by permute


def each_loss(logits, targets):
    return F.cross_entropy(logits.permute(0, 2, 1), targets, reduction="none")


def _each_scrambled(logits, targets):
    B, T, V = logits.shape
    return F.cross_entropy(logits.view(B, V, T), targets, reduction="none")


def _each_flat(logits, targets):
    return each_loss(logits, targets).view(-1)


def _each_transposed(logits, targets):
    return F.cross_entropy(logits.permute(1, 2, 0), targets.T, reduction="none")


def _each_unmoved(logits, targets):
    return F.cross_entropy(logits, targets, reduction="none")


def _each_sequence(logits, targets):
    return each_loss(logits, targets).mean(dim=1)


def _each_sign(logits, targets):
    return -each_loss(logits, targets)


def _each_probability(logits, targets):
    return torch.exp(-each_loss(logits, targets))


def _each_averaged(logits, targets):
    return F.cross_entropy(logits.permute(0, 2, 1), targets)


def _each_twice(logits, targets):
    return each_loss(F.softmax(logits, dim=-1), targets)


EACH_LOSS = Exercise(
    id="03.each_loss",
    asks="Return the cross-entropy of every single guess, shape (B, T).",
    reference=each_loss,
    inputs=[_ONE, _TWO, _THREE, _LONG],
    mistakes=[
        Mistake(
            _each_scrambled,
            "`view(B, V, T)` doesn't move an axis, it only cuts the memory in other places. To "
            "move the classes to axis 1, each number has to keep its b, its t and its v.",
        ),
        Mistake(
            _each_unmoved,
            "the classes are still on the last axis. `F.cross_entropy` wants them on axis 1.",
        ),
        Mistake(
            _each_averaged,
            'this is the mean over all guesses. `reduction="none"` keeps them apart.',
        ),
        Mistake(
            _each_flat,
            "the losses are right, but they lie in one long row. Which shape should they have?",
        ),
        Mistake(
            _each_transposed,
            "your result is (T, B): the batch axis and the time axis have changed places. Leave "
            "axis 0 where it is.",
        ),
        Mistake(
            _each_sequence,
            "this is one loss per sequence. Every position of it is a guess of its own.",
        ),
        Mistake(_each_sign, "the sign is turned: a cost can't be negative."),
        Mistake(
            _each_probability,
            "these are the probabilities of the targets. The cost is minus their logarithm.",
        ),
        Mistake(
            _each_twice,
            "softmax ran twice: `F.cross_entropy` takes logits and does its own softmax.",
        ),
    ],
    laws=[
        Law("no loss may be negative", lambda losses, *_: bool((losses >= 0).all())),
        Law(
            "the mean of the losses has to be the loss of the batch",
            lambda losses, logits, targets: torch.isclose(
                losses.mean(), batch_loss(logits, targets), atol=1e-5
            ),
        ),
    ],
    hints=(
        "Which axis holds the classes now, and where does `F.cross_entropy` look for them?",
        "`permute` lists the old axes in their new order. (B, T, V) should become (B, V, T).",
        '`logits.permute(0, 2, 1)` with the targets as they are, and `reduction="none"`.',
    ),
)


# 3. The loss at the start


def start_loss(vocab_size, scale):
    return math.log(vocab_size) + scale**2 / 2


START_LOSS = Exercise(
    id="03.start_loss",
    asks="Return the loss in nats expected of logits scale * randn, before any training.",
    reference=start_loss,
    inputs=[(65, 0.0), (65, 1.0), (256, 0.5), (50257, 0.1)],
    mistakes=[
        Mistake(
            lambda vocab_size, scale: math.log(vocab_size),
            "right for equal scores. But random scores have opinions, and those cost: where does "
            "`scale` come in?",
        ),
        Mistake(
            lambda vocab_size, scale: math.log(vocab_size) - scale**2 / 2,
            "this lies below ln V: it says that random opinions help. They cost.",
        ),
        Mistake(
            lambda vocab_size, scale: math.log(vocab_size) + scale / 2,
            "right for 0 and 1, but the cost grows with the square of the scale.",
        ),
        Mistake(
            lambda vocab_size, scale: math.log(vocab_size) + scale**2,
            "the extra is twice too large. Look at the exponent in the formula again.",
        ),
        Mistake(
            lambda vocab_size, scale: math.log2(vocab_size) + scale**2 / 2,
            "log2 gives bits. The loss is in nats, so it needs the natural logarithm.",
        ),
        Mistake(
            lambda vocab_size, scale: math.log10(vocab_size) + scale**2 / 2,
            "log10 is another unit. The loss is in nats, so it needs the natural logarithm.",
        ),
        Mistake(
            lambda vocab_size, scale: 1 / vocab_size,
            "1 / V is the probability of each character when nothing is known. The loss is minus "
            "its logarithm.",
        ),
        Mistake(
            lambda vocab_size, scale: -math.log(vocab_size) + scale**2 / 2,
            "a loss is never negative: -ln(1 / V) is + ln V.",
        ),
    ],
    laws=[
        Law(
            "with scale 0 the loss has to be ln V",
            lambda loss, V, scale: scale != 0 or math.isclose(loss, math.log(V), rel_tol=1e-4),
        ),
        Law(
            "with a scale above 0 the loss has to be more than ln V",
            lambda loss, V, scale: scale == 0 or loss > math.log(V),
        ),
    ],
    hints=(
        "Begin with scale 0: all V characters are equally likely. What does each guess cost?",
        "A random table costs more. The formula stands above the table of scales.",
        "`math.log(vocab_size)`, and to it half the square of the scale.",
    ),
)


# 4. The floor


def lowest_loss(counts):
    shares = counts.double() / counts.sum(dim=1, keepdim=True)
    happened = counts > 0  # 0 * log 0 would be nan
    return float(-(counts[happened] * shares[happened].log()).sum() / counts.sum())


def _over_columns(counts):
    shares = counts.double() / counts.sum(dim=0, keepdim=True)
    happened = counts > 0
    return float(-(counts[happened] * shares[happened].log()).sum() / counts.sum())


def _rows_alike(counts):
    shares = counts.double() / counts.sum(dim=1, keepdim=True)
    return float(-torch.xlogy(shares, shares).sum(dim=1).mean())


def _of_pairs(counts):
    shares = counts.double() / counts.sum()
    return float(-torch.xlogy(shares, shares).sum())


def _zero_log_zero(counts):
    shares = counts.double() / counts.sum(dim=1, keepdim=True)
    return float(-(counts * shares.log()).sum() / counts.sum())


def _smoothed(counts):
    seen = counts.double() + 1
    shares = seen / seen.sum(dim=1, keepdim=True)
    return float(-(counts * shares.log()).sum() / counts.sum())


def _cells_alike(counts):
    shares = counts.double() / counts.sum(dim=1, keepdim=True)
    return float(-shares[counts > 0].log().mean())


def _never_divided(counts):
    return lowest_loss(counts) * float(counts.sum())


def _floor_in_bits(counts):
    return lowest_loss(counts) / math.log(2)


def _last_ignored(counts):
    frequent = counts.sum(dim=0).double()
    return float(-torch.xlogy(frequent, frequent / frequent.sum()).sum() / frequent.sum())


def _softmax_of_counts(counts):
    costs = -F.log_softmax(counts.double(), dim=-1)
    return float((counts * costs).sum() / counts.sum())


LOWEST_LOSS = Exercise(
    id="03.lowest_loss",
    asks="Return the lowest mean loss, in nats, that any table can have on these counted pairs.",
    reference=lowest_loss,
    inputs=[
        (torch.tensor([[2, 1], [1, 4]]),),
        (torch.tensor([[1, 0, 5], [2, 2, 2], [0, 7, 0]]),),
        (torch.tensor([[9, 0, 1, 0], [0, 0, 3, 2], [4, 1, 1, 6], [0, 2, 0, 0]]),),
    ],
    mistakes=[
        Mistake(
            _over_columns,
            "your columns sum to 1, not your rows: these shares say what came *before* each "
            "character. The table must say what follows.",
        ),
        Mistake(
            _rows_alike,
            "every row counts alike in your mean. A row whose character occurs more often has "
            "more guesses in it and weighs more.",
        ),
        Mistake(
            _cells_alike,
            "every pair counts once in your mean. A pair that occurred 9 times is 9 guesses.",
        ),
        Mistake(
            _of_pairs,
            "you divided by the sum of the whole table, so this is the cost of guessing both "
            "characters of a pair. The first one is given: each row has its own sum.",
        ),
        Mistake(
            _zero_log_zero,
            "right while no count is 0. Elsewhere this is 0 times minus infinity, which is nan. A "
            "pair that never occurred has no cost: leave it out.",
        ),
        Mistake(
            _smoothed,
            "you added 1 to each count. That is a good table for new text, but not the best one "
            "for these pairs.",
        ),
        Mistake(
            _never_divided, "this is the cost of all pairs together. Divide by how many there are."
        ),
        Mistake(_floor_in_bits, "this loss is in bits. The unit here is the nat."),
        Mistake(
            _last_ignored,
            "this is the loss of knowing the frequencies only. The last character is known too: "
            "each row has its own shares.",
        ),
        Mistake(
            _softmax_of_counts,
            "you ran softmax over the counts, as if they were logits. Their shares are just each "
            "count divided by the sum of its row.",
        ),
    ],
    laws=[
        Law("the loss has to be a number, not negative", lambda loss, counts: loss >= 0),
        Law(
            "the loss has to be no higher than the one of each row's own shares",
            lambda loss, counts: loss <= lowest_loss(counts) + 1e-6,
        ),
        Law(
            "the loss has to be one that some table can reach",
            lambda loss, counts: loss >= lowest_loss(counts) - 1e-6,
        ),
    ],
    hints=(
        "The best table gives each row its own shares. What does one pair cost under them?",
        "The shares are `counts / counts.sum(dim=1, keepdim=True)`. Each pair costs minus the "
        "logarithm of its share, and it occurred `counts` times.",
        "Keep what happened (`counts > 0`), add up `-counts * shares.log()` there, and divide by "
        "`counts.sum()`.",
    ),
)


# 5. Which claims can be true?


def can_be_true():
    last_batch = True  # a batch is a small sample: about half lie below the floor
    whole_text = False  # the floor is exactly what no bigram can go below
    after_1000_steps = False  # about 1 for each logit, so still far from the floor
    longer_memory = True  # the floor only binds models that see one character
    return last_batch, whole_text, after_1000_steps, longer_memory


def _claims(*answers):
    return lambda: answers


CAN_BE_TRUE = Exercise(
    id="03.can_be_true",
    asks="For each of the four claims, say whether it can be true.",
    reference=can_be_true,
    inputs=[()],
    mistakes=[
        Mistake(
            _claims(True, True, False, True),
            "one claim is judged wrongly: what does the floor say about a bigram's loss on "
            "*all* pairs?",
        ),
        Mistake(
            _claims(False, False, False, True),
            "one claim is judged wrongly: the floor holds for the whole text. Look again at the "
            "histogram: where do single batches lie?",
        ),
        Mistake(
            _claims(True, False, True, True),
            "one claim is judged wrongly. How far can a logit walk in 1000 steps of 0.001, and "
            "what was the loss after our own thousand?",
        ),
        Mistake(
            _claims(True, False, False, False),
            "one claim is judged wrongly. Whose floor is it? It was counted from pairs, so it "
            "binds models that see one character.",
        ),
        Mistake(
            _claims(False, False, False, False),
            "nothing below the floor, ever? It binds one kind of model, and one kind of loss. Two "
            "of the claims are about others.",
        ),
        Mistake(
            _claims(True, True, True, True),
            "all four? Then the floor would be no floor. Which claims are about a bigram and the "
            "whole text, and which speak of a number of steps?",
        ),
        Mistake(
            _claims(True, True, True, False),
            "you let the bigram below its own floor and hold a better model above it. Who is the "
            "floor for?",
        ),
        Mistake(
            _claims(False, True, True, False),
            "each answer is the opposite of the right one. Did you mark what can't be true?",
        ),
    ],
    laws=[
        Law(
            "there has to be a tuple of four booleans",
            lambda a: isinstance(a, tuple) and [type(b) for b in a] == [bool] * 4,
        ),
        Law(
            "the first claim has to be judged by the histogram: a batch is a small sample",
            lambda a: a[0],
        ),
        Law(
            "the second claim has to be judged by the floor: it speaks of all pairs",
            lambda a: not a[1],
        ),
        Law(
            "the third claim has to be judged by how far a table walks in a thousand steps",
            lambda a: not a[2],
        ),
        Law(
            "the fourth claim has to be judged by whom the floor was counted for",
            lambda a: a[3],
        ),
    ],
    hints=(
        "Ask two things of each claim: is it about a bigram, and is it about the whole text?",
        "The floor binds bigrams on the whole text. It says nothing of single batches, and "
        "nothing of other models.",
        "The third claim is about a batch too, but the table it comes from is nowhere near the "
        "floor: its batches spread by 0.07 around a loss of more than 3.",
    ),
)


# 6. How many batches?


def batches_needed(spread, wanted):
    return math.ceil((spread / wanted) ** 2)


BATCHES_NEEDED = Exercise(
    id="03.batches_needed",
    asks="Return how many batches it takes for a standard error of at most wanted.",
    reference=batches_needed,
    inputs=[(0.5, 0.3), (0.5, 0.25), (0.08, 0.03), (0.07, 0.0031), (0.05, 0.06)],
    mistakes=[
        Mistake(
            lambda spread, wanted: math.ceil(spread / wanted),
            "the noise of a mean falls with the square root of the number of batches, not with "
            "the number: half the noise needs four times as many.",
        ),
        Mistake(
            lambda spread, wanted: math.ceil(math.sqrt(spread / wanted)),
            "the root is on the wrong side. Write spread / sqrt(n) = wanted and solve for n.",
        ),
        Mistake(
            lambda spread, wanted: math.floor((spread / wanted) ** 2),
            "you rounded down, and then the error is still a little larger than wanted.",
        ),
        Mistake(
            lambda spread, wanted: round((spread / wanted) ** 2),
            "rounding to the nearest number sometimes rounds down, and then the error is still a "
            "little larger than wanted.",
        ),
        Mistake(
            lambda spread, wanted: (spread / wanted) ** 2,
            "that is the formula, but batches come whole: which whole number is just enough?",
        ),
        Mistake(
            lambda spread, wanted: math.floor((spread / wanted) ** 2) + 1,
            "one more than the whole part is one too many when the result is whole already.",
        ),
        Mistake(
            lambda spread, wanted: math.ceil((wanted / spread) ** 2),
            "the ratio is upside down: a smaller error needs more batches.",
        ),
        Mistake(
            lambda spread, wanted: math.ceil(spread**2 / wanted),
            "only the spread is squared. Both sides of spread / sqrt(n) = wanted are.",
        ),
    ],
    laws=[
        Law(
            "the number has to be whole and at least 1",
            lambda n, *_: isinstance(n, int) and n >= 1,
        ),
        Law(
            "the standard error of so many batches has to be small enough",
            lambda n, spread, wanted: spread / math.sqrt(n) <= wanted * (1 + 1e-9),
        ),
        Law(
            "with one batch fewer it mustn't be small enough yet",
            lambda n, spread, wanted: n == 1 or spread / math.sqrt(n - 1) > wanted,
        ),
    ],
    hints=(
        "The mean of n batches has a standard error of the spread divided by the root of n.",
        "Set spread / sqrt(n) equal to what is wanted, and solve for n.",
        "`(spread / wanted) ** 2`, rounded up to a whole number: `math.ceil`.",
    ),
)

EXERCISES = [BATCH_LOSS, EACH_LOSS, START_LOSS, LOWEST_LOSS, CAN_BE_TRUE, BATCHES_NEEDED]

QUIZ = (
    Question(
        "A model with 65 characters starts training with a loss of 2.9. What do you do?",
        (
            Option(
                "Look for a leak: it probably sees the character it has to guess.",
                "A loss well below ln V before the first step can only come from knowing "
                "something. The usual reason is that the targets are in the input.",
                right=True,
            ),
            Option(
                "Be glad: it had a good start.",
                "Nobody who knows nothing gets below ln 65 = 4.17. Not by luck, on thousands of "
                "guesses.",
            ),
            Option(
                "Make the initialisation louder.",
                "That raises the loss, by about half the square of the scale. It hides the cause.",
            ),
        ),
    ),
    Question(
        "`forward` returns (B, T, V) logits, but (B * T, V) when it is given targets. What does "
        "`logits[:, -1]` mean?",
        (
            Option(
                "The last position of each sequence, both times.",
                "In the flat version there is no axis of positions left, so it can't be picked.",
            ),
            Option(
                "Without targets the last position; with targets the last character's score.",
                "The second axis is time in one and the alphabet in the other. Nothing complains, "
                "and that is why one function should return one shape.",
                right=True,
            ),
            Option(
                "It raises an error with targets.",
                "If only it did. (32, 65) has a last column like any other table.",
            ),
        ),
    ),
    Question(
        "The loss of the last batch was 2.31, and of the one before 2.45. What has the model "
        "learnt in this step?",
        (
            Option(
                "Much: the loss fell by 0.14.",
                "Batches of a frozen model differ by as much: their standard deviation is 0.08.",
            ),
            Option(
                "Nothing: one step is never enough to learn anything.",
                "It is enough for a little. But these two numbers can't show it.",
            ),
            Option(
                "You can't tell: the two batches are different text.",
                "To see progress, judge both models on the same text: all of it, or many "
                "batches, with the standard error.",
                right=True,
            ),
        ),
    ),
    Question(
        "Why does the counted table give an infinite loss on the held-back text?",
        (
            Option(
                "Some pair there never occurred before, and its probability is 0.",
                "One such pair costs minus ln 0. Counting a little extra for every pair prevents "
                "it.",
                right=True,
            ),
            Option(
                "It has been trained too long.",
                "It has not been trained at all. It was counted.",
            ),
            Option(
                "The held-back text is harder than the training text.",
                "On the play it is even a little easier. A mean becomes infinite only if one of "
                "its parts is.",
            ),
        ),
    ),
    Question(
        "You write with a bigram at temperature 0, starting from t. What comes?",
        (
            Option(
                "The text with the lowest loss there is.",
                "It takes the best next character at each step, which need not be the best text. "
                "And soon it runs in a circle.",
            ),
            Option(
                "After a few characters the same few again and again.",
                "The next character depends on the last one alone. As soon as one comes back, all "
                "that followed it comes back.",
                right=True,
            ),
            Option(
                "An error, because logits can't be divided by 0.",
                "Dividing would fail indeed, so temperature 0 is given a meaning of its own: take "
                "the largest logit.",
            ),
        ),
    ),
)

_ROW_C = """\
-0.2060,  1.5973,  0.1185, -1.2549,  1.3024,  0.4760, -0.8871,  1.3709,
-1.9473, -0.8017, -1.3055, -0.4910,  0.4430,  0.2178, -0.3297, -0.0192,
 0.9225,  0.9187,  0.2998,  0.6106,  0.7791,  0.1237,  1.8620,  1.7080,
-1.6045,  0.3338, -2.0513,  0.5923,  0.4880, -1.4055, -0.6686, -0.4831,
-0.2298,  0.9043,  0.7631, -0.1606,  0.9156, -0.6908, -0.3065, -1.1809,
 0.8175, -2.0392,  0.1558, -0.2996, -0.5391, -0.3657,  0.8282, -0.4826,
 1.8330,  0.3421,  0.2154, -0.1029, -0.0946,  0.0070,  0.1484, -0.5403,
-1.9312, -0.7858, -0.6731, -0.0901,  0.2598, -0.5349,  0.5812, -0.5356,
-1.7944"""

SOURCES = [
    Source("S1.15", "the bigram table's logits for a batch of 4 by 8", "torch.Size([4, 8, 65])"),
    Source(
        "S1.16", "row 15 of the table, the character C, is what the model says after C", _ROW_C
    ),
    Source(
        "S1.17",
        "logits and loss from one forward; a sample from the untrained table",
        "yourbM\n3LUZurpqB&W-Z XiS",
        corpus="tinyshakespeare",
        why_not="the model that wrote it was made, and the characters were drawn, without a seed "
        "of their own, so its table is not known",
    ),
    Source("S1.18", "AdamW with learning rate 1e-3"),
    Source(
        "S1.19",
        "the loss of the last batch of the training cell, called 1000 steps",
        "2.4422693252563477",
        corpus="tinyshakespeare",
        why_not="1000 steps from a random table leave the loss at 3.73, so the cell must have "
        "been run again and again on the same model; and the figure is one batch's loss, 0.0096 "
        "below the 2.4519 that no bigram can beat on the whole training part",
    ),
    Source(
        "S1.20",
        "a sample from the trained table",
        "yourd ke s bith main JUS",
        corpus="tinyshakespeare",
        why_not="drawn without a seed from a table whose number of training steps is not known; "
        "text from a trained model also differs between machines",
    ),
]
