"""install.py: pip's settings in uv's words, and a way on where uv or the network fails."""

import socket
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace

import install
import pytest

from tests.conftest import HANG

PIP = "pip --disable-pip-version-check install --quiet"
LISTED = """\
:env:.find-links='/mine /also mine'
global.find-links='/theirs'
global.index-url='https://here/simple'
install.trusted-host='here'
global.timeout='60'
wheel.find-links='/no'
"""


def test_pips_settings_are_told_to_uv(monkeypatch):
    listed = SimpleNamespace(stdout=LISTED)
    monkeypatch.setattr(subprocess, "run", lambda *command, **options: listed)
    options = install.uv_options(install.pip_settings(["pip"]))
    assert options[2:] == [
        *("--default-index", "https://here/simple"),
        *("--find-links", "/mine", "--find-links", "/also", "--find-links", "mine"),
        *("--allow-insecure-host", "here"),
    ]


@pytest.mark.parametrize(("said", "told"), [("true", True), ("1", True), ("false", False)])
def test_no_index_is_no_index(said, told, monkeypatch):
    listed = SimpleNamespace(stdout=f"global.no-index='{said}'\n")
    monkeypatch.setattr(subprocess, "run", lambda *command, **options: listed)
    assert ("--no-index" in install.uv_options(install.pip_settings(["pip"]))) == told


@pytest.fixture
def commands(monkeypatch, tmp_path):
    """The commands of an installation in which those with a word of `fails` fail."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").touch()
    said = []

    def installed(fails, *words, index=()):
        def run(command):
            words = " ".join(command).split("python -m ")[1]
            said.append(words)
            if any(word in words for word in fails):
                raise subprocess.CalledProcessError(2, command)

        monkeypatch.setattr(install, "run", run)
        monkeypatch.setattr(install, "cpu_index", lambda settings: index)
        monkeypatch.setattr(install, "pip_settings", lambda pip: {})
        install.main([str(tmp_path), *words])
        return said

    monkeypatch.setattr(install.os, "name", "posix")
    return installed


def ready(folder):
    return sorted(path.name for path in folder.glob(".ready*"))


def test_uv_installs_the_pins_as_they_are_then_the_course(commands, tmp_path):
    said = commands([], index=["--extra-index-url", "there"])
    assert [words.split()[0] for words in said] == ["pip", "uv", "uv"]
    assert said[1].endswith("--no-deps --requirement=requirements.txt")
    assert said[2].endswith(f"--extra-index-url there {install.TORCH_PIN} -e .")
    assert "--no-deps" not in said[2]
    assert all("--compile-bytecode" in words for words in said[1:]), "each its own packages"
    assert ready(tmp_path) == [".ready"]
    pins = install.ROOT / "requirements.txt"
    assert (tmp_path / ".ready").read_bytes() == pins.read_bytes()


def test_each_who_does_more_gets_its_pins_at_once(commands, tmp_path):
    said = commands([], "--test", "--book", "--grade")
    files = ("", "-book", "-grade", "-test")
    assert said[1].endswith(" ".join(f"--requirement=requirements{name}.txt" for name in files))
    assert ready(tmp_path) == [f".ready{name}" for name in files]


def test_here_is_the_python_that_runs_this(commands, monkeypatch, tmp_path):
    monkeypatch.setattr(install.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(install.sys, "executable", "/conda/python")
    assert "--python /conda/python" in commands([], "--here")[1]
    assert ready(tmp_path) == [".ready"]


@pytest.mark.parametrize("fails", [["uv=="], ["uv pip"]])
def test_where_uv_fails_pip_does_the_same_and_says_so(fails, commands, capsys):
    pins, course = commands(fails, index=["--extra-index-url", "there"])[-2:]
    assert pins == PIP + " --no-deps --requirement=requirements.txt"
    assert (
        course == PIP + f" --no-build-isolation --extra-index-url there {install.TORCH_PIN} -e ."
    )
    assert "pip does, in some minutes" in capsys.readouterr().out


def test_where_both_fail_a_sentence_says_what_to_do(commands, tmp_path):
    with pytest.raises(SystemExit, match="Is PyPI reachable"):
        commands(["requirements.txt"])
    assert ready(tmp_path) == []


class Index(BaseHTTPRequestHandler):
    def do_HEAD(self):
        self.send_response(200 if self.path == "/torch/" else 404)
        self.end_headers()

    def log_message(self, *args):
        pass


@pytest.fixture
def index(monkeypatch):
    """PyTorch's index, on this computer."""
    monkeypatch.setattr(install.sys, "platform", "linux")
    monkeypatch.setattr(install, "PATIENCE", HANG)
    with HTTPServer(("127.0.0.1", 0), Index) as server:
        monkeypatch.setattr(install, "TORCH", f"http://127.0.0.1:{server.server_port}")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield install.TORCH
        server.shutdown()


def test_on_linux_the_small_torch_is_taken_where_it_can_be(index, capsys):
    assert install.cpu_index({}) == ["--extra-index-url", index]
    assert capsys.readouterr().out == ""


def test_other_systems_have_one_torch_and_without_an_index_there_is_none(index, monkeypatch):
    assert install.cpu_index({"no-index": "1"}) == []
    monkeypatch.setattr(install.sys, "platform", "darwin")
    assert install.cpu_index({}) == []


def test_a_gateway_that_answers_for_others_is_no_index(monkeypatch, capsys):
    monkeypatch.setattr(install.sys, "platform", "linux")
    monkeypatch.setattr(install, "PATIENCE", 0.1)
    with socket.socket() as gateway:
        gateway.bind(("127.0.0.1", 0))
        gateway.listen()  # takes the connection and says nothing
        monkeypatch.setattr(install, "TORCH", f"https://127.0.0.1:{gateway.getsockname()[1]}")
        assert install.cpu_index({}) == []
    assert "can't be reached" in capsys.readouterr().out


def test_an_old_python_is_refused(monkeypatch):
    monkeypatch.setattr(install.sys, "version_info", (3, 10, 4))
    with pytest.raises(SystemExit, match=r"needs Python 3.11 or newer, and this is \d"):
        install.main([])
