"""What live explorers need beside a page, scripts, styles and weights: what is published, what is refused."""

import base64
import gzip
import json
import math
import re
import subprocess

import pytest
import torch
from safetensors.torch import save_file

from attention.checkpoint import CHECKPOINT, save_checkpoint
from attention.gpt import GPT, Config
from attention.tokenizers import CharTokenizer
from chapters.ch08.explorer import curtain_explorer
from chapters.ch14.explorer import head_scores, model_explorer
from chapters.ch14.patterns import uniform_weights
from course.draw.live import Live
from course.draw.parts import fingerprint
from course.draw.picture import Picture
from course.errors import CourseError
from course.publish import explorers, mdbook
from tests import pages
from tests.pages import cell, explored, shown

NAME = fingerprint(CHECKPOINT.read_bytes())


@pytest.fixture(scope="module")
def output():
    return model_explorer()._repr_mimebundle_()[0]["text/html"]


def test_a_notebook_names_the_weights_and_does_not_hold_them(output):
    assert f'data-weights="{NAME}"' in output and len(output) < 40_000


def test_weights_are_published_once_and_only_where_they_are_needed(output, tmp_path):
    outputs = {"one": [], "two": [output, output], "part/three": [output]}
    cells = {
        name: [
            cell(f"# {name}"),
            *(cell(f"say({n})", "code", [shown(o)]) for n, o in enumerate(each)),
        ]
        for name, each in outputs.items()
    }
    root = pages.course(tmp_path / "course", **cells)
    mdbook.build(root)
    out = root / "build" / "book"
    found = {name: (out / f"{name}.html").read_text().count(f"{NAME}.js") for name in outputs}
    assert found == {"one": 0, "two": 1, "part/three": 1}
    assert f'<script src="../{NAME}.js?' in (out / "part" / "three.html").read_text()
    assert [path.parent for path in out.rglob(f"{NAME}.js")] == [out]
    assert len(list(root.rglob(f"{NAME}.js"))) == 1, "nothing is left among the sources"
    body = json.loads((out / f"{NAME}.js").read_text().split("] = ")[1].rstrip(";\n"))
    parts, file = gzip.decompress(base64.b64decode(body)), CHECKPOINT.read_bytes()
    assert parts[: len(file) - len(file) // 2] == file[::2] and parts.endswith(file[1::2])
    assert len(parts) == len(file)
    assert (out / f"{NAME}.js").stat().st_size <= 370_000
    none = pages.course(tmp_path / "none", one=[cell("# One")])
    mdbook.build(none)
    assert not list(none.rglob(f"{NAME}.js"))


def test_a_page_that_is_served_has_them_in_itself(output):
    *_, script = re.findall("<script>(.*?)</script>", explorers.inline(output + output), re.DOTALL)
    assert script.startswith(f'(globalThis.courseWeights ??= {{}})["{NAME}"] = "')
    assert explorers.inline("<p>none</p>") == "" == explorers.tags("<p>none</p>")


SHOWN = '<script type="application/json" class="course-live">{{"module": "{}"}}</script>'


def test_a_page_loads_what_its_explorers_need_once_and_in_an_order_that_works(output):
    page = SHOWN.format("threads") + output + SHOWN.format("threads")
    loaded = re.findall(r'(?:src|href)="up/(\w+\.\w+)\?[0-9a-f]{8}"', explorers.tags(page, "up/"))
    drawn = ["plane.js", "threads.css", "threads.js"]
    typed = ["gpt.js", "tiles.css", "tiles.js", "maps.css", "maps.js", f"{NAME}.js"]
    assert loaded == ["live.css", "live.js", *drawn, *typed]


def test_explorers_of_two_modules_have_one_style():
    """JupyterLab keeps one style for all widgets of a class, that of the last which was opened."""
    still = Picture("<svg></svg>", "Words.")
    one, other = Live("curtain", still, row=0), Live("threads", still, row=0)
    assert one._css == other._css and one._esm != other._esm
    assert all(f".course-{name} " in one._css for name in ("curtain", "threads", "writer"))


def test_a_changed_script_has_another_address(tmp_path, monkeypatch):
    script = tmp_path / "one.js"
    monkeypatch.setattr("course.content.explorer_files", lambda: [script])
    addresses = set()
    for text in ("// One", "// Another"):
        script.write_text(text)
        addresses |= {explorers.tags(SHOWN.format("one"))}
    assert len(addresses) == 2


def test_a_page_that_asks_for_a_script_that_no_chapter_has_is_refused():
    with pytest.raises(CourseError, match="expected nowhere.js in the folder of a chapter"):
        explorers.files(SHOWN.format("nowhere"))


@pytest.mark.browser
def test_a_page_that_is_served_draws_its_explorers(tmp_path, visit):
    """mdBook's server reads notebooks/, where no file may be added: the page has all that it needs."""
    shown = [explored(curtain_explorer(), "draw()"), explored(model_explorer(), "read()")]
    root = pages.course(tmp_path / "course", one=[cell("# One"), *shown])
    command = [mdbook._mdbook(), "build", str(root), "-d", str(tmp_path / "out")]
    done = subprocess.run(command, env=mdbook._environment(), capture_output=True, text=True)
    assert done.returncode == 0 and "unclosed" not in done.stderr, done.stderr
    page = visit((tmp_path / "out" / "one.html").as_uri())
    page.evaluate("window.liveReady")
    assert page.locator("div.course-live").count() == 2
    assert {path.name for path in (root / "notebooks").iterdir()} == {"SUMMARY.md", "one.ipynb"}


def small(tmp_path, **choices):
    tokenizer = CharTokenizer("the king")
    model = GPT(
        Config(tokenizer.vocab_size, 8, **{"n_layer": 1, "n_head": 2, "n_embd": 8} | choices)
    )
    path = tmp_path / "mine.safetensors"
    save_checkpoint(model, tokenizer, path)
    return path


def test_a_learners_own_checkpoint_is_shown_by_a_kernel_and_not_published(tmp_path):
    path = small(tmp_path)
    explorer = model_explorer(path, "the king that thinks")
    assert explorer.weights == path.read_bytes() and explorer.state["name"] == "mine.safetensors"
    output = explorer._repr_mimebundle_()[0]["text/html"]
    assert "8 characters read" in output, "the last that its block has room for"
    assert f"{fingerprint(explorer.weights)}.js" not in explorers.files(output)


def test_what_no_page_can_show_is_refused(tmp_path, as_a_user):
    cut = tmp_path / "cut.safetensors"
    cut.write_bytes(CHECKPOINT.read_bytes()[:9000])
    with pytest.raises(ValueError, match="cut.safetensors: expected a whole safetensors file"):
        model_explorer(cut)
    foreign = tmp_path / "foreign.safetensors"
    save_file({"weight": torch.ones(2)}, foreign)
    with pytest.raises(ValueError, match="expected a checkpoint of this course"):
        model_explorer(foreign)
    other = tmp_path / "other.safetensors"
    save_checkpoint(GPT(Config(65, 16, n_layer=1, n_embd=8)), CharTokenizer("ab"), other)
    with pytest.raises(ValueError, match="an alphabet of 65 characters, .* got 2"):
        model_explorer(other, "ab")
    for choices, says in (
        ({"n_layer": 25}, "at most 48 heads in all its blocks, .* got 50"),
        ({"n_embd": 320}, r"at most 1,000,000 parameters, .* got 1,\d{3},\d{3}"),
    ):
        with pytest.raises(ValueError, match=says):
            model_explorer(small(tmp_path, **choices))
    long = GPT(Config(8, 257, n_layer=1, n_head=2, n_embd=8))
    save_checkpoint(long, CharTokenizer("the king"), other)
    with pytest.raises(ValueError, match="at most 256 characters of context"):
        model_explorer(other)
    with pytest.raises(ValueError, match="text: expected a character that the model knows"):
        model_explorer(small(tmp_path), "XYZ")


# ---------------------------------------------------------------- scores


def test_a_head_that_looks_at_the_character_before_scores_one():
    ids, weights = [1, 2, 3, 1, 2, 3], torch.eye(6)[[0, 0, 1, 2, 3, 4]]
    assert head_scores(weights, ids) == pytest.approx((1.0, 0.0, 0.2))


def test_a_head_that_goes_on_where_a_copy_went_on_scores_one():
    ids = [4, 5, 6, 4, 5, 6]
    weights = torch.eye(6)[[0, 0, 0, 1, 2, 3]]
    assert head_scores(weights, ids) == pytest.approx((0.2, 1.0, 0.4))
    assert head_scores(weights, list(range(6)))[1] != head_scores(weights, ids)[1]


def test_scores_that_no_position_has_are_nan():
    assert all(map(math.isnan, head_scores(torch.ones(1, 1), [7])))
    assert math.isnan(head_scores(uniform_weights(4), [1, 2, 3, 4])[1])
    assert math.isnan(head_scores(uniform_weights(2), [1, 1])[1]), (
        "a copy beside it leads to itself"
    )


def test_equal_weights_score_what_is_there_by_chance():
    first, second, third = head_scores(uniform_weights(4), [1, 1, 1, 1])
    assert first == third == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)
    assert second == pytest.approx((1 / 3 + 2 / 4) / 2)
