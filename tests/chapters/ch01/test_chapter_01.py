"""Chapter 01: what its figures state, and the quoted merges and ids of the library `tokenizers`."""

import ast
import json

from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer

from attention.bpe_tokenizer import BPETokenizer
from attention.corpus import load_corpus
from chapters.ch01.explorer import merge_explorer
from chapters.ch01.figures import levels_figure, vocabulary_figure
from tests.chapters.conftest import cells_of, says

SENTENCE = "Your journey starts with one step"


def test_the_quoted_merges_and_ids_are_the_librarys_and_all_merges_are_ours():
    cells = cells_of("01_text_to_tokens.ipynb")
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


def test_the_levels_figure_counts_the_pieces_of_each_kind(no_pixels):
    told = levels_figure({"characters": list("a bc"), "words": ["a", " bc"]}).sentence
    assert told == "The text 'a bc' cut in 2 ways: 4 characters, 2 words."


def test_the_vocabulary_figure_says_the_ids_of_a_word_and_how_many_characters_it_shows(no_pixels):
    told = vocabulary_figure(["\n", " ", "a", "b", "l"], "ball").sentence
    says(
        told,
        "all 5, in order. Beside each character is its id, from '\u21b5' with id 0 to 'l' with id 4.",
    )
    assert told.endswith("are marked: 'b' 3, 'a' 2, 'l' 4. So 'ball' becomes 3, 2, 4, 4.")
    many = [chr(n) for n in range(33, 533)]
    says(vocabulary_figure(many, "ab").sentence, "the first 104 of 500, in order.")


def test_the_merge_explorer_counts_what_each_merge_saves(no_pixels):
    text = "ab ab b"  # the pieces are `ab`, ` ab` and ` b`
    explorer = merge_explorer("ab ab", text, [(97, 98), (32, 256)])
    for merges, tokens, corpus, newest in ((0, 5, 7, ""), (1, 3, 5, "ab"), (2, 2, 4, " ab")):
        told = explorer.render(merges=merges).sentence
        says(told, f"the sentence has {tokens} tokens, and the corpus has {corpus} tokens")
        says(told, f"{100 * (1 - corpus / 7):f}% fewer than its 7 bytes.")
        assert told.endswith(f"The newest token is '{newest}'." if newest else "bytes."), told
