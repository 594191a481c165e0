"""CPU time of our BPE as a multiple of Hugging Face `tokenizers` (training) and `tiktoken` (encoding).

Run: ATTENTION_DATA=folder python benchmarks/bpe_time.py
The aim for training is about 2 times as long as Hugging Face on one thread, and never more than 3 times.
"""

import os

os.environ["RAYON_NUM_THREADS"] = "1"  # read by `tokenizers` when it starts its threads

import statistics
import time
from collections.abc import Callable

import tiktoken
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from attention.bpe_tokenizer import BPETokenizer
from attention.corpus import load_corpus

VOCAB_SIZE = 1024
REPEATS = 5
LIMIT = 3.0


def train_hf(text: str) -> None:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([text], trainer)


def cpu_time(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def ratio(ours: Callable[[], object], theirs: Callable[[], object]) -> float:
    """Return the median ratio of pairs; both calls take turns, so that they see the same machine."""
    theirs()  # the first call also builds their tables
    return statistics.median(cpu_time(ours) / cpu_time(theirs) for _ in range(REPEATS))


def measure(text: str) -> tuple[float, float]:
    """Return our times for training and for encoding, as multiples of the other libraries' times."""
    tokenizer = BPETokenizer.train(text, VOCAB_SIZE)
    reference = tiktoken.Encoding(
        "ours", pat_str=tokenizer.pattern, mergeable_ranks=tokenizer.ranks, special_tokens={}
    )

    train = ratio(lambda: BPETokenizer.train(text, VOCAB_SIZE), lambda: train_hf(text))
    return train, ratio(lambda: tokenizer.encode(text), lambda: reference.encode_ordinary(text))


def main() -> None:
    print(f"vocab_size {VOCAB_SIZE}, CPU time, median of {REPEATS}")
    print(f"{'corpus':16}{'train / HF':>12}{'encode / tiktoken':>20}")
    worst = 0.0
    for name in "play", "tinyshakespeare":
        train, encode = measure(load_corpus(name))
        print(f"{name:16}{train:>11.1f}x{encode:>19.1f}x")
        worst = max(worst, train)
    if worst > LIMIT:
        raise SystemExit(f"training: expected at most {LIMIT}x, got {worst:.1f}x")


if __name__ == "__main__":
    main()
