"""Return True if each text gives what it gives in a call of its own, else False."""

import torch

from course.chapters.ch16.checks import TEXTS, case
from course.chapters.ch16.patients import (
    BY_FAULT,
    MASKED,
    SOFTMAX,
    edited,
    right,
    right_code,
    run,
    wrong,
)
from course.learn.almost import FAMILY
from course.learn.record import Exercise

SHARED = """\
    weights = scores.softmax(dim=-1) * mask[:, None]
    weights = weights / weights.sum(dim=-1, keepdim=True)
"""
FORMS = {  # right, each in its own way
    "right": right("attention"), "reads_word_by_word": right("reading"),
    "filled_with_1e9": run(edited(right_code("attention"), 'float("-inf")', "-1e9"), "attention"),
    "shared_out_again": run(edited(right_code("attention"), MASKED + SOFTMAX, SHARED), "attention"),
}
SICK = [fault for fault, patient in BY_FAULT.items()
        if patient.program in ("attention", "reading") and fault != "projections can't learn"]

def alone_only(n):
    """A part of the difference: that of the texts with n places."""
    def keep(off, texts):
        counts = (texts[:, :, None] == texts[:, None, :]).sum(-1, keepdim=True)
        return torch.where(counts == n, off, 0.0)
    return keep

def texts_only(number):
    """A part of the difference: that of the texts with this number."""
    return lambda off, texts: torch.where(texts[:, :, None] == number, off, 0.0)

ALMOST = {f"hears others {kind}": lambda off, texts, keep=keep: keep(off) for kind, keep in FAMILY.items()
          if kind != "only by a thousandth"}
ALMOST |= {f"hears others in texts of {n}": alone_only(n) for n in (1, 2, 3)}
ALMOST |= {f"hears others in text {n}": texts_only(n) for n in (0, 1, 2)}
ALMOST |= {"hears others faintly": lambda off, texts: off.clamp(-2e-4, 2e-4)}

LATE = "right numbers one place late"  # their mean is that of the right ones

def program(name, seed=1337):
    """A program as a learner gets it: forward(x, texts), and the layers that are in it."""
    layers, x = case(seed, n_embd=16)
    made = {LATE: FORMS["right"], **dict.fromkeys(ALMOST, FORMS["right"])} | FORMS
    attend = made.get(name) or wrong(name)

    @torch.no_grad()
    def forward(x, texts):
        out = attend(x, layers, texts)[0]
        if name in ALMOST:
            out = out + ALMOST[name]((x.mean() + 0.1).expand_as(out), texts)
        return out.roll(1, dims=1) if name == LATE else out

    forward.__name__ = name.replace(" ", "_")
    return forward, layers, x

OTHERS = [torch.tensor([[1, 1, 1, 1, 1, 1]]), torch.tensor([[0, 1, 1, 2, 2], [1, 1, 1, 1, 1]])]

PAIR = "hears others cancels between positions"
SPREAD = torch.tensor([[0, 1, 1, 2, 2, 2], [0, 0, 1, 2, 2, 2], [1, 1, 1, 1, 1, 2], [0, 1, 1, 1, 1, 2]])

def given(name, texts, seed=1337):
    forward, _, x = program(name, seed)
    return forward, x[: len(texts), : texts.shape[1]], texts

def drawn(d):
    texts = torch.tensor([sorted(d.choices(range(3), k=5)) for _ in range(2)])
    return given(d.choice([*FORMS, *SICK]), texts, 1 + d.size())

E = Exercise(__name__, n_drawn=6, draw=drawn, inputs=[
    *(given(name, texts) for texts in OTHERS for name in FORMS),
    *(given(name, TEXTS) for name in [*FORMS, *SICK]),
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

E.slip("return False", "return True", """you call every program clean. Compare the numbers of a text in
    the batch with those of a call with this text alone.""")
E.slip("return True", "return False", """you find a difference in every program, the clean ones too.""")
E.mistake(lambda *x: not alone(*x), "turned round: True has to mean that every text is on its own.")
E.slip("for text in texts[b].unique():\n            places = texts[b] == text",
       "for places in [texts[b] >= 0]:", """you take whole rows out of the batch. In a row several texts
    may stand behind one another: try each of them.""")
E.slip("texts[b].unique()", "texts[b].unique()[:1]", """you try the first text of each row only. Nothing
    comes before it, so nothing can get into it from there.""")
E.slip("range(len(x))", "range(1)", """you try the first row only. Another row may hold other texts.""")
E.slip("not ((out[b : b + 1, places] - by_itself).abs() <= 1e-5).all()",
       "((out[b : b + 1, places] - by_itself).abs() > 1e-5).any()", """you let nan pass: `nan > 1e-5` is
    False. Ask whether all differences are small; nan never is.""")
WHOLE, DIFFERENCE = "for b in range(len(x)):", "(out[b : b + 1, places] - by_itself)"
E.slip("range(len(x))", "[len(x) - 1]", """you try the last row only. Another row may hold other texts.""")
E.slip("            places = texts[b] == text\n", "            places = texts[b] == text\n            if text == 0:\n                continue\n", """you
    leave the padding out. It is text 0, and is tested like any other text.""")
E.slip("            places = texts[b] == text\n", "            places = texts[b] == text\n            if places.sum() < 2:\n                continue\n", """you
    leave out texts of one place. They can hear others too.""")
for part in ("[..., 0]", "[..., -1]"):
    E.slip(DIFFERENCE, DIFFERENCE + part, """you look at one channel only. Another one may hear others.""")
for part in ("[:, 0]", "[:, -1]"):
    E.slip(DIFFERENCE, DIFFERENCE + part, """you look at one place of each text only. Another one may hear
        others.""")
for mean in (".mean()", ".mean(1)", ".mean(-1)"):
    E.slip(DIFFERENCE, DIFFERENCE + mean, """you look at means. Where one number grows by as much as another
        shrinks, they stay. Compare number by number.""")
E.slip("(out[b : b + 1, places] - by_itself).abs()", "(out[b : b + 1, places] - by_itself)", """you find
    numbers that grow, and miss those that shrink: take the size of the difference, `.abs()`.""")
E.slip("<= 1e-5", "<= 1e-3", "your tolerance is too large: anything above 1e-5 counts.")
E.slip("<= 1e-5", "== 0", """without a tolerance right programs fail: the last bits of a sum depend on
    how many numbers are in it. Allow 1e-5.""")

E.hint("Which numbers of `out` belong to one text, and what would they be if nobody else were there?")
E.hint("For each row and each number in it: `places = texts[b] == text`, and a call with these alone.")
E.hint("""Compare `out[b:b+1, places]` with `forward(x[b:b+1, places], texts[b:b+1, places])`: all
    differences at most 1e-5, else False.""")
