"""Return the list of the ids of text's characters, which are their indices in vocab."""

from course.learn.draws import UNUSUAL, WORDY
from course.learn.record import Exercise

LETTERS = sorted({*WORDY, *UNUSUAL, *"EzZ019_?~^]\ufffd\t\n\r\u0130\u0131e\u0301"})
INPUTS = [("a", ["a", "b"]), ("ba", ["a", "b", "c"]), ("ba\nll", list("\nabcl")), ("", ["a"])]
INPUTS += [("Aa aA", ["a", " ", "A"]), ("e\u0301\u00e9", ["\u0301", "\u00e9", "e"])]
E = Exercise(__name__, INPUTS, draw=lambda d: (
    d.text(d.randrange(2 * d.most), vocab := d.sample(LETTERS, d.size(least=2))), vocab))

@E.answer
def encode(text, vocab):
    ids = {character: i for i, character in enumerate(vocab)}
    return [ids[character] for character in text]

E.slip("ids[character] for", "ord(character) for", """you return the characters' numbers in Unicode.
    An id is the index of the character in `vocab`, counted from 0.""")
E.slip("ids[character] for", "ids[character] + 1 for", """each of your ids is one too large. The first
    entry of `vocab` has the id 0.""")
E.slip("(vocab)", "(sorted(set(text)))", """you built a new vocabulary from this one text, so the
    same letter can have a different id in another text. Use the argument `vocab`.""")
E.slip("in text", "in sorted(set(text))", """you return each id once, in alphabetical order of the
    characters. Go through `text` itself, in its own order.""")
E.slip("(vocab)", "(sorted(vocab))", "you return indices in the sorted `vocab`. Don't sort it.")
E.slip("in text", "in dict.fromkeys(text)", "you return each id only once. A character that occurs again needs its id again.")
E.slip("ids[character] for", "text.index(character) for", "you return indices in `text`. An id is an index in `vocab`.")
E.slip("character: i for", "i: character for", """your dictionary doesn't find the characters. Are
    they its keys, or its values?""")
for whole in "vocab.index(text)", "ids[text]":
    E.slip("ids[character] for character in text", whole, "you look up all of `text` at once. Look up one character after another.")
E.slip("[ids[character] for character in text]", "[i for i, c in enumerate(vocab) if c in text]",
    "you return each id only once, in the order of `vocab`. The ids have to follow the text.")

@E.law
def one_id_per_character(ids, text, vocab):
    """there has to be one id for each character"""
    return len(ids) == len(text)

@E.law
def ids_give_the_text(ids, text, vocab):
    """looking up the ids in vocab has to give back the text"""
    return "".join(vocab[i] for i in ids) == text

E.hint("The id of a character is its index in `vocab`. How do you look that up in Python?")
E.hint("""Build a dictionary from characters to indices once, with `enumerate(vocab)`. Looking up a
    character in it is fast.""")
E.hint("""Write `ids = {character: i for i, character in enumerate(vocab)}`, then look up each
    character of `text` in it.""")
