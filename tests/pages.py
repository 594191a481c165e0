"""Helpers for the tests of book and decks: cells and notebooks, small courses, and axe."""

import json
import shutil
from pathlib import Path
from zlib import crc32

import axe_playwright_python

from course.learn.html import MIME
from tests.conftest import ROOT

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
THEMES = ("light", "rust", "coal", "navy", "ayu")
LIGHT_AND_DARK = ("light", "navy")  # all five once a week
SHOTS = ROOT / "build" / "screenshots"

# ---------------------------------------------------------------- cells


def cell(source, kind="markdown", outputs=(), **metadata):
    new = {"cell_type": kind, "id": f"c{crc32(source.encode())}", "metadata": metadata}
    new["source"] = source
    if kind == "code":
        new |= {"outputs": list(outputs), "execution_count": 1}
    return new


def printed(text):
    return {"output_type": "stream", "name": "stdout", "text": text}


def shown(markup):
    return {"output_type": "display_data", "metadata": {}, "data": {"text/html": markup}}


def learned(**data):
    """The output of a check or a quiz."""
    data = {"text/plain": "", MIME: data}
    return {"output_type": "execute_result", "metadata": {}, "data": data, "execution_count": 1}


def numbered(*cells):
    """Cells with the ids cell-001, cell-002 and so on."""
    return [each | {"id": f"cell-{n:03}"} for n, each in enumerate(cells, 1)]


def notebook(*cells):
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)})


# ---------------------------------------------------------------- courses


def course(root, **pages):
    """Write a course with these pages, {name without .ipynb: cells}, and with all that mdBook needs."""
    notebooks = root / "notebooks"
    notebooks.mkdir(parents=True)
    for name, cells in pages.items():
        (notebooks / name).parent.mkdir(exist_ok=True)
        (notebooks / f"{name}.ipynb").write_text(notebook(*cells))
    lines = [f"- [{name}]({name}.ipynb)" for name in pages]
    (notebooks / "SUMMARY.md").write_text("\n".join(["# Summary", "", *lines, ""]))
    source = Path("src", "course")
    shutil.copytree(ROOT / source / "publish" / "assets", root / source / "publish" / "assets")
    (root / source / "draw").mkdir()
    for file in [ROOT / source / "colours.css", *(ROOT / source / "draw").glob("*.[cj]s*")]:
        shutil.copy(file, root / file.relative_to(ROOT))
    shutil.copy(ROOT / "book.toml", root)
    return root


# ---------------------------------------------------------------- explorers in a page


def explored(explorer, source="explore()"):
    """The cell of an explorer, with the output that a page shows."""
    return cell(source, "code", [shown(explorer._repr_mimebundle_()[0]["text/html"])])


def turn(page, theme):
    page.evaluate(f"document.getElementById('mdbook-theme-{theme}').click()")


def sizes_of_texts(page, within):
    """For each text inside elements that fit a selector, its size in pixels and the beginning of its HTML."""
    return page.evaluate(TEXTS, f"{within} *")


TEXTS = """within => [...document.querySelectorAll(within)]
    .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
    .map((e) => {
        const {a, b} = e.getScreenCTM?.() ?? {a: 1, b: 0};  // of a drawing
        return [parseFloat(getComputedStyle(e).fontSize) * Math.hypot(a, b), e.outerHTML.slice(0, 80)];
    })"""


# ---------------------------------------------------------------- axe

# Elements with the same tags and classes up to the body look alike on all pages: axe checks one of each.
KINDS = """known => {
    const seen = new Set(known), before = seen.size;
    for (const e of document.querySelectorAll('body *')) {
        let kind = '';
        for (let up = e; up !== document.body; up = up.parentElement)
            kind += up.tagName + '.' + up.className + ' ';
        if (!e.checkVisibility() || seen.has(kind)) continue;
        seen.add(kind);
        e.setAttribute('data-kind', seen.size);
    }
    return [...seen].slice(before);
}"""
# Contrast is by far axe's slowest rule, so all other elements are removed before it.
ALONE = """() => {
    for (const e of document.querySelectorAll('#mdbook-sidebar *, main *, .slides *'))
        if (!e.dataset.kind && !e.querySelector('[data-kind]')) e.remove();
}"""
AXE_RUN = """async ([everything, part]) => {
    const rules = everything ? {'color-contrast': {enabled: false}} : {};
    const options = {preload: false, resultTypes: ['violations'], rules};
    if (!everything) options.runOnly = ['color-contrast', 'link-in-text-block'];
    const where = everything && !part ? document : {include: [['[data-kind]']]};
    const {violations} = await axe.run(where, options);
    return violations.filter(v => ['serious', 'critical'].includes(v.impact))
        .map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 150) + n.failureSummary)]);
}"""


def axe_finds_nothing(page, name, known, whole, themes=()):
    """Run axe on the kinds of elements that no earlier page had, in some themes; return these kinds.

    With `whole`, it also checks the parts that all pages share. Afterwards most of the page is gone.
    """
    if new := page.evaluate(KINDS, known):
        page.evaluate(AXE.read_text(encoding="utf-8"))
        assert not (found := page.evaluate(AXE_RUN, [True, not whole])), (name, found)
        page.evaluate(ALONE)
        for theme in themes or [""]:
            if theme:
                turn(page, theme)
            assert not (found := page.evaluate(AXE_RUN, [False])), (name, theme, found)
    return new


def axe_finds_nothing_within(page, kind, themes=LIGHT_AND_DARK):
    """Run axe on everything inside the elements that fit the selector `kind`, in some themes of the book."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    marks = "kind => document.querySelectorAll(`${kind} *`).forEach(e => { e.dataset.kind = 1 })"
    page.evaluate(marks, kind)
    for theme in themes:
        turn(page, theme)
        found = page.evaluate(AXE_RUN, [True, True]) + page.evaluate(AXE_RUN, [False])
        assert not found, (kind, theme, found)
