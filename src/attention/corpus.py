"""Text: the course's own play, stories, tiny Shakespeare, or your own file."""

import hashlib
import os
from importlib import resources
from pathlib import Path

from attention.stories import write_stories

N_STORIES = 4000  # about as long as tiny Shakespeare
TINYSHAKESPEARE_SHA256 = "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
TINYSHAKESPEARE_URL = (
    "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt"
)


def load_corpus(name: str | os.PathLike = "play", min_length: int = 2) -> str:
    """Return the text called `name`.

    - `"play"`: the play that comes with the course (65 different characters).
    - `"stories"`: 4,000 short stories of a small world (`attention.stories`).
    - `"tinyshakespeare"`: 1,115,394 characters of Shakespeare (Karpathy, 2015), from the folder
      in the environment variable `ATTENTION_DATA` if it is there, else downloaded once.
    - anything else: the path of a UTF-8 text file.

    Raises:
        FileNotFoundError: there is no file at that path.
        ConnectionError: the download failed.
        ValueError: the file is empty, binary, not UTF-8, one character repeated, shorter than
            `min_length` characters (a block needs `block_size + 1`), or not the tiny Shakespeare
            it should be.
    """
    if name == "play":
        data = (resources.files("attention") / "data" / "play.txt").read_bytes()
    elif name == "stories":
        data = "".join(write_stories(N_STORIES)).encode()
    elif name == "tinyshakespeare":
        data = _tinyshakespeare()
    else:
        data = _read(Path(os.path.expanduser(name)))
    return _decode(data, name, min_length)


def _read(path: Path) -> bytes:
    if not path.is_file():
        what = "a folder" if path.is_dir() else "nothing"
        raise FileNotFoundError(
            f"corpus: expected 'play', 'stories', 'tinyshakespeare' or the path of a text file, but there is "
            f"{what} at {str(path)!r}; check the spelling, or give the full path"
        )
    return path.read_bytes()


def _decode(data: bytes, name: str | os.PathLike, min_length: int) -> str:
    if not data:
        raise ValueError(f"corpus {name!r}: expected text, but the file is empty; choose another")
    if (nul := data.find(b"\0")) >= 0:
        raise ValueError(
            f"corpus {name!r}: expected text, but byte {nul} is NUL, so this is a binary file; "
            f"save it as plain UTF-8 text first"
        )
    try:
        text = data.decode("utf-8-sig")  # without the mark that some editors put at the beginning
    except UnicodeDecodeError as error:
        raise ValueError(
            f"corpus {name!r}: expected UTF-8, but the byte 0x{data[error.start]:02x} at offset "
            f"{error.start} does not belong there; save the file as UTF-8 first"
        ) from None
    if len(text) > 1 and len(set(text)) == 1:
        raise ValueError(
            f"corpus {name!r}: expected at least 2 different characters, got only {text[0]!r}; "
            f"such a text leaves nothing to predict: choose another text"
        )
    if len(text) < min_length:
        raise ValueError(
            f"corpus {name!r}: expected at least {min_length} characters, got {len(text)}; "
            f"choose a longer text or a smaller block"
        )
    return text


def _tinyshakespeare() -> bytes:
    folder = os.environ.get("ATTENTION_DATA")
    path = Path(folder).expanduser() / "tinyshakespeare.txt" if folder else None
    if path is None or not path.is_file():
        path = _download()
    data = path.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != TINYSHAKESPEARE_SHA256:
        raise ValueError(
            f"tinyshakespeare: expected a file with SHA-256 {TINYSHAKESPEARE_SHA256[:12]}..., but "
            f"{str(path)!r} has {found[:12]}...; put the original there (it is at "
            f"{TINYSHAKESPEARE_URL}), or unset ATTENTION_DATA"
        )
    return data


def _download() -> Path:
    import pooch  # only here: nothing else needs the network

    try:
        return Path(
            pooch.retrieve(
                TINYSHAKESPEARE_URL,
                known_hash=f"sha256:{TINYSHAKESPEARE_SHA256}",
                fname="tinyshakespeare.txt",
                path=pooch.os_cache("attention-course"),
            )
        )
    except ValueError:  # pooch removes a file whose hash is wrong
        raise ValueError(
            f"tinyshakespeare: what came from {TINYSHAKESPEARE_URL} is not the expected file (its "
            f"SHA-256 differs), so it was deleted; put the file into a folder yourself and "
            f"name that folder in ATTENTION_DATA"
        ) from None
    except OSError as error:  # every failure of requests is an OSError
        raise ConnectionError(
            f"tinyshakespeare: could not download {TINYSHAKESPEARE_URL} "
            f"({type(error).__name__}); go on with the corpus 'play', or put "
            f"tinyshakespeare.txt into a folder and name that folder in ATTENTION_DATA"
        ) from None
