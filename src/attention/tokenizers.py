"""Text to ids and back in the simplest way: one id per character."""

import operator
from collections.abc import Iterable


class CharTokenizer:
    """One id per character: the sorted characters of `text`, numbered from 0.

    >>> tokenizer = CharTokenizer("hello")
    >>> tokenizer.vocab
    ['e', 'h', 'l', 'o']
    >>> tokenizer.encode("hole")
    [1, 3, 2, 0]
    >>> tokenizer.decode([1, 3, 2, 0])
    'hole'

    Raises ValueError for an empty text.
    """

    def __init__(self, text: str):
        if not text:
            raise ValueError(
                "text: expected at least one character, got none; pass the text "
                "whose characters are to be the vocabulary"
            )
        self.vocab = sorted(set(text))
        self._ids = {character: i for i, character in enumerate(self.vocab)}

    @property
    def vocab_size(self) -> int:
        return len(self.vocab)

    def encode(self, text: str) -> list[int]:
        """The id of every character. Raises ValueError for a character not in the vocabulary."""
        try:
            return [self._ids[character] for character in text]
        except KeyError:
            position, c = next((i, c) for i, c in enumerate(text) if c not in self._ids)
            raise ValueError(
                f"text: expected the {self.vocab_size} characters of the vocabulary, got {c!r} "
                f"(U+{ord(c):04X}) at position {position}; build the tokenizer from text that "
                "holds it, replace it, or use BPETokenizer, which knows every character"
            ) from None

    def decode(self, ids: Iterable) -> str:
        """The text of the ids. Raises ValueError for an id outside the vocabulary."""
        return "".join(self.vocab[i] for i in checked_ids(ids, self.vocab_size))

    def __repr__(self) -> str:
        return f"CharTokenizer({self.vocab_size} characters)"


def checked_ids(ids: Iterable, vocab_size: int, name: str = "ids") -> list[int]:
    """The ids as a list of plain ints; a list, a tensor or an array of one axis will do."""
    checked = []
    for position, value in enumerate(ids.tolist() if hasattr(ids, "tolist") else ids):
        try:
            i = -1 if isinstance(value, bool) else operator.index(value)
        except TypeError:
            i = -1
        if not 0 <= i < vocab_size:
            raise ValueError(
                f"{name}: expected integers from 0 to {vocab_size - 1}, got {value!r} at position "
                f"{position}; use the tokenizer that made them"
            )
        checked.append(i)
    return checked
