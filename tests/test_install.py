"""install.py: pip's settings in uv's words, and a way on where uv or the network fails."""

import socket
import subprocess
from types import SimpleNamespace

import install
import pytest

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
def test_no_index_is_no_index(said, told):
    assert ("--no-index" in install.uv_options({"no-index": said})) == told


@pytest.fixture
def commands(monkeypatch, tmp_path):
    """The commands of an installation in which those with a word of `fails` fail."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").touch()
    said = []

    def installed(fails, network=False):
        def run(command):
            words = " ".join(command).split("python -m ")[1]
            said.append(words)
            if any(word in words for word in fails):
                raise subprocess.CalledProcessError(2, command)

        monkeypatch.setattr(install, "run", run)
        monkeypatch.setattr(install, "reachable", lambda url, certificates: network)
        monkeypatch.setattr(install, "pip_settings", lambda pip: {})
        install.main(str(tmp_path))
        return said

    monkeypatch.setattr(install.os, "name", "posix")
    return installed


def test_uv_installs(commands):
    said = commands([])
    assert [words.split()[0] for words in said] == ["pip", "uv", "uv"]
    assert said[1].endswith("-r requirements.txt") and "--torch-backend" not in said[1]


def test_on_linux_the_small_torch_is_taken_where_it_can_be(commands, monkeypatch):
    monkeypatch.setattr(install.sys, "platform", "linux")
    assert "--torch-backend cpu -r requirements.txt" in commands([], network=True)[1]


@pytest.mark.parametrize("fails", [["uv=="], ["uv pip"]])
def test_where_uv_fails_pip_installs_and_says_so(fails, commands, capsys):
    assert commands(fails)[-2].endswith("install --quiet -r requirements.txt")
    assert "pip does, in some minutes" in capsys.readouterr().out


def test_where_both_fail_a_sentence_says_what_to_do(commands):
    with pytest.raises(SystemExit, match="Is PyPI reachable"):
        commands(["requirements.txt"])


def test_a_gateway_that_answers_for_others_is_no_index():
    with socket.socket() as gateway:
        gateway.bind(("127.0.0.1", 0))
        gateway.listen()  # takes the connection and says nothing
        assert not install.reachable(f"https://127.0.0.1:{gateway.getsockname()[1]}/torch/", None)


def test_an_old_python_is_refused(monkeypatch):
    monkeypatch.setattr(install.sys, "version_info", (3, 10, 4))
    with pytest.raises(SystemExit, match=r"needs Python 3.11 or newer, and this is \d"):
        install.main()
