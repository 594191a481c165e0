"""Encode text as in exercise 1, but give a character that isn't in vocab the id len(vocab)."""

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
E.slip(UNKNOWN, "ids[character]", """your dictionary raises a KeyError for a key that it doesn't
    have. `ids.get(character, default)` returns the default instead.""")
E.slip(UNKNOWN, "vocab.index(character)", """`list.index` raises a ValueError for a character that
    isn't in the list. Check `character in vocab` first, or use a dictionary's `get`.""")
E.slip("in text", "in text if character in ids", """you leave out unknown characters, so a reader
    can't see that something is missing. Give each of them the id `len(vocab)`.""")
E.slip("len(vocab)", "-1", """-1 isn't an id. As an index it picks the last row of a table, without an
    error. Use `len(vocab)`, the first unused number.""")
E.slip("len(vocab)", "0", """0 is already the id of the first character of `vocab`, so unknown
    characters would decode to that character. Use an unused number.""")
E.slip("len(vocab)", "len(vocab) - 1", """you give unknown characters the id of the
    last character of `vocab`. Use an unused number.""")
E.slip("len(vocab)", "len(vocab) + 1", "your new id skips one number: `len(vocab)` itself is still free.")
E.slip(UNKNOWN, "ids.setdefault(character, len(ids))", """you give each unknown character its own
    number. All of them have to share one, `len(vocab)`.""")
E.slip(", len(vocab))", ") or len(vocab)", """your function is right except for the first character
    of `vocab`. Its id is 0, and 0 counts as False, for example before an `or`.""")
E.slip("len(vocab)", "len(text)", "you give unknown characters the length of the text. Use the length of `vocab`.")
E.slip("for character in text", "for n, character in enumerate(text) if {*text[:n]} <= {*vocab}",
    "you stop after the first unknown character. Encode all the characters after it as well.")
E.slip("    ids", "    vocab += [c for c in dict.fromkeys(text) if c not in vocab]\n    ids", """
    you add unknown characters to `vocab` itself, but the caller still needs the old `vocab`.""")

E.law(one_id_per_character)

@E.law
def unknown_is_len_vocab(ids, text, vocab):
    """every unknown character has to have the id len(vocab)"""
    return all(i == len(vocab) for i, c in zip(ids, text, strict=True) if c not in vocab)

E.hint("Which numbers do the known characters use? What is the first number that they don't use?")
E.hint("A dictionary's `get` takes a second argument, which it returns for keys that it doesn't have.")
E.hint("`ids.get(character, len(vocab))` is the id of a character, known or not.")
