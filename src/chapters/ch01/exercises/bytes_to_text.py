"""Return the text of the UTF-8 bytes in ids; bytes that don't form a character become U+FFFD."""

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
E.slip(ALL, '"".join(map(chr, ids))', """you turned every single byte into a character. In UTF-8
    \u00e9 takes two bytes, 195 and 169, and an emoji takes four. Join the bytes first, then decode.""")
E.slip(ALL, '"".join(bytes([i]).decode(errors="replace") for i in ids)', """you decoded each byte
    on its own (or all of them as ASCII), but a single byte of \u00e9 isn't a character. Decode all bytes
    together, as UTF-8.""")
E.slip(', errors="replace"', "", """your function is right for complete characters, but half an
    emoji raises a UnicodeDecodeError, and a model can generate such bytes. Look up
    `errors="replace"`.""")
E.slip('"replace"', '"ignore"', """you dropped the broken bytes. Show them as U+FFFD,
    with `errors="replace"`.""")
E.slip(ALL, "bytes(ids)", "you return bytes. `.decode()` turns them into text.")
E.slip(ALL, "str(bytes(ids))", """you return Python's notation for bytes, which begins with b,
    because you used `str`. Use `.decode()`.""")
E.slip("utf-8", "utf-8-sig", "you lost a U+FEFF at the start. It is a character like any other.")
LOST = 'try:\n        return bytes(ids).decode()\n    except ValueError:\n        return "\\ufffd"'
E.slip(f"return {ALL}", LOST, "one broken piece makes you lose the whole text. Replace only the broken piece.")
E.slip('ce")', 'ce").replace("\\ufffd", "?")', """you
    turn broken bytes into question marks, which look just like real question marks. Use U+FFFD.""")
NOTATION = """you write broken bytes as escapes, such as `\\xf0`, or as surrogates. Replace them
    with U+FFFD."""
E.slip('"replace"', '"backslashreplace"', NOTATION)
E.slip('"replace"', '"surrogateescape"', NOTATION)
E.slip('"replace")', '"replace").strip()', "you removed white space at the ends, but it is part of the text.")
E.slip(ALL, f'__import__("unicodedata").normalize("NFC", {ALL})', """you joined a separate accent
    with its letter. The accent is a separate character and has to stay separate.""")

E.hint("`bytes(ids)` turns a list of numbers into bytes. What turns bytes into text?")
E.hint("""`.decode()` turns bytes into text, all of them at once. What should happen if the bytes
    stop in the middle of a character?""")
E.hint('`bytes(ids).decode("utf-8", errors="replace")` is the text.')
