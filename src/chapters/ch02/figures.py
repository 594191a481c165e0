"""Chapter 02: a window on a text with its examples, a batch as two grids, and starts in a text."""

from collections.abc import Sequence
from functools import cache

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.patches import Rectangle
from torch import Tensor

from course.draw.picture import (
    BATCH,
    FAINT,
    INK,
    LIGHT,
    SMALL,
    STYLE,
    TIME,
    WIDTH,
    WRONG,
    Picture,
    canvas,
    headline,
    picture,
    tint,
)
from course.draw.picture import place as put

SEEN, GUESSED = tint(TIME, 0.25), "none"  # what the model sees; what it has to guess
FAR = tint(INK, 0.04)
MONO = "DejaVu Sans Mono"


def window_figure(
    tokens: Sequence[str], start: int, block_size: int, room: int | None = None
) -> Picture:
    """Draw a text with a window, and below it a row for each example: its context, then its target.

    `room` is the number of positions to leave free after the end of the text, for a window that
    starts late. A missing token is drawn as an empty dashed box.
    """
    n = len(tokens)
    room = max(0, start + block_size + 1 - n) if room is None else room
    width, height = WIDTH, 0.245 * block_size + 1.5
    figure, (axes,) = canvas(height, layout=None)
    axes.set_position([0.05 / width, 0.05 / height, 1 - 0.1 / width, 1 - 0.4 / height])
    with mpl.rc_context(STYLE):
        _places(axes, tokens, start, block_size)
        for t in range(block_size):
            y = -t - 1.9
            axes.text(-0.6, y, f"t = {t}", ha="right", va="center", fontsize=SMALL, color=FAINT)
            for place in range(start, start + t + 1):
                _box(axes, place, y, tokens[place] if place < n else None, SEEN, TIME)
            place = start + t + 1
            _box(axes, place, y, tokens[place] if place < n else None, GUESSED, INK, 1.4)
        axes.set_xlim(-3.6, n + room + 1.0)
        axes.set_ylim(-block_size - 1.6, 2.1)
        axes.set(xticks=[], yticks=[])  # hidden ticks would still take time to draw
        axes.set_axis_off()
        inputs, targets = tokens[start:][:block_size], tokens[start + 1 :][:block_size]
        full = len(targets) == block_size
        n_inputs, n_targets = _count(len(inputs), "input"), _count(len(targets), "target")
        title = f"From position {start}: {n_inputs}, {n_targets}, {_count(block_size, 'example')}"
        if not full:
            title = f"{n_inputs} and {n_targets} instead of {block_size} each"
        axes.set_title(title)
    asked = f"A window of {block_size} on a text of {n} tokens starts at position {start}."
    last = n - block_size - 1
    if full:
        said = (
            f"The inputs are '{_joined(inputs)}' and the targets '{_joined(targets)}', which makes "
            f"{_count(block_size, 'example')}. The first asks for '{_joined(targets[:1])}' after "
            f"'{_joined(inputs[:1])}', and the last asks for '{_joined(targets[-1:])}' after "
            f"'{_joined(inputs)}'."
        )
    else:
        said = (
            f"The slices give {n_inputs} and {n_targets} instead of {block_size} each, without an "
            f"error."
        )
        said += f" The last start with a full block is {last}." if last >= 0 else ""
    return picture(figure, f"{asked} {said}")


def batch_figure(x: Tensor, y: Tensor, vocab: Sequence[str]) -> Picture:
    """Draw a batch as two grids of characters, inputs and targets, with a row for each sequence."""
    B, T = x.shape
    figure, axes = canvas(0.36 * B + 1.35, 2)
    figure.get_layout_engine().set(wspace=0.15)  # each grid fits on a phone
    headline(figure, "The targets are the same text, one position later")
    with mpl.rc_context(STYLE):
        kinds = {"inputs x": (x, SEEN, TIME), "targets y": (y, GUESSED, INK)}
        for ax, (title, (ids, colour, edge)) in zip(axes, kinds.items(), strict=True):
            for b, row in enumerate(ids.tolist()):
                for t, i in enumerate(row):
                    _box(ax, t, -b, vocab[i], colour, edge)
            ax.set_title(f"{title}, shape ({B}, {T})")
            ax.set_xticks([t + 0.5 for t in range(T)], range(T), color=TIME)
            ax.set_yticks([-b for b in range(B)], range(B), color=BATCH)
            ax.set_xlabel("position t")
            ax.set_ylabel("sequence b")
            ax.tick_params(length=0, labelsize=SMALL)
            ax.spines[:].set_visible(False)
            ax.set_xlim(-0.1, T + 0.1)
            ax.set_ylim(-B + 0.4, 0.6)
    first, then = (_joined([vocab[i] for i in ids[0].tolist()]) for ids in (x, y))
    return picture(
        figure,
        f"A batch of {_count(B, 'sequence')} of {_count(T, 'position')}: "
        f"{_count(B * T, 'example')}. Sequence 0 has the inputs '{first}' and the targets "
        f"'{then}', the same text one position later.",
    )


def starts_figure(starts: Tensor, n_train: int, n_ids: int, block_size: int) -> Picture:
    """Draw where blocks start among all ids, in the training part or in the part that is held back."""
    figure, (axes,) = canvas(1.7)
    late = [b for b, start in enumerate(starts.tolist()) if start > n_train - block_size - 1]
    with mpl.rc_context(STYLE):
        axes.add_artist(Rectangle((0, 0), n_train, 1, facecolor=SEEN, edgecolor=TIME))
        axes.add_artist(
            Rectangle((n_train, 0), n_ids - n_train, 1, facecolor=LIGHT, edgecolor=FAINT)
        )
        axes.text(n_train / 2, 0.35, "training part", ha="center", va="center")
        axes.annotate("held back", (n_ids, 0), (0, -27), textcoords="offset points", ha="right", va="top")
        for b, start in enumerate(starts.tolist()):
            colour = WRONG if b in late else BATCH
            axes.plot([start, start], [0.7, 1.25], color=colour, linewidth=2)
            high = 1.35 + 0.42 * _crowd(starts.tolist(), b, n_ids / 40)
            axes.text(start, high, str(b), ha="center", va="bottom", color=colour)
        axes.set_xlim(-0.005 * n_ids, 1.005 * n_ids)
        axes.set_ylim(0, 2.3)
        axes.set_yticks([])
        axes.set_xticks([0, n_train], ["0", f"{n_train:,}"])
        axes.get_xticklabels()[1].set_ha("right")
        axes.spines[:].set_visible(False)
        axes.set_xlabel(f"position in the text, of {n_ids:,}", loc="left")
        count = _count(len(starts), "start")
        whose = "has" if len(late) == 1 else "have"
        axes.set_title(f"{len(late)} of {count} {whose} no full block in the training part")
    listed = ", ".join(f"sequence {b} at {start:,}" for b, start in enumerate(starts.tolist()))
    numbers = ", ".join(map(str, late))
    who = f"Sequence {numbers} starts" if len(late) == 1 else f"Sequences {numbers} start"
    out = f"{who} too late." if late else "No start is too late."
    return picture(
        figure,
        f"The {n_ids:,} ids are drawn as a bar. The first {n_train:,} of them are the training part. "
        f"The bar shows {count} drawn from all ids: {listed}. The last "
        f"start with a full block in the training part is {n_train - block_size - 1:,}. {out}",
    )


def _places(axes: Axes, tokens: Sequence[str], start: int, block_size: int) -> None:
    """Draw the text in one line, with its positions, its end, and a frame around the window."""
    n = len(tokens)
    axes.text(-0.6, 0, "text", ha="right", va="center", fontsize=SMALL, color=FAINT)
    for place, token in enumerate(tokens):
        inside = start <= place < start + block_size
        _box(axes, place, 0, token, SEEN if inside else FAR, "none")
        if place % 5 == 0:
            axes.text(place + 0.5, 1.5, str(place), ha="center", fontsize=SMALL, color=FAINT)
    axes.plot([n, n], [-0.8, 0.8], color=INK, linewidth=2)
    axes.text(n + 0.2, 1.5, "end", ha="center", fontsize=SMALL, color=INK)
    axes.add_artist(
        Rectangle(
            (start - 0.08, -0.68), block_size + 0.16, 1.36,
            fill=False, edgecolor=TIME, linewidth=2,
        )
    )  # fmt: skip


def _box(
    axes: Axes, x: float, y: float, token: str | None, colour, edge: str, line: float = 0.8, size: float = 9
) -> None:
    """Draw a box with a token in it, or an empty dashed box if there is no token."""
    there = token is not None
    axes.add_artist(
        Rectangle(
            (x + 0.1, y - 0.36), 0.8, 0.72,
            facecolor=colour if there else "none", edgecolor=edge if there else FAINT,
            linewidth=line if there else 0.7, linestyle="-" if there else ":",
        )
    )  # fmt: skip
    if there:
        axes.text(
            x + 0.5, y - 0.03, _drawable(token), ha="center", va="center", fontsize=size,
            color=INK, family=MONO, parse_math=False,
        )  # fmt: skip


def _crowd(starts: Sequence[int], b: int, near: float) -> int:
    """1 if an earlier start is so near that their numbers would overlap, otherwise 0."""
    return min(sum(abs(start - starts[b]) < near for start in starts[:b]), 1)


@cache
def _drawable(token: str) -> str:
    """The token with visible white space, and a frame for each character that the font lacks."""
    font = get_font(findfont(FontProperties(family=MONO)))
    shown = _visible(token).replace(" ", "\u2423")
    return "".join(c if font.get_char_index(ord(c)) else "\u25a1" for c in shown)


def _visible(token: str) -> str:
    return token.replace("\n", "\u21b5").replace("\t", "\u21e5").replace("\r", "\u240d")


def _joined(tokens: Sequence[str]) -> str:
    return _visible("".join(tokens))


def _count(n: int, thing: str) -> str:
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"


def pipeline_figure(
    tokens: Sequence[str], ids: Tensor, starts: Sequence[int], block_size: int
) -> Picture:
    """Draw a text, its ids (N,), and the inputs and targets (B, T) that are cut from the ids at `starts`."""
    N, B, T = len(tokens), len(starts), block_size
    figure, (row, batch) = canvas(2.75, 2, layout=None)
    headline(figure, "From a text to a batch of inputs and targets")
    put(row, 0.05, 0.05, 3.6, 2.2)
    put(batch, 3.95, 0.05, 3.8, 2.2)
    with mpl.rc_context(STYLE):
        _signs(row, "text", -0.4, tokens)
        _signs(row, f"ids ({N})", -2.3, ids.tolist())
        for start in starts:
            _brackets(row, start, T)
        for left, shift, name in ((0, 0, "inputs x"), (T + 2.2, 1, "targets y")):
            batch.text(left + 0.1, 0.2, f"{name} ({B}, {T})", fontsize=12, weight="bold")
            for b, start in enumerate(starts):
                block = slice(start + shift, start + shift + T)
                _block(batch, left, b, ids[block].tolist(), _joined(tokens[block]), shift)
        row.set(xlim=(-0.6, N + 0.1), ylim=(-4.2, 0.9))
        batch.set(xlim=(-0.1, 2 * T + 2.4), ylim=(-4.2, 0.9))
        for axes in (row, batch):
            axes.set_axis_off()
    first, then = (_joined(tokens[starts[0] + shift :][:T]) for shift in (0, 1))
    return picture(
        figure,
        f"The {N} characters of '{_joined(tokens)}' become {N} ids. {B} blocks of {T} ids are cut from them, "
        f"which begin at {' and '.join(map(str, starts))}. These are the inputs x, of shape ({B}, {T}). The "
        f"targets y are the same blocks one id later: the first inputs are '{first}', and their targets '{then}'.",
    )


def _signs(axes: Axes, name: str, y: float, signs: Sequence) -> None:
    """Draw a row of boxes, with its name above it."""
    axes.text(0.1, y + 0.6, name, fontsize=12, weight="bold")
    for at, sign in enumerate(signs):
        _box(axes, at, y, f"{sign}", FAR, FAINT, size=12)


def _brackets(axes: Axes, start: int, T: int) -> None:
    """Draw which ids are the inputs of a block, and which are its targets."""
    axes.plot([start + 0.1, start + T - 0.1], [-3.2] * 2, color=TIME, linewidth=3)
    axes.text(start - 0.15, -3.2, "x", color=TIME, fontsize=12, ha="right", va="center")
    axes.plot([start + 1.1, start + T + 0.9], [-3.75] * 2, color=INK, linewidth=3)
    axes.text(start + T + 1.15, -3.75, "y", fontsize=12, va="center")


def _block(axes: Axes, left: float, b: int, ids: Sequence[int], said: str, shift: int) -> None:
    """Draw row b of the inputs or the targets, as ids and, below them, as text."""
    look = (GUESSED, INK) if shift else (SEEN, TIME)
    for t, token in enumerate(ids):
        _box(axes, left + t, -0.4 - 0.8 * b, f"{token}", *look, size=12)
    middle, low = left + len(ids) / 2, -2.5 - 0.75 * b
    axes.text(middle, low, _drawable(said), ha="center", fontsize=12, family=MONO, parse_math=False)
