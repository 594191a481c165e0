"""Chapter 01 quotes the merges and ids that the library `tokenizers` really gives."""

import ast
import json

import nbformat
from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer

from attention.bpe_tokenizer import BPETokenizer
from attention.corpus import load_corpus
from tests.conftest import ROOT

SENTENCE = "Your journey starts with one step"


def test_the_quoted_merges_and_ids_are_the_librarys_and_all_merges_are_ours():
    cells = nbformat.read(ROOT / "notebooks" / "01_text_to_tokens.ipynb", 4).cells
    [source] = [cell.source for cell in cells if cell.id == "merges-theirs"]
    merges, ids = (line.value for line in ast.parse(source).body[:2])
    theirs = Tokenizer(BPE())
    theirs.pre_tokenizer = ByteLevel(add_prefix_space=False)
    letters = ByteLevel.alphabet()
    trainer = BpeTrainer(vocab_size=512, initial_alphabet=letters, show_progress=False)
    theirs.train_from_iterator([load_corpus("play")], trainer)
    found = json.loads(theirs.to_str())["model"]["merges"]
    assert ["".join(pair) for pair in found[:12]] == ast.literal_eval(merges)
    assert theirs.encode(SENTENCE).ids == ast.literal_eval(ids)
    plain = str.maketrans("ĠĊ", " \n")
    ours = BPETokenizer.train(load_corpus("play"), 512).merges
    assert [tuple(part.translate(plain).encode() for part in pair) for pair in found] == ours
