"""Return True if the program gives for each text what the package's own module gives for it alone."""

import torch

from course.chapters.ch16.alone import ALMOST, FORMS, LATE, OTHERS, PAIR, SICK, SPREAD, program
from course.chapters.ch16.checks import TEXTS
from course.learn.record import Exercise


def given(name, texts, seed=1337):
    forward, layers, x = program(name, seed)
    return forward, layers, x[: len(texts), : texts.shape[1]], texts

def drawn(d):
    texts = torch.tensor([sorted(d.choices(range(3), k=5)) for _ in range(2)])
    return given(d.choice([*FORMS, *SICK]), texts, 1 + d.size())

E = Exercise(__name__, n_drawn=6, draw=drawn, inputs=[
    *(given(name, texts) for texts in OTHERS for name in [*FORMS, LATE, "no scale"]),
    *(given(name, TEXTS) for name in [*FORMS, *SICK]), *(given(name, SPREAD) for name in ALMOST),
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
E.slip("texts[b].unique()", "texts[b].unique()[-1:]", """you look at the last text of each row only. A
    fault may show in another one.""")
E.slip("texts[b].unique()", "texts[b].unique()[:1]", """what one text takes from another doesn't show
    in your check. Do you compare every text of a packed row, with `texts` as they are?""")
E.slip("not ((out[b : b + 1, places] - alone).abs() <= 1e-5).all()",
       "((out[b : b + 1, places] - alone).abs() > 1e-5).any()", """you let nan pass: `nan > 1e-5` is
    False. Ask whether all differences are small; nan never is.""")
E.slip("(out[b : b + 1, places] - alone)", "(out[b : b + 1, places] - alone)[:, -1]", """you look at the
    last place of each text only. A future that is let in doesn't show there.""")
E.slip("(out[b : b + 1, places] - alone)", "(out[b : b + 1, places] - alone)[:, :1]", """you look at the
    first place of each text only. It has nobody but itself to look at, so scale and order don't show.""")
E.slip("            places = texts[b] == text\n", "            places = texts[b] == text\n            if text == 0:\n                continue\n", """you
    leave the padding out. It is text 0, and is judged like any other text.""")
E.slip("            places = texts[b] == text\n", "            places = texts[b] == text\n            if places.sum() < 2:\n                continue\n", """you
    leave out texts of one place. They can be wrong too.""")
for rows in ("range(1)", "[len(x) - 1]"):
    E.slip("range(len(x))", rows, """you look at one row of the batch only. A fault may show in another one.""")
DIFFERENCE = "(out[b : b + 1, places] - alone)"
for part in ("[..., 0]", "[..., -1]"):
    E.slip(DIFFERENCE, DIFFERENCE + part, """you look at one channel only. A fault may show in another one.""")
for mean in (".mean()", ".mean(1)", ".mean(-1)"):
    E.slip(DIFFERENCE, DIFFERENCE + mean, """you look at means. Where one number is too large by as much as
        another is too small, they are right. Compare number by number.""")
E.slip(DIFFERENCE + ".abs()", DIFFERENCE, """you find numbers that are too large, and miss those that are
    too small: take the size of the difference, `.abs()`.""")
E.slip("<= 1e-5", "<= 1e-3", "your tolerance is too large: anything above 1e-5 is a fault.")
E.slip("<= 1e-5", "<= 0.2", """your tolerance is too large: a small fault is one too. Right programs
    differ by less than 1e-5.""")

E.hint("Six laws were kept, and the program is wrong. With what could you compare it that isn't itself?")
E.hint("`layers(one)` is right for one text, (1, T, C). Which places of which row are one text?")
E.hint("""For each row and each number in it: `places = texts[b] == text`. Compare `out[b:b+1, places]`
    with `layers(x[b:b+1, places])`, all differences at most 1e-5.""")
