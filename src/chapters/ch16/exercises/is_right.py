"""Return True if the program gives the same result for each text as the package's own module."""

import torch

from chapters.ch16.checks import TEXTS
from chapters.ch16.exercises.alone import (
    ALMOST,
    FORMS,
    LATE,
    NANS,
    OTHERS,
    PAIR,
    ROLLED,
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
    *(given(name, TEXTS) for name in [*FORMS, *SICK, NANS, ROLLED]),
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

E.slip("return False", "return True", """you call every program right. What do you compare the
    output with? It has to be a result that this program didn't compute.""")
E.slip("return True", "return False", """you call every program wrong, even the right ones. (If you
    compare exactly, allow 1e-5, because the last bits of a sum depend on its order.)""")
E.mistake(lambda *x: not is_right(*x), """your answer is inverted: True has to mean that the program
    is right.""")
E.slip("layers(x[b : b + 1, places])", "forward(x[b : b + 1, places], texts[b : b + 1, places])",
    """you compare the program with itself. A fault that it has in every call, such as a missing
    scale, then looks right. Compare with `layers`.""")
E.slip("for text in texts[b].unique():\n            places = texts[b] == text",
       "for places in [texts[b] >= 0]:", """you give `layers` an entire row, but it doesn't know
           about texts and lets one text see the other. Give it one text at a time.""")
E.slip("texts[b].unique()", "texts[b].unique()[-1:]", """you find faults in the last text of a row,
    but accept some in an earlier one. Which texts does your test compare?""")
E.slip("texts[b].unique()", "texts[b].unique()[:1]", """your check doesn't notice if one text hears
    another. Do you compare every text of a packed row, with the given `texts`?""")
E.slip("not ((out[b : b + 1, places] - alone).abs() <= 1e-5).all()",
       "((out[b : b + 1, places] - alone).abs() > 1e-5).any()", """you call a program right although
           its output has nan in it. `nan > 1e-5` is False, and `nan_to_num` turns nan into 0. Does your
           test use one of these? Test whether all differences are small.""")
E.slip("out = forward(x, texts)", "out = forward(x, texts).nan_to_num()", """you call a program
    right although it returns nan where 0 is right. You turn nan into 0, but a nan is wrong wherever it
    occurs.""")
E.slip(".abs() <= 1e-5).all()", ".abs().mean() <= 1e-5)", """you take a mean over many numbers, in
    which a small fault in one of them disappears. Every single difference has to be small.""")
E.slip("(out[b : b + 1, places] - alone)", "(out[b : b + 1, places] - alone)[:, -1]", """you find
    faults at the last position of a text, but accept programs in which earlier positions see the
    future. Which positions does your test compare?""")
E.slip("(out[b : b + 1, places] - alone)", "(out[b : b + 1, places] - alone)[:, :1]", """you accept
    programs with a different scale or a different order. These faults don't show at the first
    position of a text, which can look only at itself. Which positions does your test compare?""")
E.slip("            places = texts[b] == text\n", "            places = texts[b] == text\n            if text == 0:\n                continue\n", """you
    accept a program that is wrong only in text 0, the padding. Does your test judge text 0, like any other?""")
E.slip("            places = texts[b] == text\n", "            places = texts[b] == text\n            if places.sum() < 2:\n                continue\n", """you
    accept a program that is wrong only in texts of one word. Does your test judge them?""")
for rows in ("range(1)", "[len(x) - 1]"):
    E.slip("range(len(x))", rows, """you find programs that are wrong in every row, but accept one
        that is wrong in a single row. Which rows does your test compare?""")
E.slip("texts[b].unique()", "texts[0].unique()", """you find faults in the texts whose numbers
    occur in the first row, but accept one in a text whose number doesn't occur there. Where does
    your test take the numbers from?""")
DIFFERENCE = "(out[b : b + 1, places] - alone)"
for part in ("[..., 0]", "[..., -1]"):
    E.slip(DIFFERENCE, DIFFERENCE + part, """you find programs that are wrong in every channel, but
        accept one that is wrong in a single channel. Which channels does your test compare?""")
for mean in (".mean()", ".mean(1)", ".mean(-1)"):
    E.slip(DIFFERENCE, DIFFERENCE + mean, """you accept a program in which one number is too large by as much
        as another is too small. Does your test compare number by number?""")
E.slip(DIFFERENCE + ".abs()", DIFFERENCE, """you find numbers that are too large, but miss those
    that are too small. Take the size of the difference, `.abs()`.""")
for wide in ("1e-3", "1e-4"):
    E.slip("<= 1e-5", f"<= {wide}", "you accept a program with a small fault. How large may a difference be? Anything above 1e-5 counts.")
E.slip("<= 1e-5", "== 0", """you call right programs wrong if they sum in a different order, which
    changes the last bits. Does your test compare exactly? Allow 1e-5.""")
E.slip("<= 1e-5", "<= 1e-6", "you reject a program whose numbers differ by less than 1e-5. Allow 1e-5.")
E.slip("<= 1e-5", "<= 1e-5 + 1e-5 * alone.abs()", """you accept a small fault in outputs that are near
    100. A relative tolerance, such as `rtol` of `torch.allclose`, grows with the numbers, so set it
    to 0.""")
E.slip("(out[b : b + 1, places] - alone)", "(out[b : b + 1, places].norm(dim=-1) - alone.norm(dim=-1))", """you
    accept a program whose outputs change direction but keep their lengths. Does your test compare
    number by number?""")
E.slip("<= 1e-5", "<= 0.2", """you accept faults that are small. How large a difference does your test
    allow? Right programs differ by less than 1e-5.""")

E.hint("""The program keeps all six laws and is still wrong. What could you compare it with, other
    than itself?""")
E.hint("`layers(one)` is right for one text, (1, T, C). Which positions of which row are one text?")
E.hint("""For each row b and each text number in `texts[b]`, take `places = texts[b] == text`.
    Compare `out[b:b+1, places]` with `layers(x[b:b+1, places])`. All differences have to be at
    most 1e-5.""")
