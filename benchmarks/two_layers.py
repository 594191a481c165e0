"""Do two layers learn what one can't? Five seeds of each, for chapter 14.

`python -m benchmarks.two_layers` trains two layers of one head each, and one layer of two heads with
as many parameters, on repeated strings. Their accuracy on held-out strings of five periods, the last two
longer than any in training, goes into `seeds.json`. It takes a minute of one CPU.
"""

import torch

from attention.gpt import GPT, Config
from benchmarks.stored_runs import add
from chapters.ch14.attention_only import make_attention_only
from chapters.ch14.patterns import by_distance, induction_score, previous_token_score
from chapters.ch14.runs import STORED
from chapters.ch14.tasks import accuracy, fit_task, repeated_strings

SEEDS = (1, 2, 3, 4, 5)
V = 27  # a start and 26 letters
MODELS = {
    "two layers": Config(V, 64, n_layer=2, n_head=1, n_embd=64),
    "one layer": Config(V, 64, n_layer=1, n_head=2, n_embd=88),
}
N_STEPS = 250
PERIODS = (5, 15)  # in training, from the shortest to the longest
HELD_OUT = (5, 10, 15, 20, 25)


def grow(config: Config, seed: int, n_steps: int = N_STEPS) -> GPT:
    """Return a model with only attention, trained on strings of many periods."""
    torch.manual_seed(seed)
    model, generator = GPT(config, make_attention_only), torch.Generator().manual_seed(seed)

    def draw():
        period = torch.randint(PERIODS[0], PERIODS[1] + 1, (), generator=generator).item()
        return repeated_strings(32, period, V, generator)

    fit_task(model, draw, n_steps=n_steps, learning_rate=3e-3)
    return model.eval()


def favourite_distance(model: GPT) -> int:
    """Return the distance, 1 or more, on which the last layer puts most weight, in strings of period 25."""
    generator = torch.Generator().manual_seed(20_000)
    _, weights = model.forward_with_weights(repeated_strings(200, 25, V, generator).x)
    return int(by_distance(weights[-1]).mean(dim=(0, 1))[1:26].argmax()) + 1


def judged(model: GPT) -> dict[str, dict[str, float] | float]:
    """Return the model's accuracy on held-out strings of each period, its heads' best scores at period 10,
    and the distance at which it looks most."""
    generator = torch.Generator().manual_seed(10_000)
    tasks = {period: repeated_strings(200, period, V, generator) for period in HELD_OUT}
    _, weights = model.forward_with_weights(tasks[10].x)
    scores = {
        "previous": previous_token_score(weights),
        "induction": induction_score(weights, 10, first=1),
    }
    found = {name: round(each.mean(dim=1).max().item(), 3) for name, each in scores.items()}
    share = {str(period): round(accuracy(model, [task]), 4) for period, task in tasks.items()}
    return {"accuracy": share} | found | {"distance": favourite_distance(model)}


def main() -> None:
    """Run all models, and store the results."""
    for name, config in MODELS.items():
        for seed in SEEDS:
            add(STORED, name, str(seed), run=judged(grow(config, seed)))


if __name__ == "__main__":
    main()
