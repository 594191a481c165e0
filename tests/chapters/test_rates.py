"""The search for the learning rate that suits a model best: each run once, and none too many."""

import math

import pytest
from benchmarks import stored_runs
from benchmarks.stored_runs import add, load, next_run

from chapters.rates import best_rates

SEEDS = (1, 2, 3, 4)


def search(loss, rates):
    """All runs of a search in their order, for models whose loss is loss(rate, seed)."""
    losses, made = {}, []
    while run := next_run(losses, rates, SEEDS):
        made.append(run)
        rate, seed = run
        losses.setdefault(rate, {})[str(seed)] = loss(float(rate), seed)
    return losses, made


def test_all_rates_have_one_seed_the_best_two_a_second_and_the_best_all():
    _, made = search(lambda rate, seed: abs(rate - 0.2), [0.1, 0.2, 0.4, 0.8])
    firsts = [("0.1", 1), ("0.2", 1), ("0.4", 1), ("0.8", 1)]
    assert made == firsts + [("0.2", 2), ("0.1", 2), ("0.2", 3), ("0.2", 4)]


def test_the_second_seed_can_change_the_choice():
    def loss(rate, seed):
        return abs(rate - (0.2 if seed == 1 else 0.5)) + (seed == 2) * (rate == 0.2)

    losses, _ = search(loss, [0.1, 0.2, 0.4, 0.8])
    assert best_rates(losses, 1, 2)[0] != best_rates(losses, 1)[0]
    assert best_rates(losses, *SEEDS) == best_rates(losses, 1, 2)[:1]


@pytest.mark.parametrize("best", [0.02, 0.05, 0.3, 1.5, 5.0])
def test_no_rate_at_the_edge_is_chosen(best):
    losses, made = search(lambda rate, seed: abs(math.log(rate / best)), [0.1, 0.2, 0.4])
    chosen, *_ = best_rates(losses, *SEEDS)
    assert min(map(float, losses)) < float(chosen) < max(map(float, losses))
    assert len(made) == len(set(made))


def test_a_rate_with_which_training_fails_is_the_worst():
    assert best_rates({"0.4": {"1": math.nan}, "0.2": {"1": 9.0}}, 1) == ["0.2", "0.4"]
    assert best_rates({"0.4": {"2": 1.0}, "0.2": {"1": 9.0}}, 1) == ["0.2"]


def test_a_command_that_was_stopped_goes_on_where_it_was(tmp_path, capsys):
    path, made, stops = tmp_path / "runs.json", [], [True]

    def run(rate, seed):
        if len(made) == 5 and stops:
            stops.clear()
            raise KeyboardInterrupt
        made.append((str(rate), seed))
        return {"judged": seed, "choosing": abs(rate - 0.2)}

    def go_on():
        keys, rates = ("play", "2"), [0.1, 0.2, 0.4, 0.8]
        stored_runs.search(path, keys, rates, SEEDS, run, lambda run: run["choosing"])

    with pytest.raises(KeyboardInterrupt):
        go_on()
    go_on()
    assert made == search(lambda rate, seed: abs(rate - 0.2), [0.1, 0.2, 0.4, 0.8])[1]
    assert [*load(path)["play"]["2"]["0.2"]] == list(map(str, SEEDS))
    whole = path.read_text()
    go_on()
    assert path.read_text() == whole and len(capsys.readouterr().out.splitlines()) == len(made)


def test_a_run_is_added_to_those_that_another_command_has_written(tmp_path):
    path = tmp_path / "runs.json"
    add(path, "one", "1", run=0.5)
    add(path, "two", "1", run=[1, "\u00e9"])
    assert load(path) == {"one": {"1": 0.5}, "two": {"1": [1, "\u00e9"]}}
    assert "\u00e9" in path.read_text(encoding="utf-8") and load(tmp_path / "none.json") == {}
