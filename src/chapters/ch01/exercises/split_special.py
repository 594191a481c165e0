"""Cut text at every special token, keep each token as a part, and leave out empty parts."""

import re

from course.learn.draws import UNUSUAL
from course.learn.record import Exercise

TOKENS = [*"|$()#[0 \\\0\U0001f600", "<|end|>", "<|end|>", "[SEP]", "</s>", "a.c", "**", "\\n", "aa"]
TOKENS += ["abab", "?!", "^a", "{2}", "a+", "\u00e9\u00e9", "\n\n"]

def drawn(d):  # texts of the token, of pieces of it, of what its signs could mean, and others
    special = d.choice(TOKENS)
    near = [special[:-1], special[1:], special.swapcase(), *special, special * 2, *[special] * 6]
    pieces = [*near, *UNUSUAL, "abc", "a", "\n", " ", "\r\n", *"\0\1\2\x1f\ufffd\uffff,§@~", "e\u0301"]
    return "".join(d.choices(pieces, k=d.randint(d.n > 1, 4 + d.n // 3))), special

TEXTS = ["a<|end|>b", "a<|end|>", "the end > < <|end|><|end|>ends", "nothing", "\0a\0<|end|>\0b"]
INPUTS = [(text, "<|end|>") for text in [*TEXTS, " a <|end|> <|end|>b\n<|END|>"]] + [("aaa", "aa"), ("a|" * 30, "|")]
E = Exercise(__name__, INPUTS, draw=drawn, n_drawn=40)

@E.answer
def split_special(text, special):
    parts = re.split(f"({re.escape(special)})", text)
    return [part for part in parts if part]

SPLIT, PATTERN = 're.split(f"({re.escape(special)})", text)', 'f"({re.escape(special)})"'
KEPT = "\n    return [part for part in parts if part]"
GONE = """you lost the special tokens themselves. They have to stay in the list. `re.split` keeps
each match if the pattern is in round brackets."""
OR = """in a regular expression `|` means "or", so `<|end|>` matches `<` or `end` or `>`.
    `re.escape(special)` makes a pattern that matches the token literally."""
for end in KEPT, "\n    return parts":
    E.slip(SPLIT + KEPT, "text.split(special)" + end, GONE)
    E.slip(SPLIT + KEPT, 're.split(f"({special})", text)' + end, OR)
    E.slip(SPLIT + KEPT, "re.split(special, text)" + end, OR)
E.slip(" if part", "", """you keep empty parts. They appear if a special token is first, last or
    next to another one.""")
for any_of in 'f"([{special}])"', 'f"([{re.escape(special)}])"':
    E.slip(PATTERN, any_of, """in a regular expression, square brackets match a single one of the
        characters inside them. Match the complete token.""")
E.slip(SPLIT, "text.partition(special)", "you cut only at the first special token.")
E.slip(SPLIT, "text.rpartition(special)", "you cut only at the last special token.")
E.slip(PATTERN, 'f"((?:{re.escape(special)})+)"', """you joined special tokens
    that follow each other. Each of them has to be a separate part.""")
SPACE = """you removed white space. It belongs to the text, even if it is at the end of a part or a
    part by itself."""
E.slip("if part]", "if part.strip()]", SPACE)
E.slip(KEPT, "\n    return [part.strip() for part in parts if part.strip()]", SPACE)
E.slip(", text)", ", text, flags=re.I)", """you treat capital and small letters as equal, but
    `<|END|>` isn't the token `<|end|>`.""")
E.mistake(lambda text, special: [part for piece in text.split(special) for part in (piece, special)
    if part], """you put a special token after every part, even after the last one, where the
    text has none.""")
E.mistake(lambda text, special: [part for piece in text.split(special) if piece for part in (
    special, piece)][1:], """you lose tokens that are first, last or next to each other. Leave out
    the empty parts in the last step, when the tokens are in the list.""")

@E.law
def parts_give_the_text(parts, text, special):
    """joining the parts has to give back the text"""
    return "".join(parts) == text

@E.law
def no_part_is_empty(parts, text, special):
    """no part is allowed to be empty"""
    return all(parts)

E.hint("`re.split` cuts at a pattern. What does it do with the text that the pattern matches?")
E.hint("""If you put round brackets around the pattern, the matches stay in the list. But what does
    `|` mean in a pattern?""")
E.hint("""Use `re.split(f"({re.escape(special)})", text)`, then leave out the empty parts.""")
