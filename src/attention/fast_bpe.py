"""Byte pair encoding as `bpe` defines it, quickly: n log n where the definition takes n squared.

The ids form a linked list, so that a merge touches only the neighbours of what it merges, and a heap
gives the next pair. An entry of the heap may be out of date when its turn comes.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from attention.bpe import Pair, tie_order

GONE = -1  # in place of an id that was merged into the one before, and between two pieces


def learn_merges(pieces: Mapping[bytes, int], n_merges: int) -> list[Pair]:
    """What `bpe.learn_merges` gives: the pairs to merge, most frequent first.

    >>> learn_merges({b"aaabdaaabac": 1}, 3)
    [(97, 97), (97, 98), (256, 257)]
    """
    ids, times = [GONE], [0]  # all pieces one after the other, and how often each of them occurs
    for piece, n in pieces.items():
        ids += [*piece, GONE]
        times += [n] * (len(piece) + 1)
    before, after = list(range(-1, len(ids) - 1)), list(range(1, len(ids) + 1))
    counts: Counter[Pair] = Counter()
    positions: defaultdict[Pair, list[int]] = defaultdict(list)  # where a pair is, or was
    for i, pair in enumerate(pairwise(ids)):
        if GONE not in pair:
            counts[pair] += times[i]
            positions[pair].append(i)

    def entry(pair: Pair) -> tuple:  # the heap gives the smallest first
        return -counts[pair], *tie_order(pair), pair

    heap = [entry(pair) for pair in counts]
    heapify(heap)
    merges: list[Pair] = []
    while heap and len(merges) < n_merges:
        count, *_, pair = heappop(heap)
        if -count != counts[pair]:  # out of date: later merges took some of its occurrences
            if counts[pair]:
                heappush(heap, entry(pair))
            continue
        new_id = 256 + len(merges)
        merges.append(pair)
        born = set()
        for i in sorted(positions.pop(pair)):  # from left to right
            h, j = before[i], after[i]
            if (ids[i], ids[j]) != pair:
                continue
            k = after[j]
            ids[i], ids[j] = new_id, GONE
            after[i], before[k] = k, i
            for old, new, position in (
                ((ids[h], pair[0]), (ids[h], new_id), h),
                ((pair[1], ids[k]), (new_id, ids[k]), i),
            ):
                if GONE not in new:
                    counts[old] -= times[i]
                    counts[new] += times[i]
                    positions[new].append(position)
                    born.add(new)
        for new in born:
            if counts[new]:  # none is left where two merges met
                heappush(heap, entry(new))
    return merges


def apply_merges(ids: Sequence[int], new_ids: Mapping[Pair, int]) -> list[int]:
    """What `bpe.apply_merges` gives: the ids of one piece after all merges.

    >>> apply_merges(list(b"aaab"), {(97, 97): 256, (97, 98): 257, (256, 257): 258})
    [258]
    """
    ids, end = [*ids, GONE], len(ids)
    before, after = list(range(-1, end)), list(range(1, end + 2))
    heap = [(new_ids[pair], i) for i, pair in enumerate(pairwise(ids)) if pair in new_ids]
    heapify(heap)
    while heap:
        new_id, i = heappop(heap)
        j = after[i]
        if new_ids.get((ids[i], ids[j])) != new_id:  # out of date
            continue
        h, k = before[i], after[j]
        ids[i], ids[j] = new_id, GONE
        after[i], before[k] = k, i
        if (made := new_ids.get((new_id, ids[k]))) is not None:
            heappush(heap, (made, i))
        if h >= 0 and (made := new_ids.get((ids[h], new_id))) is not None:
            heappush(heap, (made, h))
    return [i for i in ids if i != GONE]
