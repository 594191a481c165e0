"""What a search shows: the words of a page as they are written; mdBook puts a space at every tag.

Only what is shown changes, not what is found. A search marks the words that begin after a space, so
where mdBook has a space and the page has none, before `tril` in `torch.tril(x)`, the space gets a sign
before it that book.js knows, and takes out together with the space.
"""

import html
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

from course.errors import CourseError

HEADING = re.compile(r'<h[1-3]\b[^>]*\bid="([^"]*)"[^>]*>.*?</h[1-3]>', re.DOTALL)
UNREAD = re.compile(r"<(script|style|svg)\b.*?</\1>", re.DOTALL)
CLOSED = re.compile(
    r"<details><summary>(.*?)</summary>.*?</details>", re.DOTALL
)  # of exercise, quiz
MATH = re.compile(r"<math\b.*?</math>", re.DOTALL)
INLINE = re.compile(r"</?(?:a|abbr|b|code|em|i|kbd|mark|s|span|strong|sub|sup)\b[^>]*>")
SIGN = "\u200b"  # book.js knows it, and has no space after it
CUT = re.compile(rf"((?<=[^\s{SIGN}]){SIGN}+(?=\w))|{SIGN}+")
SPACED = re.compile(r"\s*([=+−·×≈≤≥<>→∈])\s*")


def rewrite(site: Path) -> None:
    """Let the search index of a site show each section as it is written."""
    try:
        [path] = site.glob("searchindex-*.js")
        before, stored, after = re.fullmatch(
            r"(.*JSON\.parse\(')(.*)('\).*)", path.read_text(encoding="utf-8"), re.DOTALL
        ).groups()
        index = re.sub(r"\\([\\'])", r"\1", stored)
        urls, _, _ = _value(index, "doc_urls")
        docs, start, end = _value(index, "documentStore", "docs")
    except (ValueError, AttributeError) as error:
        raise CourseError(
            f"expected mdBook's search index in {site.name}, but: {error!r}: install the pinned "
            "mdBook with `python install.py`"
        ) from None
    written = {name: sections(site / name) for name in {url.partition("#")[0] for url in urls}}
    for number, doc in docs.items():
        name, _, heading = urls[int(number)].partition("#")
        doc["body"] = written[name].get(heading, "")
    text = json.dumps(docs, ensure_ascii=False, separators=(",", ":"))
    text = re.sub(r"([\\'])", r"\\\1", index[:start] + text + index[end:])
    path.write_text(before + text + after, encoding="utf-8")


def _value(text: str, *keys: str) -> tuple[Any, int, int]:
    """What JSON has for the last of the keys, each behind the one before, and where it stands."""
    start = 0
    for key in keys:
        start = text.index(f'"{key}":', start) + len(f'"{key}":')
    value, end = json.JSONDecoder().raw_decode(text, start)
    return value, start, end


def sections(page: Path) -> dict[str, str]:
    """The text below each heading of a page, by the heading's id; "" is what stands before all."""
    main = page.read_text(encoding="utf-8").partition("<main>")[2].partition("</main>")[0]
    parts = ["", *HEADING.split(main)]
    return dict(zip(parts[::2], map(written, parts[1::2]), strict=True))


def written(markup: str) -> str:
    r"""The text of HTML, cut where a tag is followed by a letter. What is closed stays closed.

    >>> written("<p>Is <code>f<b>(</b>x)</code> = <math><msup><mi>x</mi><mn>2</mn></msup></math>?</p>")
    'Is f(\u200b x) = x^2?'
    """
    text = CLOSED.sub(r" \1 ", UNREAD.sub(" ", markup))
    text = MATH.sub(lambda found: html.escape(linear(ElementTree.fromstring(found[0]))), text)
    text = re.sub(r"<[^>]*>", " ", INLINE.sub(SIGN, text))
    text = " ".join(html.unescape(text).split())
    return CUT.sub(lambda found: f"{SIGN} " if found[1] else "", text)


def linear(formula: ElementTree.Element) -> str:
    """A formula on one line.

    >>> linear(ElementTree.fromstring("<mfrac><mn>1</mn><msqrt><mi>d</mi></msqrt></mfrac>"))
    '1 / √d'
    """
    kind = formula.tag.rpartition("}")[2]
    parts = [linear(part) for part in formula]
    first, *more = [*parts, ""] if len(parts) < 2 else [parts[0], *map(_grouped, parts[1:])]
    if kind == "mfrac":
        return " / ".join(f"({part})" if " " in part else part for part in parts)
    if kind in ("msub", "munder"):
        return f"{first}_{more[0]}" + " " * (first in "∑∏")
    if kind in ("msup", "mover"):
        return f"{first}^{more[0]}"
    if kind in ("msubsup", "munderover"):
        return f"{first}_{more[0]}^{more[1]}" + " " * (first in "∑∏")
    if kind == "msqrt":
        return "√" + _grouped("".join(parts))
    if kind in ("mtr", "mtable"):
        return (", " if kind == "mtr" else "; ").join(parts)
    return SPACED.sub(r" \1 ", (formula.text or "") + "".join(parts))


def _grouped(text: str) -> str:
    return text if len(text) == 1 or text.isalnum() else f"({text})"
