"""Links that lead out of the course: each is in links.txt, and no test asks the network."""

import re
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from course.notebooks import chapters, read
from tests.conftest import ROOT

LINES = Path(__file__).with_name("links.txt").read_text(encoding="utf-8").splitlines()
LISTED = [line.split("\t") for line in LINES if not line.startswith("#")]
WORKS = {address: work for address, work, _ in LISTED}
LINK = re.compile(r"\[([^]]+)\]\((\w+:[^)\s]+)\)")
READ_ON = re.compile(r"(?:Deeper: |\*\*)[Rr]ead on(?:\*\*)?\n\n(.*)", re.DOTALL)
FORMS = {
    "arxiv.org": r"/abs/\d{4}\.\d{4,5}",
    "doi.org": r"/10\.\d{4}/\S+",
    "www.youtube.com": r"/watch\?v=[\w-]{11}",
    "github.com": r"/[\w.-]+/[\w.-]+(/blob/\S+|/(issues|pull)/\d+)?",
}


def texts() -> dict[str, str]:
    """All Markdown of the course, by where it stands."""
    files = [ROOT / "notebooks" / "index.md", *ROOT.glob("src/chapters/*/quiz.md")]
    found = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files}
    for path in chapters(ROOT):
        for cell in read(path).cells:
            notes = cell.metadata.get("course", {}).get("notes", "")
            text = cell.source if cell.cell_type == "markdown" else ""
            found[f"{path.stem}, cell {cell.id}"] = f"{text}\n{notes}"
    return found


TEXTS = texts()


def test_what_leads_out_is_listed_and_what_is_listed_is_used():
    used = {address for text in TEXTS.values() for _, address in LINK.findall(text)}
    gone, new = set(WORKS) - used, used - set(WORKS)
    assert not new, f"add to tests/chapters/links.txt, with the work and the day: {new}"
    assert not gone, f"no page links to it: take out of tests/chapters/links.txt: {gone}"


@pytest.mark.parametrize("line", LISTED, ids=lambda line: line[0])
def test_a_listed_address_is_well_formed(line):
    address, work, day = line
    parts = urlsplit(address)
    assert parts.scheme in ("http", "https") and re.fullmatch(r"[\w-]+(\.[\w-]+)+", parts.netloc)
    form = FORMS.get(parts.netloc, r"/\S+")
    assert re.fullmatch(form, parts.path + (parts.query and f"?{parts.query}")), "its usual form"
    assert work == work.strip() and re.fullmatch(r"20\d\d-[01]\d-[0-3]\d", day)


def test_the_list_is_sorted_and_names_nothing_twice():
    assert [line[0] for line in LISTED] == sorted(WORKS)
    assert max(Counter(WORKS.values()).values()) == 1


def test_every_work_to_read_on_has_a_link_to_this_work():
    found = {where: match[1] for where, text in TEXTS.items() if (match := READ_ON.search(text))}
    numbered = [path.stem for path in chapters(ROOT) if path.stem[:2].isdecimal()]
    lacks = [name for name in numbered if not any(where.startswith(name) for where in found)]
    assert not lacks, f"add a section `### Deeper: read on`, with a list of works, to {lacks}"
    for where, text in found.items():
        for line in re.findall(r"^- .*", text, re.MULTILINE):
            links = LINK.findall(line)
            assert links, f"{where}: no link in {line}"
            for says, address in links:
                bare = re.sub("[*`]", "", says).casefold()
                assert WORKS[address].casefold().startswith(bare), (
                    f"{where}: the link says {says!r}, but links.txt {WORKS[address]!r}"
                )
