"""Return True if the program gives for each text what the package's own module gives for it alone."""

import torch

from chapters.ch16.checks import TEXTS
from chapters.ch16.exercises.alone import (
    ALMOST,
    FORMS,
    LATE,
    NANS,
    OTHERS,
    PAIR,
    SICK,
    SPREAD,
    program,
    words,
)
from course.learn.record import Exercise

FAR = "far from 0"

def given(name, texts, seed=1337):
    forward, layers, x = program(name, seed)
    if FAR in name:
        layers.register_forward_hook(lambda module, given, out: 100 + out)
    return forward, layers, words(name, x, texts), texts

def drawn(d):
    texts = torch.tensor([sorted(d.choices(range(4), k=5)) for _ in range(3)])
    return given(d.choice(([*FORMS, *SICK], [*ALMOST])[d.n % 2]), texts, 1 + d.size())

E = Exercise(__name__, n_drawn=8, draw=drawn, inputs=[
    *(given(name, texts) for texts in OTHERS for name in [*FORMS, LATE, "no scale"]),
    *(given(name, TEXTS) for name in [*FORMS, *SICK, NANS]),
    *(given(name, SPREAD) for name in ALMOST),
    given(PAIR, SPREAD[1:3])])

@E.answer
def is_right(forward, layers, x, texts):
    out = forward(x, texts)
    for b in range(len(x)):
        for text in texts[b].unique():
            places = texts[b] == text
            alone = layers(x[b : b + 1, places])
            if not ((out[b : b + 1, places] - alone).abs() <= 1e-5).all():
                return False
    return True

E.slip("return False", "return True", """you call every program right. What do you compare the output
    with? It has to be something that this program didn't make.""")
E.slip("return True", "return False", """you call every program wrong, the right ones
    too. (If you compare exactly: the last bits of a sum depend on its order. Allow 1e-5.)""")
E.mistake(lambda *x: not is_right(*x), "turned round: True has to mean that the program is right.")
E.slip("layers(x[b : b + 1, places])", "forward(x[b : b + 1, places], texts[b : b + 1, places])",
    """you compare the program with itself. A fault that it has in every call looks right then, such as
    a missing scale. Compare with `layers`.""")
E.slip("for text in texts[b].unique():\n            places = texts[b] == text",
       "for places in [texts[b] >= 0]:", """`layers` knows nothing of texts: given a whole row, it lets one
    text see the other. Give it each text alone.""")
E.slip("texts[b].unique()", "texts[b].unique()[-1:]", """you find faults in the last text of a row, and pass
    some in an earlier one. Which texts does your test compare?""")
E.slip("texts[b].unique()", "texts[b].unique()[:1]", """what one text takes from another doesn't show
    in your check. Do you compare every text of a packed row, with `texts` as they are?""")
E.slip("not ((out[b : b + 1, places] - alone).abs() <= 1e-5).all()",
       "((out[b : b + 1, places] - alone).abs() > 1e-5).any()", """you call a program right whose output
    has nan in it. `nan > 1e-5` is False, and `nan_to_num` makes 0 of nan. Does your test use one of these? Ask
    whether all differences are small.""")
E.slip("out = forward(x, texts)", "out = forward(x, texts).nan_to_num()", """you call a program right that gives nan
    where 0 is right. You make 0 of nan, and a nan is wrong wherever it stands.""")
E.slip(".abs() <= 1e-5).all()", ".abs().mean() <= 1e-5)", """a small fault in one number disappears in a mean over
    many. Every single difference has to be small.""")
E.slip("(out[b : b + 1, places] - alone)", "(out[b : b + 1, places] - alone)[:, -1]", """you find
    faults at the last place of a text, and pass programs in which the places before it see the future. Which
    places does your test compare?""")
E.slip("(out[b : b + 1, places] - alone)", "(out[b : b + 1, places] - alone)[:, :1]", """you pass
    programs with another scale or another order. They don't show at the first place of a text, which has nobody
    but itself to look at. Which places does your test compare?""")
E.slip("            places = texts[b] == text\n", "            places = texts[b] == text\n            if text == 0:\n                continue\n", """you
    pass a program that is wrong only in text 0, the padding. Does your test judge it, like any other text?""")
E.slip("            places = texts[b] == text\n", "            places = texts[b] == text\n            if places.sum() < 2:\n                continue\n", """you
    pass a program that is wrong only in texts of one place. Does your test judge them?""")
for rows in ("range(1)", "[len(x) - 1]"):
    E.slip("range(len(x))", rows, """you find programs that are wrong in every row, and pass one that is wrong in a
        single one. Which rows does your test compare?""")
E.slip("texts[b].unique()", "texts[0].unique()", """you find faults in the texts whose numbers are in the first row,
    and pass one in a text whose number isn't. Where does your test take the numbers from?""")
DIFFERENCE = "(out[b : b + 1, places] - alone)"
for part in ("[..., 0]", "[..., -1]"):
    E.slip(DIFFERENCE, DIFFERENCE + part, """you find programs that are wrong in every channel, and pass one that
        is wrong in a single one. Which channels does your test compare?""")
for mean in (".mean()", ".mean(1)", ".mean(-1)"):
    E.slip(DIFFERENCE, DIFFERENCE + mean, """you pass a program in which one number is too large by as much
        as another is too small. Does your test compare number by number?""")
E.slip(DIFFERENCE + ".abs()", DIFFERENCE, """you find numbers that are too large, and miss those that are
    too small: take the size of the difference, `.abs()`.""")
for wide in ("1e-3", "1e-4"):
    E.slip("<= 1e-5", f"<= {wide}", "you pass a small fault. How large may a difference be? Anything above 1e-5 counts.")
E.slip("<= 1e-5", "== 0", """you call right programs wrong that sum in another order: the last bits of a sum
    depend on it. Does your test compare exactly? Allow 1e-5.""")
E.slip("<= 1e-5", "<= 1e-6", "you refuse a program whose numbers differ by less than 1e-5. Allow 1e-5.")
E.slip("<= 1e-5", "<= 1e-5 + 1e-5 * alone.abs()", """you pass a small fault of outputs that are near 100. A relative
    tolerance, such as `rtol` of `torch.allclose`, grows with the numbers: set it to 0.""")
E.slip("(out[b : b + 1, places] - alone)", "(out[b : b + 1, places].norm(dim=-1) - alone.norm(dim=-1))", """you pass a
    program whose outputs turn, and keep their lengths. Does your test compare number by number?""")
E.slip("<= 1e-5", "<= 0.2", """you pass faults that are small. How large a difference does your test let
    pass? Right programs differ by less than 1e-5.""")

E.hint("Six laws were kept, and the program is wrong. With what could you compare it that isn't itself?")
E.hint("`layers(one)` is right for one text, (1, T, C). Which places of which row are one text?")
E.hint("""For each row and each number in it: `places = texts[b] == text`. Compare `out[b:b+1, places]`
    with `layers(x[b:b+1, places])`, all differences at most 1e-5.""")
