"""You are here: the overview picture for a page or a talk, with its chapter's part lit and its shapes."""

import re
from collections.abc import Iterable
from html import escape, unescape
from pathlib import PurePosixPath

from course import content

PART = r'<a data-chapter="{}"(.*?)</a>'


def here(path: str, listed: Iterable[str]) -> str:
    """Return the overview picture for a page or a talk, or "" if its chapter has no part in it.

    A click on a part opens its chapter. The keyboard has the sidebar; a screen reader names the lit part.
    """
    number, whole = PurePosixPath(path).name[:2], content.whole()
    part = re.search(PART.format(number), whole)
    if not part:
        return ""
    label = escape(unescape(re.sub("<.*?>|^.*?>", "", part[1])))
    shape = re.search('data-shape="(.*?)"', part[1])
    pages = {PurePosixPath(each).name[:2]: each for each in listed}

    def linked(found: re.Match[str]) -> str:
        address = f' href="{escape(pages[found[1]])}" tabindex="-1"' if found[1] in pages else ""
        return f"<a{address}{' data-here' if found[1] == number else ''}"

    drawn = re.sub(r'<a data-chapter="(\w+)"', linked, whole)
    return (
        f'<div class="course-here"><span role="img" aria-label="You are here: {label}"></span>'
        f'<div aria-hidden="true">{drawn}</div>'
        f"{f'<p>{shape[1]}</p>' if shape else ''}</div>"
    )
