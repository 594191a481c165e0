"""Return the text whose UTF-8 bytes are the ids; bytes that form no character become U+FFFD."""

from course.learn.draws import UNUSUAL, WORDY
from course.learn.record import Exercise

BROKEN = [b"\xf0\x9f\x98", b"\xe4\xb8", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80"]
BROKEN += [b"\xe0\x80\x80", b"\xf0\x80\x80\x80", b"\xf4\x90\x80\x80"] * 2
BROKEN += [b"\xc3\xc3", *(bytes([n]) for n in range(128, 256, 5))]
PIECES = [*WORDY, *UNUSUAL, *"\ufeff\0\ufffd?\u212b\t\x85", "\r\n", "e\u0301"]
TEXTS = [b"a", b"\xc3\xa9", "na\u00efve \U0001f600".encode(), b"\xf0\x9f", b"", b"a\xf0\x9fb\xff"]
TEXTS += ["\ufeffa\r\n".encode(), " e\u0301 ".encode()]
E = Exercise(__name__, [(list(text),) for text in TEXTS], n_drawn=36, draw=lambda d: (
    [*b"".join(d.choices([*map(str.encode, PIECES), *BROKEN * (d.n % 2)], k=1 + d.size()))],))

@E.answer
def bytes_to_text(ids):
    return bytes(ids).decode("utf-8", errors="replace")

ALL = 'bytes(ids).decode("utf-8", errors="replace")'
E.slip(ALL, '"".join(map(chr, ids))', """you made a character of every single byte. In UTF-8 \u00e9
    is two bytes, 195 and 169, and an emoji four: join the bytes first, then decode.""")
E.slip(ALL, '"".join(bytes([i]).decode(errors="replace") for i in ids)', """each byte is decoded on
    its own (or as ASCII, which knows no others), but half of a character is none. Decode all bytes
    together, as UTF-8.""")
E.slip(', errors="replace"', "", """right for whole characters, but half an emoji raises
    UnicodeDecodeError. A model may well generate one: see `errors="replace"`.""")
E.slip('"replace"', '"ignore"', """broken bytes vanish without a trace. They should show, as
    U+FFFD: `errors="replace"`.""")
E.slip(ALL, "bytes(ids)", "these are bytes still. `.decode()` makes text of them.")
E.slip(ALL, "str(bytes(ids))", """`str` of bytes gives their Python notation, with a b in front.
    Use `.decode()`.""")
E.slip("utf-8", "utf-8-sig", "a U+FEFF at the start is lost. It is a character like any other.")
LOST = 'try:\n        return bytes(ids).decode()\n    except ValueError:\n        return "\\ufffd"'
E.slip(f"return {ALL}", LOST, "one broken piece, and the whole text is lost. Lose only the piece.")
E.slip('ce")', 'ce").replace("\\ufffd", "?")', "who can tell this from a real question mark?")
NOTATION = "broken bytes come out in another notation, `\\xf0` or surrogates. The sign is U+FFFD."
E.slip('"replace"', '"backslashreplace"', NOTATION)
E.slip('"replace"', '"surrogateescape"', NOTATION)
E.slip('"replace")', '"replace").strip()', "white space at the ends has gone. It is text, too.")
E.slip(ALL, f'__import__("unicodedata").normalize("NFC", {ALL})', """an accent that stood on its
    own has melted into its letter. It is a character too, and has to stay.""")

E.hint("`bytes(ids)` turns a list of numbers into bytes. What turns bytes into text?")
E.hint("""`.decode()` does, all at once. What should happen when the bytes stop in the middle of a
    character?""")
E.hint('`bytes(ids).decode("utf-8", errors="replace")`.')
