"""Return the list in which every `pair` of neighbours became new_id, from left to right."""

from course.learn.record import Exercise


def drawn(d):  # few ids, so that pairs are frequent; written out, some are parts of others
    some = d.choice(([1, 2], [1, 2, 3], [1, 11, 2, 12, 21], [0, 7, 70], [256, 300], [1000, 5]))
    pair = tuple(d.choices(some, k=2))
    parts = [pair if d.random() < 0.4 else d.choices(some) for _ in range(d.size(least=d.n > 3))]
    new_id = d.choice([i for i in (9, 258, 4000, 0) if i not in some])
    return [int(str(i)) for part in parts for i in part], pair, new_id  # objects of their own


INPUTS = [([1, 2], (1, 2), 9), ([1, 2, 3], (1, 2), 9), ([1, 1, 1], (1, 1), 9)]
INPUTS += [([2, 1, 1, 2], (1, 2), 9), ([], (1, 2), 9), ([11, 2, 1, 21], (1, 2), 9)]
E = Exercise(__name__, INPUTS, draw=drawn, n_drawn=36)


@E.answer
def merge(ids, pair, new_id):
    merged = []
    i = 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == pair:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


IF = "if tuple(ids[i : i + 2]) == pair:"
E.slip("i += 2", "i += 1 + (tuple(ids[i + 1 : i + 3]) != pair)", """in 1, 1, 1 you use the middle 1
    twice. After a merge, go on behind both of its ids.""")
E.slip("i += 2", "i += 1", """the right half of each pair is still there: new_id stands for both
    ids, so skip two.""")
E.slip("merged.append(new_id)\n", "return ids[:i] + [new_id] + ids[i + 2 :]\n", """you stop after
    the first pair. Merge every one of them.""")
E.slip("i < len(ids)", "i < len(ids) - 1", """the last id gets lost when it isn't part of a pair:
    the loop ends one place early.""")
E.slip(IF, "if ids[i] == pair[0] and ids[i + 1] == pair[1]:", """right, until the last id is the
    first half of the pair: no `ids[i + 1]` stands behind it. Ask whether there is one, or compare
    a slice: `ids[i : i + 2]` is just shorter.""")
E.slip("tuple(ids[i : i + 2])", "ids[i : i + 2]", """nothing was merged. A list never equals a
    tuple: compare `tuple(ids[i : i + 2])` with `pair`.""")
E.slip(IF, "if sorted(ids[i : i + 2]) == sorted(pair):", """you also merge the pair the other way
    round. (1, 2) and (2, 1) are two pairs.""")
E.slip("    return merged", "    ids[:] = merged\n    return merged", """you changed the list that
    came in. Whoever passed it still needs it: build a new one.""")
E.slip(IF, "if len(ids[i:]) > 1 and ids[i] is pair[0] and ids[i + 1] is pair[1]:", """right for
    small ids: did you compare with `is`? It asks for the same object. Compare with `==`.""")
E.slip("            i += 1\n", "            merged += ids[i + 1 : i + 2]\n            i += 2\n",
    "you go by steps of two, and don't see a pair that begins in between.")
E.mistake(lambda ids, pair, new_id: merge(ids[::-1], pair[::-1], new_id)[::-1], """you merge from
    right to left: in 1, 1, 1 the first two belong together.""")
E.mistake(lambda ids, pair, new_id: [int(i) for i in " ".join(map(str, ids)).replace(
    " ".join(map(str, pair)), str(new_id)).split()], """right until one id ends or begins like
    another: written out, 11 ends in 1. Compare numbers, not their digits.""")
E.mistake(lambda ids, pair, new_id: [new_id if i in pair else i for i in ids], """every id of the
    pair was replaced, also where it stands alone.""")

@E.law
def no_pair_is_left(merged, ids, pair, new_id):
    """the pair mustn't stand in the result any more"""
    return pair not in zip(merged, merged[1:], strict=False)

@E.law
def written_back(merged, ids, pair, new_id):
    """writing the pair back for new_id has to give the ids again"""
    return [i for m in merged for i in (pair if m == new_id else (m,))] == ids

E.hint("Walk through the list with an index. What do you look at, and how far do you go on?")
E.hint("""If the pair starts at i, append new_id and go on at i + 2; else append ids[i] and go on
    at i + 1. Mind the last id.""")
E.hint("""`while i < len(ids):` and `if tuple(ids[i : i + 2]) == pair:`. A slice past the end is
    just shorter.""")
