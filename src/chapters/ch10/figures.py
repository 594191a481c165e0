"""Chapter 10: the memory of a sequence cut into heads, and who hears whom after the cut."""

from collections.abc import Sequence

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import Tensor

from course.draw.picture import (
    FAINT,
    INK,
    KEY,
    PAPER,
    QUERY,
    SMALL,
    STYLE,
    TIME,
    VALUE,
    WEIGHTS,
    WIDTH,
    WRONG,
    Picture,
    canvas,
    headline,
    heat_map,
    picture,
    place,
    sheet,
    tint,
)
from course.draw.svg import ROW_NAME

FAR = 12  # points: a size that can be read on a slide from the last row
CELL = 0.3  # inches: the width of a number, in the memory and in a head
ROW = 0.25


def shares_figure(
    values: Tensor, shares: Tensor, words: Sequence[str], looks: str, out: Tensor | None = None
) -> Picture:
    """Draw whom a word hears: its shares (H, T), next to the values (T, C) of all words.

    Each of the H heads mixes its own C / H channels. `out` (C,) is the result; without it, the cells
    of the result show question marks.
    """
    (T, C), H = values.shape, len(shares)
    D, tints = C // H, head_tints(H)
    cell, row, gap, named = 0.62, 0.27, 0.95, 0.7  # inches; `named` is the width of a word
    left = (WIDTH + named - (H + C) * cell - gap) / 2
    table = left + H * cell + gap
    top = 0.55 + T * row
    figure, (hears, holds) = sheet(top + 1.0, 2)
    headline(
        figure,
        "Each head has its own shares, for its own channels" if H > 1 else
        "The share of a word is the same for all of its channels",
    )  # fmt: skip
    with mpl.rc_context(STYLE):
        put = dict(ha="center", va="center")
        hears.text(left + H * cell / 2, top + 0.42, f"shares of {looks}", weight="bold", ha="center")
        holds.text(table + C * cell / 2, top + 0.42, f"values ({T}, {C})", weight="bold", ha="center")
        for c in range(C):
            holds.text(table + (c + 0.5) * cell, top + 0.15, f"{c}", fontsize=SMALL, ha="center")
        for h in range(H):
            name = f"head {h}" if H > 1 else "all"
            hears.text(left + (h + 0.5) * cell, top + 0.15, name, fontsize=SMALL, ha="center")
        for t, word in enumerate(words):
            y = top - (t + 1) * row
            hears.text(left - 0.12, y + row / 2, word, gid=ROW_NAME, ha="right", va="center", fontsize=SMALL)
            for h in range(H):
                share = float(shares[h, t])
                _cell(hears, left + h * cell, y, cell, row, WEIGHTS(share))
                hears.text(left + (h + 0.5) * cell, y + row / 2, f"{share:.3g}", fontsize=SMALL, **put)
            for c in range(C):
                heard = float(shares[c // D, t]) > 0
                _cell(holds, table + c * cell, y, cell, row, tints[c // D] if heard else "none")
                text = f"{float(values[t, c]):.4g}"
                holds.text(table + (c + 0.5) * cell, y + row / 2, text, fontsize=SMALL, **put)
        y = 0.1
        holds.text(table - 0.12, y + row / 2, f"{looks} hears", ha="right", va="center")
        for c in range(C):
            _cell(holds, table + c * cell, y, cell, row, tints[c // D])
            text = "?" if out is None else f"{float(out[c]):.4g}"
            holds.text(table + (c + 0.5) * cell, y + row / 2, text, weight="bold", **put)
    said = ". ".join(
        f"{f'Head {h} takes' if H > 1 else 'All channels take'} "
        + " and ".join(f"{share:.3g} of '{word}'" for share, word in _heard(own, words))
        for h, own in enumerate(shares)
    )
    result = "" if out is None else f" The result is [{', '.join(f'{n:.4g}' for n in out.tolist())}]."
    return picture(figure, f"'{looks}' mixes the values of {T} words. {said}.{result}")


def _heard(shares: Tensor, words: Sequence[str]) -> list[tuple[float, str]]:
    found = zip(shares.tolist(), words, strict=True)
    return [(share, word) for share, word in found if share > 0]


def _cell(axes: Axes, x: float, y: float, width: float, height: float, colour) -> None:
    axes.add_patch(Rectangle((x, y), width, height, facecolor=colour, edgecolor=FAINT, lw=0.6))


def ribbon_figure(x: Tensor, n_head: int, words: Sequence[str]) -> Picture:
    """Draw the memory of x (T, C), and the heads cut from it: by view and transpose, or only by a view."""
    T, C = x.shape
    if not x.is_contiguous() or C % n_head or len(words) != T:
        raise ValueError(
            f"x, n_head, words: expected a contiguous (T, C) whose C {n_head} divides, and T "
            f"words, got {tuple(x.shape)} with strides {x.stride()} and {len(words)} words"
        )
    D = C // n_head
    heads = x.view(T, n_head, D).transpose(0, 1)
    straight = x.view(n_head, T, D)
    tints = head_tints(n_head)
    label = 0.28 + 0.082 * max(map(len, words))
    page = label + D * CELL
    left, gap = 0.2, 0.55
    width = left + max(T * C * CELL, 2 * n_head * page + gap) + 0.2
    top = 0.15 + T * ROW
    ribbon = top + 1.25
    figure, (memory, *pages) = sheet(ribbon + 1.1, 3)
    headline(figure, "The memory holds word after word, and a head is a slice of every word")
    for axes in (memory, *pages):
        axes.set_xlim(0, width)
    with mpl.rc_context(STYLE):
        _ribbon(memory, x, left, ribbon, words, D, tints)
        cuts = (
            (left, heads, f"x.view({T}, {n_head}, {D}).transpose(0, 1)", "right"),
            (width - 0.2 - n_head * page, straight, f"x.view({n_head}, {T}, {D})", "wrong"),
        )
        off = []
        for axes, (start, cut, name, verdict) in zip(pages, cuts, strict=True):
            says = f"{verdict}: {name}\nstrides {cut.stride()}"
            colour = INK if verdict == "right" else WRONG
            axes.text(start, top + 0.4, says, color=colour, weight="bold", fontsize=9.5)
            for h in range(n_head):
                rows = [_address(cut, x, h, t) for t in range(T)]
                _page(axes, cut[h], start + h * page + label, top, rows, C, D, tints, words)
                axes.text(start + h * page + label, top + 0.1, f"head {h}", fontsize=9)
                off += [(h, t, at // C) for t, at in enumerate(rows) if at // C != t]
    h, t, source = max(off, key=lambda found: found[2] - found[1], default=(0, 0, 0))
    return picture(
        figure,
        f"The memory holds {T * C} numbers, {C} for each of {T} words, and each word's "
        f"numbers are split among {n_head} heads of {D} channels. If it is viewed as "
        f"({T}, {n_head}, {D}) and transposed, with "
        f"strides {heads.stride()}, each head has its {D} channels of every word. If it is viewed "
        f"as ({n_head}, {T}, {D}) at once, with strides {straight.stride()}, it is cut between "
        f"words, so {len(off)} of the {n_head * T} rows belong to a different word. Row {t} of "
        f"head {h}, which should belong to '{words[t]}', holds numbers of '{words[source]}', "
        f"whose position is {abs(source - t)} {'later' if source >= t else 'earlier'}.",
    )


def views_figure(
    right: Tensor, wrong: Tensor, words: Sequence[str], n_head: int, row: int, width: int
) -> Picture:
    """Draw which words are in each output (T, T), with the right cut into heads and with the wrong one."""
    figure, axes = canvas(3.9, 2, layout=None)
    cuts = {"right: a view, then a transpose": right, "wrong: only a view": wrong}
    for n, (ax, (name, shares)) in enumerate(zip(axes, cuts.items(), strict=True)):
        place(ax, 0.95 + 3.5 * n, 0.55, 3.0, 3.0)
        names = words if n == 0 else [""] * len(words)
        heat_map(ax, shares, title=name, rows=names, columns=words, column_axis="whose numbers", causal=True)
    with mpl.rc_context(STYLE):
        axes[0].set_ylabel("output")
    return picture(figure, views_sentence(right, wrong, words, n_head, row, width))


def views_sentence(
    right: Tensor, wrong: Tensor, words: Sequence[str], n_head: int, row: int, width: int
) -> str:
    """Say which words are in one output, and how many later words leak, in the same words as heads.js."""
    heard = [shares[row].nonzero()[:, 0].tolist() for shares in (right, wrong)]
    told = [
        ", ".join(f"'{words[s]}' {float(shares[row, s]):.4f}" for s in those)
        for shares, those in zip((right, wrong), heard, strict=True)
    ]
    T, leaks = len(words), [int(shares.triu(1).count_nonzero()) for shares in (right, wrong)]
    return (
        f"{width} channels are cut into {n_head} {'head' if n_head == 1 else 'heads'} of "
        f"{width // n_head}. With the right view, the output of '{words[row]}' is mixed from "
        f"{told[0]}; with the wrong one, from {told[1]}, {sum(s > row for s in heard[1])} of them "
        f"later. Of the {T * (T - 1) // 2} pairs of an output and a later word, {leaks[0]} leak "
        f"with the right view and {leaks[1]} with the wrong one."
    )


def head_tints(n_head: int) -> list[tuple[float, ...]]:
    """A grey for each head, from light to dark; not a colour, because heads aren't an axis of the input."""
    return [tint(INK, 0.08 + 0.27 * h / max(n_head - 1, 1)) for h in range(n_head)]


def _address(cut: Tensor, x: Tensor, head: int, row: int) -> int:
    """The address at which a row of a head begins, counted from the first number of x."""
    return cut[head, row].storage_offset() - x.storage_offset()


def _ribbon(axes, x: Tensor, left: float, floor: float, words, D: int, tints) -> None:
    T, C = x.shape
    for n, value in enumerate(x.flatten().tolist()):
        face = tints[n % C // D]
        corner = left + n * CELL, floor
        axes.add_patch(Rectangle(corner, CELL, ROW, facecolor=face, ec=PAPER, lw=1))
        _number(axes, corner[0] + CELL / 2, floor + ROW / 2, f"{value:g}")
    for t, word in enumerate(words):
        start, end = left + t * C * CELL + 0.03, left + (t + 1) * C * CELL - 0.03
        axes.plot([start, end], [floor + ROW + 0.08] * 2, color=TIME, linewidth=2)
        axes.text((start + end) / 2, floor + ROW + 0.16, word, ha="center", fontsize=9.5)
    half = left + x.numel() * CELL / 2  # where the wrong view cuts for two heads
    if len(tints) == 2:
        axes.plot([half, half], [floor - 0.14, floor + ROW + 0.07], color=WRONG, linewidth=2)
        axes.text(
            half + 0.06, floor - 0.16, "the wrong view cuts here", color=WRONG, fontsize=SMALL
        )


def _page(axes, page: Tensor, left: float, top: float, rows, C: int, D: int, tints, words) -> None:
    """Draw one head: a row of D numbers for each position, with the word that the row was cut from."""
    for t, (address, values) in enumerate(zip(rows, page.tolist(), strict=True)):
        word, face = address // C, tints[address % C // D]
        y = top - (t + 1) * ROW
        for d, value in enumerate(values):
            corner = left + d * CELL, y
            axes.add_patch(Rectangle(corner, CELL, ROW, facecolor=face, ec=PAPER, lw=1))
            _number(axes, corner[0] + CELL / 2, y + ROW / 2, f"{value:g}")
        axes.text(left - 0.07, y + ROW / 2, words[word], ha="right", va="center", fontsize=SMALL,
                  color=INK if word == t else WRONG,
                  weight="normal" if word == t else "bold")  # fmt: skip


def _number(axes, x: float, y: float, text: str) -> None:
    axes.text(x, y, text, ha="center", va="center", fontsize=SMALL)


def merge_figure(heads: Tensor, w_out: Tensor) -> Picture:
    """Draw the heads' outputs (H, T, D) put side by side and mixed by W_O (C, C), with all shapes."""
    (H, T, D), C = heads.shape, len(w_out)
    if H * D != C or w_out.shape != (C, C):
        raise ValueError(
            f"heads, w_out: expected (H, T, D) and (H D, H D), got {tuple(heads.shape)} and {tuple(w_out.shape)}"
        )
    cell, tints = 0.125, head_tints(H)
    by_head = [tints[c // D] for c in range(C)]  # the colour of a channel
    step, wide = T * cell + 0.27, C * cell
    top = 0.3 + H * step
    figure, (left, right) = sheet(top + 0.33, 2)
    headline(figure, "Each head keeps its slice, and W_O mixes the slices")
    place(left, 0.05, 0.05, 3.45, top)
    place(right, 3.7, 0.05, 4.05, top)
    for axes, width in ((left, 3.45), (right, 4.05)):
        axes.set(xlim=(0, width), ylim=(0, top))
    middle = top / 2
    with mpl.rc_context(STYLE):
        for h in range(H):
            y = top - (h + 1) * step
            _grid(left, 0.05, y, cell, [[tints[h]] * D] * T)
            left.text(0.05, y + T * cell + 0.06, f"head {h}", fontsize=FAR)
            _arrow(left, (D * cell + 0.15, y + T * cell / 2), (3.3 - wide - 0.1, middle))
        left.text(0.05, 0.1, f"({H}, {T}, {D})", fontsize=FAR, weight="bold")
        _named(left, 3.3 - wide, middle, cell, [by_head] * T, f"concat ({T}, {C})")
        right.text(0.1, middle, "@", ha="center", va="center", fontsize=13)
        _named(right, 0.25, middle, cell, [[colour] * C for colour in by_head], f"W_O ({C}, {C})")
        right.text(0.42 + wide, middle, "=", ha="center", va="center", fontsize=13)
        _named(right, 0.6 + wide, middle, cell, [[tint(INK, 0.16)] * C] * T, f"out ({T}, {C})")
    return picture(
        figure,
        f"{H} heads give {D} numbers for each of {T} positions, ({H}, {T}, {D}). Put side by side, they are "
        f"({T}, {C}), {D} columns for each head. The output projection W_O, ({C}, {C}), has {D} rows for each "
        f"head. The output is ({T}, {C}), and each of its numbers is a sum of {C} products, {D} for each head.",
    )


def stack_figure(x: Tensor, w_qkv: Tensor, n_head: int) -> Picture:
    """Draw the stacked weights of all heads' queries, keys and values, and their one product with x.

    x is (T, C). w_qkv is (3 H D, C): first the queries of all heads, then their keys, then their values.
    """
    (T, C), rows = x.shape, len(w_qkv)
    if rows % (3 * n_head) or w_qkv.shape[1] != C:
        raise ValueError(
            f"w_qkv: expected (3 H D, {C}) for H = {n_head} heads, got {tuple(w_qkv.shape)}"
        )
    D, cell = rows // (3 * n_head), 1.92 / rows
    roles = {"query": QUERY, "key": KEY, "value": VALUE}
    blocks = [(f"{role}, head {h}", tint(colour, 0.35 + 0.35 * (h % 2)))
              for role, colour in roles.items() for h in range(n_head)]  # fmt: skip
    by_row = [colour for _, colour in blocks for _ in range(D)]
    top = rows * cell + 0.55
    figure, (left, right) = sheet(top + 0.45, 2)
    headline(figure, f"{len(blocks)} weights below each other need only one product")
    place(left, 0.05, 0.05, 2.2, top)
    place(right, 2.5, 0.05, 5.25, top)
    for axes, width in ((left, 2.2), (right, 5.25)):
        axes.set(xlim=(0, width), ylim=(0, top))
    middle, wide = 0.35 + rows * cell / 2, rows * cell
    with mpl.rc_context(STYLE):
        for n, (name, _) in enumerate(blocks):
            y = 0.35 + rows * cell - (n + 0.5) * D * cell
            left.text(1.5, y, name, ha="right", va="center", fontsize=FAR)
        _named(left, 1.6, middle, cell, [[colour] * C for colour in by_row], f"({rows}, {C})")
        _named(right, 0.1, middle, cell, [[tint(INK, 0.16)] * C] * T, f"x ({T}, {C})")
        at = 0.1 + C * cell
        right.text(at + 0.2, middle, "@", ha="center", va="center", fontsize=13)
        _named(right, at + 0.4, middle, cell, [by_row] * C, f"stack.T ({C}, {rows})")
        right.text(at + 0.6 + wide, middle, "=", ha="center", va="center", fontsize=13)
        _named(right, at + 0.8 + wide, middle, cell, [by_row] * T, f"q, k, v ({T}, {rows})")
        for n, (role, colour) in enumerate(roles.items()):
            x_at = at + 0.8 + wide + (n + 0.5) * wide / 3
            right.text(x_at, middle + T * cell / 2 + 0.08, role[0], ha="center", fontsize=FAR,
                       weight="bold", color=colour)  # fmt: skip
    return picture(
        figure,
        f"The weights of {n_head} heads, each ({D}, {C}), below each other: {'; '.join(name for name, _ in blocks)}. "
        f"The stack is ({rows}, {C}). One product, x of ({T}, {C}) times its transpose, is ({T}, {rows}): the first "
        f"third of its columns are the queries of all heads, the second third their keys, and the last their values.",
    )


def _grid(axes: Axes, x: float, y: float, cell: float, colours: Sequence[Sequence]) -> None:
    """Draw cells without numbers, row by row, with their lower left corner at (x, y)."""
    for r, row in enumerate(reversed(colours)):
        for c, colour in enumerate(row):
            _cell(axes, x + c * cell, y + r * cell, cell, cell, colour)


def _named(axes: Axes, x: float, middle: float, cell: float, colours: Sequence, name: str) -> None:
    """Draw a grid that is centred at the height `middle`, with its name and shape below it."""
    y = middle - len(colours) * cell / 2
    _grid(axes, x, y, cell, colours)
    axes.text(x + len(colours[0]) * cell / 2, y - 0.25, name, ha="center", fontsize=FAR, weight="bold")


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": INK, "shrinkA": 0, "shrinkB": 0})
