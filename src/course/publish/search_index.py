"""Keep folded hints, solutions and answers out of what the book's search shows.

mdBook stores the complete text of each section, and shows a part of it for each result.
"""

import html
import json
import re
from pathlib import Path

from course.errors import CourseError

HEADING = re.compile(r'<h[1-3]\b[^>]*\bid="([^"]*)"[^>]*>.*?</h[1-3]>', re.DOTALL)
UNREAD = re.compile(r"<(script|style|svg)\b.*?</\1>", re.DOTALL)
CLOSED = re.compile(r"(<details><summary>.*?</summary>).*?</details>", re.DOTALL)


def hide_closed(site: Path) -> None:
    """Remove the folded parts of exercises and quizzes. Raises CourseError if the index can't be read."""
    try:
        [path] = site.glob("searchindex-*.js")
        text = path.read_text(encoding="utf-8")
        before, stored, after = re.fullmatch(
            r"(.*JSON\.parse\(')(.*)('\).*)", text, re.DOTALL
        ).groups()
        data = json.loads(re.sub(r"\\([\\'])", r"\1", stored))
        urls, docs = data["doc_urls"], data["index"]["documentStore"]["docs"]
    except (ValueError, AttributeError, KeyError) as error:
        raise CourseError(
            f"expected mdBook's search index in {site.name}, but: {error!r}: install the pinned "
            "mdBook with `python install.py --book`"
        ) from None
    open_texts = {name: sections(site / name) for name in {url.partition("#")[0] for url in urls}}
    for number, doc in docs.items():
        name, _, heading = urls[int(number)].partition("#")
        doc["body"] = open_texts[name].get(heading, "")
    stored = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    stored = re.sub(r"([\\'])", r"\\\1", stored)
    path.write_text(before + stored + after, encoding="utf-8")


def sections(page: Path) -> dict[str, str]:
    """Return the text below each heading of a page by the heading's id; "" is the text before the first."""
    main = page.read_text(encoding="utf-8").partition("<main>")[2].partition("</main>")[0]
    parts = ["", *HEADING.split(main)]
    return dict(zip(parts[::2], map(open_text, parts[1::2]), strict=True))


def open_text(markup: str) -> str:
    """Return the text of HTML without folded parts, with a space for each tag, as mdBook has it.

    >>> open_text("<b>Try</b> f(x)<details><summary>Hint 1</summary>Look.</details> &lt; 3")
    'Try f(x) Hint 1 < 3'
    """
    text = CLOSED.sub(r"\1", UNREAD.sub(" ", markup))
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())
