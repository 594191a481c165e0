"""Return the list of places in vocab of the characters of text."""

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


E.slip("ids[character] for", "ord(character) for", """these are the characters' numbers in Unicode.
    An id is the place of the character in `vocab`, counted from 0.""")
E.slip("ids[character] for", "ids[character] + 1 for", """every id is one too large: the first
    entry of `vocab` has the id 0.""")
E.slip("(vocab)", "(sorted(set(text)))", """you built a new vocabulary from this one text, so the
    same letter gets other ids in another text. Use the `vocab` that came in.""")
E.slip("in text", "in sorted(set(text))", """each character comes once and in alphabetical order:
    go through `text` itself, in its own order.""")
E.slip("(vocab)", "(sorted(vocab))", "these are places in the sorted `vocab`. Don't sort it.")
E.slip("in text", "in dict.fromkeys(text)", "a character that comes again needs its id again.")
E.slip("ids[character] for", "text.index(character) for", "these are places in the text.")
E.slip("character: i for", "i: character for", """the characters are not found: does your
    dictionary lead from characters to places, or from places to characters?""")
for whole in "vocab.index(text)", "ids[text]":
    E.slip("ids[character] for character in text", whole, "the text as a whole isn't in `vocab`.")
E.slip("[ids[character] for character in text]", "[i for i, c in enumerate(vocab) if c in text]",
    "your ids come in the order of `vocab`, each once. They have to follow the text.")

@E.law
def one_id_per_character(ids, text, vocab):
    """there has to be one id per character"""
    return len(ids) == len(text)

@E.law
def ids_give_the_text(ids, text, vocab):
    """looking the ids up in vocab has to give the text back"""
    return "".join(vocab[i] for i in ids) == text

E.hint("For one character the id is its place in `vocab`. What does Python offer for that?")
E.hint("""A dictionary from character to place is built once with `enumerate(vocab)` and is fast to
    look things up in.""")
E.hint("`ids = {character: i for i, character in enumerate(vocab)}`, then a list over the text.")
