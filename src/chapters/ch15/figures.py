"""Chapter 15: what is computed again, how large a cache is, and which query uses which key."""

from collections.abc import Sequence
from dataclasses import replace

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from chapters.ch15.budget import (
    LLAMA_2_7B,
    MODELS,
    Sizes,
    cache_bytes,
    cached_operations,
    uncached_operations,
)
from course.draw.picture import (
    FAINT,
    INK,
    KEY,
    QUERY,
    SHADE,
    SMALL,
    STYLE,
    VALUE,
    WIDTH,
    Picture,
    canvas,
    headline,
    picture,
    place,
    tint,
)

GIB = 2**30
CARD = 80e9  # bytes of memory of an NVIDIA H100 or A100 of 80 GB
LOOK = {  # {model: (colour, dashes) of its curve}
    "GPT-2": (FAINT, "-"), "Llama 2 7B": (KEY, "-"), "Llama 3 8B": (QUERY, "-"),
    "Mistral 7B": (QUERY, "--"), "DeepSeek-V2": (VALUE, "-"), "DeepSeek-V3": (VALUE, "--"),
}  # fmt: skip


def work_figure(n_prompt: int, n_new: int) -> Picture:
    """Draw the scores that each step computes: above without a cache, and below with one."""
    lengths = range(n_prompt, n_prompt + n_new)
    cells = [
        [length * (length + 1) // 2 for length in lengths],
        [n_prompt * (n_prompt + 1) // 2, *lengths[1:]],
    ]
    figure, _ = canvas(4.2, 1, layout=None)
    figure.clear()
    side = (WIDTH - 1.3) / n_new - 0.15
    with mpl.rc_context(STYLE):
        for row, name in enumerate(("no cache", "cache")):
            for step, length in enumerate(lengths):
                axes = figure.add_subplot(2, n_new, row * n_new + step + 1)
                place(axes, 1.2 + step * (side + 0.15), 2.15 - row * 2.0, side, side)
                all_rows = row == 0 or step == 0
                _triangle(axes, length, lengths[-1], range(0 if all_rows else length - 1, length))
                axes.set_title(f"{cells[row][step]} scores", fontsize=9, weight="normal")
                if step == 0:
                    axes.set_ylabel(name, fontsize=11, weight="bold")
    total = [sum(each) for each in cells]
    return picture(
        figure,
        f"Causal scores for writing {n_new} words after a prompt of {n_prompt}; each square is one "
        f"step, rows are queries, and columns are keys. Coloured cells are computed in this step. Without a cache "
        f"(above) every step computes all rows again, {total[0]} scores in all; with one (below) "
        f"it computes only new rows, {total[1]} scores.",
    )


def _triangle(axes: Axes, length: int, size: int, computed: Sequence[int]) -> None:
    """Draw the allowed cells of a causal square, with the computed rows dark."""
    for r in range(length):
        for c in range(r + 1):
            colour = QUERY if r in computed else SHADE
            axes.add_patch(Rectangle((c - 0.45, r - 0.45), 0.9, 0.9, color=colour, lw=0))
    axes.set(xlim=(-0.5, size - 0.5), ylim=(size - 0.5, -0.5), aspect="equal")
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


def cost_figure(operations_of: Sizes, contexts: Sequence[int]) -> Picture:
    """Draw each model's cache in bytes, and the operations of one more token with and without a cache."""
    figure, (left, right) = canvas(4.3, 2)
    with mpl.rc_context(STYLE):
        for sizes in MODELS:
            held = [n for n in contexts if n <= max(sizes.context, contexts[0])]
            colour, dashes = LOOK[sizes.name]
            weigh = [cache_bytes(sizes, n) / GIB for n in contexts]
            left.plot(contexts, weigh, dashes, color=colour, linewidth=0.9, alpha=0.5)
            left.plot(held, weigh[: len(held)], dashes, color=colour, linewidth=2.4)
        ends = {sizes.name: cache_bytes(sizes, contexts[-1]) / GIB for sizes in MODELS}
        low = 0.0
        for name in sorted(ends, key=ends.get):
            low = max(ends[name], low * 1.75)  # names keep apart
            left.text(
                contexts[-1] * 1.15, low, name, color=LOOK[name][0], fontsize=SMALL, va="center"
            )
        left.axhline(CARD / GIB, color=INK, linewidth=0.8, linestyle=":")
        left.text(contexts[0], CARD / GIB * 1.15, "a card of 80 GB", fontsize=SMALL)
        left.set(
            ylabel="GiB", xlim=(contexts[0], contexts[-1] * 16), title="The cache of one text"
        )
        again = [uncached_operations(operations_of, n) for n in contexts]
        kept = [cached_operations(operations_of, n) for n in contexts]
        right.plot(contexts, again, color=KEY, linewidth=2.4)
        right.plot(contexts, kept, color=QUERY, linewidth=2.4)
        right.text(contexts[0], again[len(again) // 2] * 3, "everything again", color=KEY)
        right.text(contexts[0], kept[0] * 2, "with a cache", color=QUERY)
        right.set(ylabel="operations", title=f"One more token, {operations_of.name}")
        powers = range(10, 17, 2)
        ticks = [0.1, 1, 10, 100], [10**n for n in powers]
        labels = ["0.1", "1", "10", "100"], [f"1e{n}" for n in powers]
        for axes, at, names in zip((left, right), ticks, labels, strict=True):
            axes.set_xscale("log", base=2)
            axes.set_yscale("log", base=10)
            axes.set_yticks(at, names)
            axes.set_xticks(contexts[::2], [_positions(n) for n in contexts[::2]])
            axes.set_xlabel("context (tokens)")
            axes.minorticks_off()
    at = contexts[-1]
    said = ", ".join(f"{name} {ends[name]:.3g}" for name in ends)
    return picture(
        figure,
        f"Left: GiB of keys and values for one text, 16 bits per number; lines are thick up to the length "
        f"that the model was made for. At {_positions(at)} tokens: {said}. Right: operations for one more token of "
        f"{operations_of.name} at {_positions(at)}: {again[-1]:.1e} if everything is read again, "
        f"{kept[-1]:.1e} with a cache.",
    )


def _positions(n: int) -> str:
    return f"{n // 1024}k" if n >= 1024 else str(n)


def groups_figure(n_head: int, kinds: Sequence[int]) -> Picture:
    """Draw which query head uses which head of keys, for several numbers of heads of keys."""
    figure, axes = canvas(1.9, len(kinds), layout=None)
    wide = (WIDTH - 0.2) / len(kinds) - 0.3
    names = {n_head: "multi-head", 1: "multi-query"}
    with mpl.rc_context(STYLE):
        for n, (ax, n_kv) in enumerate(zip(axes, kinds, strict=True)):
            place(ax, 0.15 + n * (wide + 0.3), 0.1, wide, 1.4)
            for h in range(n_head):
                kv = h * n_kv // n_head
                at = (kv + 0.5) * n_head / n_kv - 0.5
                ax.plot([h, at], [1, 0], color=FAINT, linewidth=1, zorder=0)
                ax.add_patch(Rectangle((h - 0.35, 0.85), 0.7, 0.3, color=QUERY, lw=0))
                ax.add_patch(Rectangle((at - 0.35, -0.15), 0.7, 0.3, color=KEY, lw=0))
            ax.set(xlim=(-0.6, n_head - 0.4), ylim=(-0.3, 1.3))
            ax.set_axis_off()
            name = names.get(n_kv, "grouped")
            ax.set_title(f"{name}: {n_kv} head{'s' if n_kv > 1 else ''} of keys", fontsize=10)
    each = ", ".join(str(n) for n in kinds)
    return picture(
        figure,
        f"{n_head} query heads (blue, above) and {each} heads of keys and values (orange, below). "
        f"A line connects each query head with the keys that it uses. Neighbouring query heads share keys.",
    )


def calculator_figure(context: int, n_kv_head: int, sequences: int) -> Picture:
    """Draw weights and cache on one fixed scale, next to the memory of a card."""
    sizes = replace(LLAMA_2_7B, n_kv_head=n_kv_head)
    weights = 2 * sizes.parameters  # as published; with fewer heads of keys it would be a little less
    cache = sequences * cache_bytes(sizes, context)
    figure, (axes,) = canvas(2.3)
    fits = weights + cache <= CARD
    with mpl.rc_context(STYLE):
        for at, (name, size, colour) in enumerate(
            (("weights", weights, SHADE), ("cache", cache, KEY if fits else INK))
        ):
            axes.barh(at, size / GIB, left=0.01, color=colour, height=0.6)
            axes.text(max(size / GIB, 0.012) * 1.15, at, _size(size), va="center", fontsize=11)
            axes.text(0.0088, at, name, va="center", ha="right", fontsize=11)
        axes.axvline(CARD / GIB, color=INK, linewidth=0.9, linestyle=":")
        axes.text(CARD / GIB, -0.75, "80 GB", ha="center", fontsize=SMALL)
        axes.set_xscale("log")
        axes.set(xlim=(0.01, 20_000), ylim=(1.6, -0.6), yticks=[])
        axes.set_xticks([0.01, 0.1, 1, 10, 100, 1000], ["0.01", "0.1", "1", "10", "100", "1000"])
        axes.minorticks_off()
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("GiB (each step to the right is ten times as much)", fontsize=SMALL)
        axes.set_title(
            f"{sequences} text{'s' if sequences > 1 else ''} of {context:,} tokens, "
            f"{n_kv_head} head{'s' if n_kv_head > 1 else ''} of keys",
            pad=18,
        )
    share = cache / weights
    return picture(
        figure,
        f"The cache of {sequences} text{'s' if sequences > 1 else ''} of {context:,} tokens with "
        f"{n_kv_head} head{'s' if n_kv_head > 1 else ''} of keys and values in each of 32 layers: {_size(cache)}, {share:.2g} "
        f"times the weights' {_size(weights)}. Together they {'fit' if fits else 'do not fit'} on "
        f"a card of 80 GB.",
    )


def _size(n_bytes: float) -> str:
    return f"{n_bytes / GIB:.3g} GiB" if n_bytes >= GIB else f"{n_bytes / 2**20:.3g} MiB"


def cache_figure(steps: Sequence[int], head_size: int) -> Picture:
    """Draw one head's queries, keys and values at each step, a column for each word: new or from the cache.

    `steps` are the words that each step reads, the prompt first.
    """
    ends = [sum(steps[: n + 1]) for n in range(len(steps))]
    figure, panels = canvas(2.9, len(steps), layout=None)
    headline(figure, "Keys and values grow by a column for each word, and none is computed again")
    wide = (WIDTH - 0.3) / len(steps) - 0.15
    with mpl.rc_context(STYLE):
        for n, (axes, new, end) in enumerate(zip(panels, steps, ends, strict=True)):
            place(axes, 0.25 + n * (wide + 0.15), 0.05, wide, 2.2)
            axes.set(xlim=(-0.9, ends[-1] + 0.1), ylim=(3 * head_size + 2.9, -1.6))
            axes.set_axis_off()
            axes.set_title(f"prefill: {new} words" if n == 0 else f"decode: word {end}", fontsize=12)
            for row, (name, colour) in enumerate((("q", QUERY), ("k", KEY), ("v", VALUE))):
                kept = 0 if name == "q" else end - new
                _columns(axes, name, row * (head_size + 0.7), head_size, range(kept), range(end - new, end), colour)
            told = f"{3 * new} new columns, {2 * (end - new)} kept"
            axes.text(ends[-1] / 2, 3 * head_size + 2.5, told, ha="center", fontsize=12)
    later = [end - new for new, end in zip(steps, ends, strict=True)][1:]
    return picture(
        figure,
        f"One head with head size {head_size}, a column for each word. Strong colours are computed in this "
        f"step, and pale ones come from the cache. The prefill reads {steps[0]} words at once and computes "
        f"{3 * steps[0]} columns: a query, a key and a value for each. A step of decoding computes "
        f"{3 * steps[1]}, and the {' or '.join(map(str, later))} earlier words need no new queries.",
    )


def _columns(
    axes: Axes, name: str, top: float, high: int, kept: Sequence[int], new: Sequence[int], colour: str
) -> None:
    """Draw a matrix with a column for each word; columns from the cache are pale."""
    axes.text(-0.3, top + high / 2, name, ha="center", va="center", color=colour, fontsize=13, weight="bold")
    for at in (*kept, *new):
        for d in range(high):
            face = colour if at in new else tint(colour, 0.3)
            axes.add_patch(Rectangle((at + 0.06, top + d + 0.05), 0.88, 0.9, facecolor=face, lw=0))
