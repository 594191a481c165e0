"""Return True if each text gives the same result as in a call of its own, otherwise False."""

import torch

from chapters.ch16.checks import TEXTS, case
from chapters.ch16.patients import (
    BY_FAULT,
    MASKED,
    SOFTMAX,
    edited,
    right,
    right_code,
    run,
    wrong,
)
from chapters.families import FAMILY, RIGHT, faint
from course.learn.record import Exercise

SHARED = """\
    weights = scores.softmax(dim=-1) * mask[:, None]
    weights = weights / weights.sum(dim=-1, keepdim=True)
"""

def text_by_text(x, layers, texts):
    """The output of `layers` for each text by itself, to the last bit."""
    out = torch.zeros_like(x)
    for b in range(len(x)):
        for text in texts[b].unique():
            places = texts[b] == text
            out[b : b + 1, places] = layers(x[b : b + 1, places])
    return out, None

FORMS = {  # right programs, each written differently
    "right": right("attention"), "reads_word_by_word": right("reading"),
    "filled_with_1e9": run(edited(right_code("attention"), 'float("-inf")', "-1e9"), "attention"),
    "shared_out_again": run(edited(right_code("attention"), MASKED + SOFTMAX, SHARED), "attention"),
    "text_by_text": text_by_text,
}
SICK = [fault for fault, patient in BY_FAULT.items()
        if patient.program in ("attention", "reading") and fault != "projections can't learn"]

def places_only(where):
    """Keep the difference only at the positions where `where(texts, before, after)` is true."""
    def keep(off, out, texts):
        same = texts[:, :, None] == texts[:, None, :]
        before, behind = same.tril(-1).sum(-1), same.triu(1).sum(-1)
        return torch.where(where(texts, before, behind)[:, :, None], off, 0.0)
    return keep

PLACES = {f"in texts of {n}": lambda t, before, behind, n=n: before + behind + 1 == n for n in (1, 2, 3, 5, 6)}
PLACES |= {f"in text {n}": lambda t, before, behind, n=n: t == n for n in (0, 1, 2, 3)}
PLACES |= {
    "in rows of one text": lambda t, before, behind: before + behind + 1 == t.shape[1],
    "in the middle of a text": lambda t, before, behind: (before > 0) & (behind > 0),
    "at the first place of a text": lambda t, before, behind: before == 0,
    "at the last place of a text": lambda t, before, behind: behind == 0,
}
ALMOST = {f"hears others {kind}": lambda off, out, texts, keep=keep: keep(off, out)
          for kind, keep in FAMILY.items() if kind != "only by a thousandth"}
ALMOST |= {f"hears others {kind}": places_only(where) for kind, where in PLACES.items()}
ALMOST |= {"hears others by a ten-thousandth": lambda off, *others: faint(2e-4)(off)}
ALMOST |= {f"right {kind}": lambda off, out, texts, keep=keep: keep(off, out) for kind, keep in RIGHT.items()}

LATE = "the right numbers one position late"  # their mean equals the right mean
ROLLED = "the right numbers one channel on"
ZEROS, NANS = "zeros at the padding", "nan at the padding"
LATER = "hears only later texts"

def later_texts(out, texts, x):
    other = texts[:, :, None] != texts[:, None, :]
    return out + 0.01 * other.triu(1).float() @ x

AFTER = {
    LATE: lambda out, texts, x: out.roll(1, dims=1),
    ROLLED: lambda out, texts, x: out.roll(1, dims=2),
    ZEROS: lambda out, texts, x: out.where(texts[..., None] > 0, 0.0),
    NANS: lambda out, texts, x: out.where(texts[..., None] > 0, torch.nan),
    LATER: later_texts,
}

def program(name, seed=1337):
    """A program as a learner sees it, forward(x, texts), with its layers and its x."""
    layers, x = case(seed, n_embd=16)
    attend = (dict.fromkeys((*ALMOST, *AFTER), FORMS["right"]) | FORMS).get(name) or wrong(name)
    keep = ALMOST.get(name, lambda off, *others: faint(1e-7)(off))

    @torch.no_grad()
    def forward(x, texts):
        out = attend(x, layers, texts)[0]
        if name != "text_by_text":  # rounding must not depend on luck
            out = out + keep((x.mean() + 0.1).expand_as(out), out, texts)
        return AFTER[name](out, texts, x) if name in AFTER else out

    forward.__name__ = name.replace(" ", "_")
    return forward, layers, x

OTHERS = [torch.tensor([[1, 1, 1, 1, 1, 1]]), torch.tensor([[0, 1, 1, 2, 2], [1, 1, 1, 1, 1]])]
OTHERS += [torch.tensor([[2, 2, 1, 1, 1], [1, 1, 3, 0, 0]])]  # in any order; two rows meet in one number

PAIR = "hears others cancels between positions"
SPREAD = torch.tensor([[1, 1, 1, 1, 1, 2], [0, 0, 1, 2, 2, 2], [1, 1, 1, 1, 1, 1], [0, 1, 1, 2, 3, 3]])

def words(name, x, texts):
    """As many words as there are positions, with zeros at the padding if a program returns nan
    there."""
    x = x[: len(texts), : texts.shape[1]]
    return x.where(texts[..., None] > 0, 0.0) if name == NANS else x

def given(name, texts, seed=1337):
    forward, _, x = program(name, seed)
    return forward, words(name, x, texts), texts

# Sums near 0, by which "divided by the sum" divides, make a difference of any rounding.
TRIED = [*FORMS, *(fault for fault in SICK if fault != "divided by the sum")]

def drawn(d):
    texts = torch.tensor([sorted(d.choices(range(4), k=5)) for _ in range(3)])
    return given(d.choice((TRIED, [*ALMOST])[d.n % 2]), texts, 1 + d.size())

E = Exercise(__name__, n_drawn=8, draw=drawn, inputs=[
    *(given(name, texts) for texts in OTHERS for name in FORMS),
    *(given(name, TEXTS) for name in [*TRIED, ZEROS, NANS, LATER]),
    *(given(name, SPREAD) for name in ALMOST), given(PAIR, SPREAD[1:3]), given("pad seen by everyone", OTHERS[1]),
    given("attention across documents", OTHERS[1].flip(0))])

@E.answer
def alone(forward, x, texts):
    out = forward(x, texts)
    for b in range(len(x)):
        for text in texts[b].unique():
            places = texts[b] == text
            by_itself = forward(x[b : b + 1, places], texts[b : b + 1, places])
            if not ((out[b : b + 1, places] - by_itself).abs() <= 1e-5).all():
                return False
    return True

E.slip("return False", "return True", """you call every program clean. Compare the numbers of each
    text in the batch with those of a call with only this text.""")
E.slip("return True", "return False", """you find a difference in every program, even in the clean
    ones. Do you compare the same positions of the same text?""")
E.mistake(lambda *x: not alone(*x), """your answer is inverted: True has to mean that each text
    gives the same result in a call of its own as in the row.""")
E.slip("for text in texts[b].unique():\n            places = texts[b] == text",
       "for places in [texts[b] >= 0]:", """you find programs in which rows hear each other, but
           accept programs in which the texts of one row hear each other. Does your test call
           `forward` with each text by itself?""")
E.slip("texts[b].unique()", "texts[b].unique()[:1]", """you find faults in the first text of a row,
    but accept some in a later one. Which texts does your test try?""")
E.slip("range(len(x))", "range(1)", """you find programs that are wrong in the first row, but
    accept one that is wrong in a later row. Which rows does your test compare?""")
E.slip("texts[b].unique()", "texts[0].unique()", """you find faults in the texts whose numbers
    occur in the first row, but accept one in a text whose number doesn't occur there. Where does
    your test take the numbers from?""")
E.slip("not ((out[b : b + 1, places] - by_itself).abs() <= 1e-5).all()",
       "((out[b : b + 1, places] - by_itself).abs() > 1e-5).any()", """you accept a program whose
           output has nan in it. `nan > 1e-5` is False, and `nan_to_num` turns nan into 0. Does your
           test use one of these? Test whether all differences are small.""")
E.mistake(lambda f, *given: alone(lambda *own: f(*own).nan_to_num(), *given), """you accept a program
    that returns nan at the padding, in the batch and by itself. You turn nan into 0, but a nan is a
    difference wherever it occurs.""")
E.slip("texts[b : b + 1, places])", "0 * texts[b : b + 1, places])", """you reject a program that
    always returns 0 for the padding. Does your test give a text a number other than its own?""")
E.slip(".abs() <= 1e-5).all()", ".abs().mean() <= 1e-5)", """you take a mean over many numbers, in
    which a small difference in one of them disappears. Every single difference has to be
    small.""")
DIFFERENCE = "(out[b : b + 1, places] - by_itself)"
E.slip("range(len(x))", "[len(x) - 1]", """you find programs that are wrong in the last row, but
    accept one that is wrong in an earlier row. Which rows does your test compare?""")
E.slip("            places = texts[b] == text\n", "            places = texts[b] == text\n            if text == 0:\n                continue\n", """you
    accept a program that is wrong only in text 0, the padding. Does your test try text 0, like any other?""")
E.slip("            places = texts[b] == text\n", "            places = texts[b] == text\n            if places.sum() < 2:\n                continue\n", """you
    accept a program that is wrong only in texts of one word. Does your test try them?""")
for part in ("[..., 0]", "[..., -1]"):
    E.slip(DIFFERENCE, DIFFERENCE + part, """you find programs that are wrong in every channel, but
        accept one that is wrong in a single channel. Which channels does your test compare?""")
for part in ("[:, 0]", "[:, -1]"):
    E.slip(DIFFERENCE, DIFFERENCE + part, """you find programs that are wrong at every position of a
        text, but accept one that is wrong only in its middle. Which positions does your test
        compare?""")
for mean in (".mean()", ".mean(1)", ".mean(-1)"):
    E.slip(DIFFERENCE, DIFFERENCE + mean, """you accept a program in which one number grows by as much as
        another shrinks. Does your test compare number by number?""")
E.slip("(out[b : b + 1, places] - by_itself).abs()", "(out[b : b + 1, places] - by_itself)", """you
    find numbers that grow, but miss those that shrink. Take the size of the difference,
    `.abs()`.""")
for wide in ("1e-3", "1e-4"):
    E.slip("<= 1e-5", f"<= {wide}", "you accept outputs that are a little wrong. How much may they differ? Anything above 1e-5 counts.")
E.slip("<= 1e-5", "<= 1e-6", """you find a fault where the numbers differ by less than 1e-5. Allow 1e-5.""")
E.slip("<= 1e-5", "<= 1e-5 + 1e-5 * by_itself.abs()", """you accept a small difference between outputs
    that are near 100. A relative tolerance, such as `rtol` of `torch.allclose`, grows with the
    numbers, so set it to 0.""")
E.slip("(out[b : b + 1, places] - by_itself)", "(out[b : b + 1, places].norm(dim=-1) - by_itself.norm(dim=-1))",
       """you accept a program whose outputs change direction but keep their lengths. Does your test
       compare number by number?""")
E.slip("<= 1e-5", "== 0", """without a tolerance even right programs fail, because the last bits of
    a sum depend on how many numbers are in it. Allow 1e-5.""")

E.hint("""Which numbers of `out` belong to one text, and what would they be if there were no other
    texts?""")
E.hint("""For each row b and each text number in `texts[b]`, take `places = texts[b] == text`, and
    call `forward` with only these.""")
E.hint("""Compare `out[b:b+1, places]` with `forward(x[b:b+1, places], texts[b:b+1, places])`.
    Return False unless all differences are at most 1e-5.""")
