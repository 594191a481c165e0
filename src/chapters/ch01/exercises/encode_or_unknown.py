"""As encode, but a character that is not in vocab gets the id len(vocab)."""

from chapters.ch01.exercises.encode import LETTERS, one_id_per_character
from course.learn.record import Exercise

INPUTS = [("?", ["a", "b"]), ("a??b", ["a", "b"]), ("caf\u00e9", list("acf")), ("", list("ab")), ("ab", [])]
INPUTS += [("ab", list("ab")), ("?b!a?", ["b", "a"]), ("aAbBe\u0301", list("eaB"))]
E = Exercise(__name__, INPUTS, draw=lambda d: (  # three letters are unknown
    d.text(d.randrange(2 * d.most), some := d.sample(LETTERS, d.size(least=2) + 3)), some[3:]))

@E.answer
def encode_or_unknown(text, vocab):
    ids = {character: i for i, character in enumerate(vocab)}
    return [ids.get(character, len(vocab)) for character in text]

UNKNOWN = "ids.get(character, len(vocab))"
E.slip(UNKNOWN, "ids[character]", """a dictionary raises KeyError for a key it doesn't have.
    `ids.get(character, default)` returns the default instead.""")
E.slip(UNKNOWN, "vocab.index(character)", """`list.index` raises ValueError for what isn't in the
    list. Ask first, or use a dictionary's `get`.""")
E.slip("in text", "in text if character in ids", """you leave unknown characters out, so the reader
    can't tell that something is missing. Each of them has to become the id `len(vocab)`.""")
E.slip("len(vocab)", "-1", """-1 is no id: in a table it would silently pick the last row. Use
    `len(vocab)`, the first number that is free.""")
E.slip("len(vocab)", "0", """0 already belongs to the first character of `vocab`: decoding would
    put that character there. Use a number that is free.""")
E.slip("len(vocab)", "len(vocab) - 1", "the last character of `vocab` has this id already.")
E.slip("len(vocab)", "len(vocab) + 1", "one number is left out: `len(vocab)` itself is free.")
E.slip(UNKNOWN, "ids.setdefault(character, len(ids))", """each unknown character gets a number of
    its own. All of them share one, `len(vocab)`.""")
E.slip(", len(vocab))", ") or len(vocab)", """right, except for the first character of `vocab`: its id
    is 0, and 0 counts as False, for instance before an `or`.""")
E.slip("len(vocab)", "len(text)", "the unknown ones get the length of the text, not of `vocab`.")
E.slip("for character in text", "for n, character in enumerate(text) if {*text[:n]} <= {*vocab}",
    "you stop at the first unknown character. It gets its id, and what comes behind it, too.")
E.slip("    ids", "    vocab += [c for c in dict.fromkeys(text) if c not in vocab]\n    ids", """
    you add unknown characters to `vocab`, which changed. Whoever passed it still needs it.""")

E.law(one_id_per_character)

@E.law
def unknown_is_len_vocab(ids, text, vocab):
    """every unknown character has to get the id len(vocab)"""
    return all(i == len(vocab) for i, c in zip(ids, text, strict=True) if c not in vocab)

E.hint("Which numbers do the known characters use? Which is the first one left over?")
E.hint("A dictionary's `get` takes a second argument for keys that aren't there.")
E.hint("`ids.get(character, len(vocab))`.")
