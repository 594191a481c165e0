"""What a page may show and link to: the same in book and decks, in Markdown, HTML and outputs."""

import pytest

from course.errors import CourseError
from course.publish import book
from course.publish.links import Site, rewrite
from course.publish.page import Page
from tests.pages import cell, notebook, shown

PNG = "iVBORw0KGgo="


def page(markdown="", output="", name="one.ipynb", **attachments):
    """A page of a Markdown cell and of a code cell that gave HTML."""
    told = cell(f"# One\n\n{markdown}") | {"id": "m", "attachments": attachments}
    ran = cell("1", "code", [shown(output)] if output else []) | {"id": "c"}
    return Page(name, notebook(told, ran))


@pytest.fixture
def made(tmp_path):
    """A function that makes a page of the book; the page `two.ipynb` is there too."""
    src = tmp_path / "notebooks"
    (src / "data").mkdir(parents=True)
    for name in ("a b.png", "data/words.csv", "draft.md", "two.ipynb", "elsewhere/secret.png"):
        file = (src if name != "elsewhere/secret.png" else tmp_path) / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("x")
    (src / "link.png").symlink_to(tmp_path / "elsewhere" / "secret.png")
    (src / "folder").symlink_to(tmp_path / "elsewhere")
    (src / "near.png").symlink_to("a b.png")
    pages = {"two.ipynb": page("## Why two?", name="two.ipynb")}

    def make(**content):
        site = Site(src, pages.get, pages, book._address)
        return book.markdown(page(**content), site), site

    return make


WRONG = (
    ("![x](https://a.b/c.png)", "c.png is loaded from elsewhere, .* must work offline"),
    ("<img src=http://a.b/c.png>", "c.png is loaded from elsewhere"),
    ("x <img alt='a > b'\nsrc = '//a.b/c.png'>", "//a.b/c.png is loaded from elsewhere"),
    ("<script src='https://a.b/c.js'></script>", "c.js is loaded from elsewhere"),
    ("<iframe src='HTTPS://a.b'></iframe>", "HTTPS://a.b is loaded from elsewhere"),
    ("<iframe srcdoc='<img src=http://a.b/c.png>'></iframe>", "c.png is loaded from elsewhere"),
    ("<link rel=stylesheet href=https://a.b/c.css>", "c.css is loaded from elsewhere"),
    ("<p style='background: URL( \"http://a.b/c.png\")'>", "c.png is loaded from elsewhere"),
    ("<style>\n@import 'http://a.b/c.css';</style>", "c.css is loaded from elsewhere"),
    ("<style>p { src: url(http://a.b/c.woff) }</style>", "c.woff is loaded from elsewhere"),
    ("<img srcset='near.png 1x, http://a.b/c.png 2x'>", "c.png is loaded from elsewhere"),
    ("<svg><image xlink:href='http://a.b/c.png'/></svg>", "c.png is loaded from elsewhere"),
    ("<object data=http://a.b/c.pdf></object>", "c.pdf is loaded from elsewhere"),
    ("<video poster=http://a.b/c.png></video>", "c.png is loaded from elsewhere"),
    ("<img src=''>", "the link to '' leads nowhere"),
    ("<img src=gone.png>", "'gone.png' leads nowhere: expected a page of SUMMARY.md or a file"),
    ("<img src=two.ipynb>", "'two.ipynb' leads nowhere"),
    ("![x](gone.png)", "'gone.png' leads nowhere"),
    ("[x](three.ipynb)", "'three.ipynb' leads nowhere"),
    ("<a href=three.ipynb>x</a>", "'three.ipynb' leads nowhere"),
    ("[x](draft.md)", "'draft.md' leads nowhere"),
    ("[x](data)", "'data' leads nowhere"),
    ("[x](/etc/passwd)", "'/etc/passwd' leads nowhere"),
    ("[x](../elsewhere/secret.png)", "'../elsewhere/secret.png' leads nowhere: it, or the file that"),
    ("![x](link.png)", "'link.png' leads nowhere: it, or the file that a symlink leads to, is outside"),
    ("[x](folder/secret.png)", "'folder/secret.png' leads nowhere: it, or the file that"),
    ("<table background=http://a.b/c.png>", "c.png is loaded from elsewhere"),
    ("[x](two.ipynb#no)", r"two.ipynb has no such heading; its headings: one, why-two"),
    ("<a href='#no'>x</a>", "one.ipynb has no such heading; its headings: one"),
    ("![x](attachment:gone.png)", r"'gone.png' was pasted, but is not among .* cell \(a.png\)"),
)  # fmt: skip


@pytest.mark.parametrize(("markup", "says"), WRONG, ids=[markup for markup, _ in WRONG])
def test_what_leads_nowhere_or_is_loaded_from_elsewhere_is_refused(made, markup, says):
    with pytest.raises(CourseError, match=f"(?s)one.ipynb, cell m: .*{says}"):
        made(markdown=markup, **{"a.png": {"image/png": PNG}})
    if markup.startswith("<"):
        with pytest.raises(CourseError, match=f"(?s)one.ipynb, cell c: .*{says}"):
            made(output=markup)


RIGHT = (
    ("![x](a%20b.png)", 'src="a%20b.png"'),
    ("<img src='a b.png'>", 'src="a%20b.png"'),
    ("<img srcset='near.png 1x, near.png 2x'>", "'near.png 1x, near"),
    ("<b style='background: url(near.png)'>", "url(near.png)"),
    ("[x](data/words.csv#row=3)", "data/words.csv#row=3"),
    ("[x](two.ipynb#Why-two%3F)", '"two.html#why-two"'),
    ("<a href=two.ipynb download>", 'href="two.html"'),
    ("[x](#one)", 'href="#one"'),
    ("<i id=Here></i> [x](#Here)", 'href="#Here"'),
    ("![x](attachment:a.png)", f"data:image/png;base64,{PNG}"),
)


@pytest.mark.parametrize(("markup", "made_of_it"), RIGHT, ids=[row[0] for row in RIGHT])
def test_what_is_published_has_its_address(made, markup, made_of_it):
    text, site = made(markdown=markup, **{"a.png": {"image/png": ["iVBORw", "0KGgo="]}})
    assert made_of_it in text
    named = {"a b.png", "near.png", "data/words.csv"}
    assert site.files == {file for file in named if file.replace(" ", "%20") in text}


@pytest.mark.parametrize(
    "markup",
    (
        "<a href='https://a.b/c'>x</a> <a href=mailto:a@b.c>y</a> <form action=https://a.b></form>"
        "<svg><a xlink:href='https://a.b'/></svg><map><area href='https://a.b'></map>",
        "<!-- <img src=http://a.b/c.png> --> <pre>&lt;img src=http://a.b/c.png></pre>",
        "<img src='data:image/png;base64,AA=='><svg><use href='#glyph'/></svg>",
        "<script>x = '<img src=http://a.b>'</script><p style='color: red' data-src=http://a.b>",
        "<TD Align=Left hidden>\n&nbsp;a < b &amp;</TD>",
    ),
)
def test_what_loads_nothing_stays_as_it_is(made, markup):
    text, site = made(output=markup)
    assert markup in text and not site.files


def test_only_the_address_changes_and_what_has_none_any_more_is_no_link():
    whole = (
        "<p> a <IMG\n Alt=\"'\" src=x hidden><svg viewBox='0 0 1 1'><image href='y'/></svg></p>"
    )
    whole += "<style>p { src: url(x) }</style><script>if (1 < 2) { y }</script><a href=z class='b c'>&amp;</a>"
    new = {"x": "<z>", "y": "&", "z": None}
    assert rewrite(whole, lambda url, loads: new[url]) == (
        '<p> a <img alt="\'" hidden="" src="&lt;z&gt;"/><svg viewbox="0 0 1 1"><image href="&amp;"/></svg></p>'
        '<style>p { src: url(<z>) }</style><script>if (1 < 2) { y }</script><a class="b c">&amp;</a>'
    )
