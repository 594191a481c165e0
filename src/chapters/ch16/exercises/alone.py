"""Return True if each text gives what it gives in a call of its own, else False."""

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
from course.learn.almost import FAMILY, RIGHT, faint
from course.learn.record import Exercise

SHARED = """\
    weights = scores.softmax(dim=-1) * mask[:, None]
    weights = weights / weights.sum(dim=-1, keepdim=True)
"""

def text_by_text(x, layers, texts):
    """What `layers` gives for each text, to the last bit."""
    out = torch.zeros_like(x)
    for b in range(len(x)):
        for text in texts[b].unique():
            places = texts[b] == text
            out[b : b + 1, places] = layers(x[b : b + 1, places])
    return out, None

FORMS = {  # right, each in its own way
    "right": right("attention"), "reads_word_by_word": right("reading"),
    "filled_with_1e9": run(edited(right_code("attention"), 'float("-inf")', "-1e9"), "attention"),
    "shared_out_again": run(edited(right_code("attention"), MASKED + SOFTMAX, SHARED), "attention"),
    "text_by_text": text_by_text,
}
SICK = [fault for fault, patient in BY_FAULT.items()
        if patient.program in ("attention", "reading") and fault != "projections can't learn"]

def places_only(where):
    """A part of the difference: that of the places where (of the text, before, behind, rows) is true."""
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

LATE = "right numbers one place late"  # their mean is that of the right ones
ZEROS, NANS = "zeros at the padding", "nan at the padding"
AFTER = {
    LATE: lambda out, texts: out.roll(1, dims=1),
    ZEROS: lambda out, texts: out.where(texts[..., None] > 0, 0.0),
    NANS: lambda out, texts: out.where(texts[..., None] > 0, torch.nan),
}

def program(name, seed=1337):
    """A program as a learner gets it: forward(x, texts), and the layers that are in it."""
    layers, x = case(seed, n_embd=16)
    attend = (dict.fromkeys((*ALMOST, *AFTER), FORMS["right"]) | FORMS).get(name) or wrong(name)
    keep = ALMOST.get(name, lambda off, *others: faint(1e-7)(off))

    @torch.no_grad()
    def forward(x, texts):
        out = attend(x, layers, texts)[0]
        if name != "text_by_text":  # how programs are rounded is no matter of luck
            out = out + keep((x.mean() + 0.1).expand_as(out), out, texts)
        return AFTER[name](out, texts) if name in AFTER else out

    forward.__name__ = name.replace(" ", "_")
    return forward, layers, x

OTHERS = [torch.tensor([[1, 1, 1, 1, 1, 1]]), torch.tensor([[0, 1, 1, 2, 2], [1, 1, 1, 1, 1]])]

PAIR = "hears others cancels between positions"
SPREAD = torch.tensor([[1, 1, 1, 1, 1, 2], [0, 0, 1, 2, 2, 2], [1, 1, 1, 1, 1, 1], [0, 1, 1, 2, 3, 3]])

def words(name, x, texts):
    """As many words as there are places; zeros at the padding, if a program gives nan there."""
    x = x[: len(texts), : texts.shape[1]]
    return x.where(texts[..., None] > 0, 0.0) if name == NANS else x

def given(name, texts, seed=1337):
    forward, _, x = program(name, seed)
    return forward, words(name, x, texts), texts

TRIED = [*FORMS, *(fault for fault in SICK if fault != "divided by the sum")]  # whose sums are near 0: any
# rounding becomes a difference in it

def drawn(d):
    texts = torch.tensor([sorted(d.choices(range(4), k=5)) for _ in range(3)])
    return given(d.choice((TRIED, [*ALMOST])[d.n % 2]), texts, 1 + d.size())

E = Exercise(__name__, n_drawn=8, draw=drawn, inputs=[
    *(given(name, texts) for texts in OTHERS for name in FORMS),
    *(given(name, TEXTS) for name in [*TRIED, ZEROS, NANS]),
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
       "for places in [texts[b] >= 0]:", """you find what rows hear of each other, and pass programs in
    which the texts of one row do. Does your test call `forward` with each text by itself?""")
E.slip("texts[b].unique()", "texts[b].unique()[:1]", """you find faults in the first text of a row, and pass some
    in a later one. Which texts does your test try?""")
E.slip("range(len(x))", "range(1)", """you find programs that are wrong in the first row, and pass one that is wrong
    in the second. Which rows does your test compare?""")
E.slip("texts[b].unique()", "texts[0].unique()", """you find faults in the texts whose numbers are in the first row,
    and pass one in a text whose number isn't. Where does your test take the numbers from?""")
E.slip("not ((out[b : b + 1, places] - by_itself).abs() <= 1e-5).all()",
       "((out[b : b + 1, places] - by_itself).abs() > 1e-5).any()", """you pass a program whose output
    has nan in it. `nan > 1e-5` is False, and `nan_to_num` makes 0 of nan. Does your test use one of these? Ask
    whether all differences are small.""")
E.mistake(lambda f, *given: alone(lambda *own: f(*own).nan_to_num(), *given), """you pass a program that gives nan
    at the padding, with a text and by itself. You make 0 of nan, and a nan is a difference wherever it stands.""")
E.slip("texts[b : b + 1, places])", "0 * texts[b : b + 1, places])", """you refuse a program that gives 0 for the
    padding, always. Does your test give a text another number than its own?""")
E.slip(".abs() <= 1e-5).all()", ".abs().mean() <= 1e-5)", """a small difference in one number disappears in a mean over
    many. Every single difference has to be small.""")
DIFFERENCE = "(out[b : b + 1, places] - by_itself)"
E.slip("range(len(x))", "[len(x) - 1]", """you find programs that are wrong in the last row, and pass one that is wrong
    in the second. Which rows does your test compare?""")
E.slip("            places = texts[b] == text\n", "            places = texts[b] == text\n            if text == 0:\n                continue\n", """you
    pass a program that is wrong only in text 0, the padding. Does your test try it, like any other text?""")
E.slip("            places = texts[b] == text\n", "            places = texts[b] == text\n            if places.sum() < 2:\n                continue\n", """you
    pass a program that is wrong only in texts of one place. Does your test try them?""")
for part in ("[..., 0]", "[..., -1]"):
    E.slip(DIFFERENCE, DIFFERENCE + part, """you find programs that are wrong in every channel,
        and pass one that is wrong in a single one. Which channels does your test compare?""")
for part in ("[:, 0]", "[:, -1]"):
    E.slip(DIFFERENCE, DIFFERENCE + part, """you find programs that are wrong at every place of a
        text, and pass one that is wrong inside it. Which places does your test compare?""")
for mean in (".mean()", ".mean(1)", ".mean(-1)"):
    E.slip(DIFFERENCE, DIFFERENCE + mean, """you pass a program in which one number grows by as much as
        another shrinks. Does your test compare number by number?""")
E.slip("(out[b : b + 1, places] - by_itself).abs()", "(out[b : b + 1, places] - by_itself)", """you find
    numbers that grow, and miss those that shrink: take the size of the difference, `.abs()`.""")
for wide in ("1e-3", "1e-4"):
    E.slip("<= 1e-5", f"<= {wide}", "you pass a small difference. How large may it be? Anything above 1e-5 counts.")
E.slip("<= 1e-5", "<= 1e-6", """you find a fault where the numbers differ by less than 1e-5. Allow 1e-5.""")
E.slip("<= 1e-5", "<= 1e-5 + 1e-5 * by_itself.abs()", """you pass a small difference of outputs that are near 100. A
    relative tolerance, such as `rtol` of `torch.allclose`, grows with the numbers: set it to 0.""")
E.slip("(out[b : b + 1, places] - by_itself)", "(out[b : b + 1, places].norm(dim=-1) - by_itself.norm(dim=-1))",
       """you pass a program whose outputs turn, and keep their lengths. Does your test compare number by number?""")
E.slip("<= 1e-5", "== 0", """without a tolerance right programs fail: the last bits of a sum depend on
    how many numbers are in it. Allow 1e-5.""")

E.hint("Which numbers of `out` belong to one text, and what would they be if nobody else were there?")
E.hint("For each row and each number in it: `places = texts[b] == text`, and a call with these alone.")
E.hint("""Compare `out[b:b+1, places]` with `forward(x[b:b+1, places], texts[b:b+1, places])`: all
    differences at most 1e-5, else False.""")
