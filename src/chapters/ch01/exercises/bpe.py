"""Return the ids of text after n_merges merges of the most frequent pair, with new ids from 256."""

from collections import Counter

from attention.bpe import count_pairs, learn_merges, split_pieces
from attention.bpe_tokenizer import BPETokenizer
from chapters.ch01.exercises.merge import merge
from course.learn.record import Exercise

ALPHABETS = ["ab", "abc", "aab ", "aAbB", "\u00e9e \u0301", "中二", "\n\r ab", "😀😁🌍👾", "a😀😁"]

def drawn(d):  # a text without ties: at each step one pair is more frequent than all others
    while True:
        text = d.text(d.randint(2, 6 + d.n), d.choice(ALPHABETS))
        text = text if d.n % 4 < 3 else text[: d.randint(1, 3)] * d.randint(2, 9)
        ids, n = list(text.encode()), 0
        while (best := [*count_pairs(ids).most_common(2), (0, 0), (0, 0)])[0][1] > best[1][1]:
            ids, n = merge(ids, best[0][0], 256 + n), n + 1
        if n > d.n % 4:
            return text, n + (len(ids) < 2) * d.randrange(3)

INPUTS = [("abab", 1), ("ab", 0), ("ab", 2), ("", 1), ("abABab", 1)]
INPUTS += [("abababaaaaa", 1), ("aaabdaaabac", 3)]
E = Exercise(__name__, INPUTS, draw=drawn, n_drawn=36)

@E.answer
def bpe(text, n_merges):
    ids = list(text.encode())
    for new_id in range(256, 256 + n_merges):
        counts = count_pairs(ids)
        if not counts:
            break
        pair = max(counts, key=counts.get)
        ids = merge(ids, pair, new_id)
    return ids

STOP, BEST = "        if not counts:\n            break\n", "max(counts, key=counts.get)"
LOOP = E.solution[E.solution.index("    for") : E.solution.index("    return")]
for old, new, hint in (
    ("max(counts", "min(counts", """you merge the rarest pair. Merging the most frequent one
        shortens the list most."""),
    (", new_id)", ", 256)", """you give every merge the id 256, so different pairs share one id.
        Give each merge the next number."""),
    ("(256, ", "(257, 1 + ", "your first new id is 257. The bytes are 0 to 255, so 256 is free."),
    ("256 + n", "257 + n", "you make one merge too many. There have to be n_merges merges."),
    (", key=counts.get", "", """you merge the largest pair, because `max` compares the pairs
        themselves. It has to compare their counts."""),
):
    E.slip(old, new, hint)  # and the same in a loop that doesn't stop when no pair is left
    E.slip(LOOP, LOOP.replace(STOP, "").replace(old, new), hint)
E.slip("count_pairs(ids)", "dict(count_pairs([*text.encode()]).most_common()[new_id - 256 :])", """
    you count the pairs only once, at the start. But each merge makes new pairs that contain the
    new id, so count again before each merge.""")
E.slip(BEST, "counts.most_common(1)[0]", """you return the bytes without any merge. Did
    you use `most_common(1)[0]`? It is a pair *and* its count.""")
E.slip(STOP, "", """your function works as long as there are pairs. When none is left, `max`
    raises an error. Stop before that.""")
E.slip("if not counts:", "if not counts or max(counts.values()) == 1:", """you stop when no pair
    occurs twice. The exercise asks you to go on until no pair is left at all.""")
E.slip("text.encode()", "text", "you start from characters. Start from the bytes, which are numbers: `list(text.encode())`.")
E.slip("list(text.encode())", "[*map(ord, text)]", """your ids are right for plain letters, but you
    start from the characters' numbers in Unicode. Start from the bytes: `text.encode()`.""")
E.slip(", new_id)", ", max(ids) + 1)", "you start new ids after the largest id. Start them at 256.")
E.slip("256 + n", "255 + n", "you make one merge too few. There have to be n_merges merges.")
E.mistake(lambda text, n_merges: BPETokenizer(learn_merges(
    Counter(p.encode() for p in split_pieces(text)), n_merges)).encode(text),
    "you cut the text into pieces first, as for a long text. Here, count the pairs of the whole text.")

@E.law
def all_are_whole(ids, text, n_merges):
    """all ids have to be whole numbers, as in `list(text.encode())`"""
    return all(type(i) is int for i in ids)

@E.law
def no_id_is_too_large(ids, text, n_merges):
    """all ids have to be smaller than 256 + n_merges"""
    return all(i < 256 + n_merges for i in ids)

@E.law
def each_merge_shortens(ids, text, n_merges):
    """each merge has to shorten the list, as long as there is a pair"""
    return len(ids) <= max(1, len(text.encode()) - n_merges)

E.hint("You repeat three steps: count the pairs, choose one, merge it. When do you have to stop?")
E.hint("""`list(text.encode())` gives the bytes, and `count_pairs(ids)` counts the pairs.
    `max(counts, key=counts.get)` is the most frequent pair.""")
E.hint("""Put the three steps into a loop `for new_id in range(256, 256 + n_merges):`, and use your
    own `merge` for the last step.""")
