"""Return a list in which every occurrence of `pair` in ids becomes new_id, from left to right."""

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
    twice. After a merge, go on after both of its ids.""")
E.slip("i += 2", "i += 1", """you kept the right half of each pair. new_id replaces both ids, so skip
    two.""")
E.slip("merged.append(new_id)\n", "return ids[:i] + [new_id] + ids[i + 2 :]\n", """you stop after
    the first pair. Merge all of its occurrences.""")
E.slip("i < len(ids)", "i < len(ids) - 1", """you lose the last id if it isn't part of a pair,
    because your loop ends one step early.""")
E.slip(IF, "if ids[i] == pair[0] and ids[i + 1] == pair[1]:", """your function fails if the last id
    is the first half of the pair, because `ids[i + 1]` doesn't exist then. Check that it does, or
    compare a slice: at the end, `ids[i : i + 2]` is shorter and raises no error.""")
E.slip("tuple(ids[i : i + 2])", "ids[i : i + 2]", """you didn't merge any pair, because a list never
    equals a tuple. Compare `tuple(ids[i : i + 2])` with `pair`.""")
E.slip(IF, "if sorted(ids[i : i + 2]) == sorted(pair):", """you also merge the reversed pair.
    (1, 2) and (2, 1) are different pairs.""")
E.slip("    return merged", "    ids[:] = merged\n    return merged", """you changed `ids` itself, but
    the caller still needs the old list. Build a new one.""")
E.slip(IF, "if len(ids[i:]) > 1 and ids[i] is pair[0] and ids[i + 1] is pair[1]:", """your
    function works only for small ids. Did you compare with `is`? `is` asks whether two names mean
    the same object. Compare with `==`.""")
E.slip("            i += 1\n", "            merged += ids[i + 1 : i + 2]\n            i += 2\n",
    "you always move on by two ids, so you miss a pair that begins in between.")
E.mistake(lambda ids, pair, new_id: merge(ids[::-1], pair[::-1], new_id)[::-1], """you merge from
    right to left. Go from left to right, so that in 1, 1, 1 the first two ids are merged.""")
E.mistake(lambda ids, pair, new_id: [int(i) for i in " ".join(map(str, ids)).replace(
    " ".join(map(str, pair)), str(new_id)).split()], """your function fails if one id begins or
    ends with the digits of another, as 11 ends in 1. Compare numbers, not their digits.""")
E.mistake(lambda ids, pair, new_id: [new_id if i in pair else i for i in ids], """you replaced each
    id of the pair separately. Replace the two ids only where the second follows the first.""")

@E.law
def no_pair_is_left(merged, ids, pair, new_id):
    """the pair mustn't occur in the result any more"""
    return pair not in zip(merged, merged[1:], strict=False)

@E.law
def written_back(merged, ids, pair, new_id):
    """replacing new_id with the pair has to give back the ids"""
    return [i for m in merged for i in (pair if m == new_id else (m,))] == ids

E.hint("Go through the list with an index. What do you look at, and how far do you move the index?")
E.hint("""If the pair starts at i, append new_id and go on at i + 2. Otherwise append ids[i] and go
    on at i + 1. What happens at the last id?""")
E.hint("""Use `while i < len(ids):` and `if tuple(ids[i : i + 2]) == pair:`. A slice that reaches
    past the end is shorter, and raises no error.""")
