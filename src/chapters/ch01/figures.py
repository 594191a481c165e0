"""Chapter 01: a vocabulary with its ids, one sentence cut into tokens, and how merges shorten the corpus."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
from matplotlib.patches import Rectangle

from chapters.ch03.figures import MONO, sign
from course.draw.picture import FAINT, INK, QUERY, STYLE, TIME, Picture, canvas, picture, tint

TURNS = [(tint(TIME, 0.25), TIME), (tint(INK, 0.07), FAINT)]  # two colours in turn, so that you see every cut
ACROSS, MOST_ROWS = 13, 8  # a vocabulary: characters in a row, and the most rows


def levels_figure(levels: Mapping[str, Sequence[str]]) -> Picture:
    """Draw one sentence as tokens of several kinds, in a row each, with spaces as low brackets."""
    length = max(sum(map(len, tokens)) for tokens in levels.values())
    figure, (axes,) = canvas(0.62 * len(levels) + 0.7)
    with mpl.rc_context(STYLE):
        for row, (name, tokens) in enumerate(levels.items()):
            y = len(levels) - 1 - row
            axes.text(-0.6, y, f"{len(tokens)} {name}", ha="right", va="center", weight="bold")
            draw_tokens(axes, tokens, y)
        axes.set_xlim(-9.5, length + 0.2)
        axes.set_ylim(-0.6, len(levels) - 0.4)
        axes.set_axis_off()
        sizes = [str(len(tokens)) for tokens in levels.values()]
        axes.set_title(f"Longer pieces, fewer tokens: {', '.join(sizes[:-1])} or {sizes[-1]}")
    sentence = "".join(next(iter(levels.values())))
    counts = ", ".join(f"{len(tokens)} {name}" for name, tokens in levels.items())
    return picture(figure, f"The text '{sentence}' cut in {len(levels)} ways: {counts}.")


def vocabulary_figure(vocab: Sequence[str], word: str) -> Picture:
    """Draw a vocabulary with the id of each character, and mark the characters of the word."""
    shown = vocab[: ACROSS * MOST_ROWS]
    ids = [vocab.index(character) for character in word]
    rows = -(-len(shown) // ACROSS)
    figure, (axes,) = canvas(0.34 * rows + 0.4, layout=None)
    axes.set_position((0.005, 0.01, 0.99, 0.34 * rows / (0.34 * rows + 0.4)))
    with mpl.rc_context(STYLE):
        for id, character in enumerate(shown):
            y, x = divmod(id, ACROSS)
            face, edge = (tint(TIME, 0.5), TIME) if id in ids else TURNS[1]
            box = Rectangle((x + 0.03, y + 0.06), 0.94, 0.88, linewidth=0.8, facecolor=face, edgecolor=edge)
            axes.add_artist(box)
            axes.text(x + 0.28, y + 0.5, sign(character), ha="center", va="center", family=MONO, fontsize=11,
                      weight="bold", parse_math=False)  # fmt: skip
            axes.text(x + 0.68, y + 0.5, str(id), ha="center", va="center", fontsize=10)
        axes.set(xlim=(0, ACROSS), ylim=(rows, 0))
        axes.set_axis_off()
        listed = ", ".join(map(str, ids))
        axes.set_title(f"An id is an index in the vocabulary: {word} becomes {listed}", parse_math=False)
    some = f"the first {len(shown)} of {len(vocab)}" if len(shown) < len(vocab) else f"all {len(vocab)}"
    each = ", ".join(f"'{character}' {vocab.index(character)}" for character in dict.fromkeys(word))
    return picture(
        figure,
        f"A box for each character of the vocabulary, {some}, in order. Beside each character is its id, from "
        f"'{sign(vocab[0])}' with id 0 to '{sign(shown[-1])}' with id {len(shown) - 1}. The characters of "
        f"'{word}' are marked: {each}. So '{word}' becomes {listed}.",
    )


def merges_figure(
    tokens: Sequence[str], n_merges: int, lengths: Sequence[int], newest: str | None
) -> Picture:
    """Draw a sentence after n_merges merges, above the corpus length after each merge so far."""
    figure, (curve,) = canvas(3.6, layout=None)
    curve.set_position([0.1, 0.15, 0.88, 0.56])
    with mpl.rc_context(STYLE):
        so_far = [n / 1000 for n in lengths[: n_merges + 1]]
        curve.plot(range(len(so_far)), so_far, color=FAINT)
        curve.set_xlim(-0.05 * len(lengths), 1.05 * len(lengths))
        curve.plot([n_merges], [lengths[n_merges] / 1000], "o", color=QUERY, markersize=8)
        curve.set_xlabel("merges learned (256 + merges = vocabulary size)")
        curve.set_ylabel("thousand tokens\nin the corpus")
        curve.set_ylim(0, lengths[0] / 1000 * 1.08)
        saved = 1 - lengths[n_merges] / lengths[0]
        curve.set_title(f"{n_merges} merge{'s' if n_merges != 1 else ''}: the corpus has {saved:.0%} fewer tokens than bytes", y=1.37)
        strip = curve.inset_axes([-0.1, 1.05, 1.11, 0.26])
        draw_tokens(strip, tokens, 0)
        strip.set_xlim(-0.3, max(sum(map(len, tokens)), 34) + 0.2)
        strip.set_ylim(-0.6, 0.6)
        strip.set_axis_off()
    new = f" The newest token is '{newest}'." if newest is not None else ""
    return picture(
        figure,
        f"After {n_merges} merge{'s' if n_merges != 1 else ''} the sentence has {len(tokens)} tokens, and the corpus has "
        f"{lengths[n_merges]:,} tokens, {saved:.1%} fewer than its {lengths[0]:,} bytes.{new}",
    )


def draw_tokens(axes, tokens: Sequence[str], y: float) -> None:
    """Draw tokens as boxes side by side, each as wide as its characters."""
    x = 0
    for n, token in enumerate(tokens):
        axes.add_artist(
            Rectangle(
                (x + 0.06, y - 0.34), len(token) - 0.12, 0.68, linewidth=0.8,
                facecolor=TURNS[n % 2][0], edgecolor=TURNS[n % 2][1],
            )
        )  # fmt: skip
        for place, character in enumerate(token):
            axes.text(
                x + place + 0.5, y, sign(character), ha="center", va="center", color=INK,
                family=MONO, fontsize=10,
            )  # fmt: skip
        x += len(token)
