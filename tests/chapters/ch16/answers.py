"""Answers to the exercises of chapter 16, written from its page alone."""

import torch

from tests.chapters.answers import right, slips


@right("16.suspects")
def by_items(found, table):
    return [f for f, row in table.items() if found.items() <= row.items()]


@right("16.suspects")
def one_check_after_the_other(found, table):
    left = list(table)
    for c in found:
        left = [f for f in left if table[f][c] == found[c]]
    return left


slips(one_check_after_the_other)("""
one_agreement_is_enough: keeps a fault if any spent check agrees
    return [f for f in table if any(table[f][c] == found[c] for c in found)]
only_checks_that_found_something: takes only a no for news
    return [f for f in table if not any(table[f][c] for c in found if not found[c])]
as_a_set: the order is lost
    return {f for f in table if all(table[f][c] == found[c] for c in found)}
those_excluded: the faults that are excluded instead of those left
    return [f for f in table if not all(table[f][c] == found[c] for c in found)]
whole_rows: compares the whole row with what was found, spent or not
    return [f for f in table if table[f] == found]
rows_of_the_table: returns rows instead of names
    return [row for row in table.values() if all(row[c] == found[c] for c in found)]
the_last_one_wins: overwrites its result with every check
    in left -> in table
""")


@right("16.next_check")
def nearest_to_half(suspects, table, checks):
    return min(checks, key=lambda c: abs(2 * sum(table[f][c] for f in suspects) - len(suspects)))


@right("16.next_check")
def by_counting_both(suspects, table, checks):
    def unlucky(c):
        answers = [table[f][c] for f in suspects]
        return max(answers.count(True), answers.count(False))

    return min(checks, key=unlucky)


slips(nearest_to_half)("""
lucky: hopes for the smaller group
    def small(c):
        yes = sum(table[f][c] for f in suspects)
        return min(yes, len(suspects) - yes)

    return min(checks, key=small)
the_later_of_two: of equally good ones takes the last
    def large(c):
        yes = sum(table[f][c] for f in suspects)
        return max(yes, len(suspects) - yes)

    best = min(map(large, checks))
    return [c for c in checks if large(c) == best][-1]
over_the_whole_table: counts faults that are no suspects
    def large(c):
        yes = sum(row[c] for row in table.values())
        return max(yes, len(table) - yes)

    return min(checks, key=large)
how_many of the_later_of_two: the number of those left, not the check
    best = -> return
    return [c for c in checks if large(c) == best][-1] ->
most_found: the check that finds the most of them
    return max(checks, key=lambda c: sum(not table[f][c] for f in suspects))
those_that_pass: the check that the fewest suspects pass
    return min(checks, key=lambda c: sum(table[f][c] for f in suspects))
any_of_the_table of how_many: chooses among all checks of the table, spent or not
    map(large, checks) -> next(iter(table.values())), key=large
""")


def _parts(texts):
    for b in range(len(texts)):
        for n in sorted(set(texts[b].tolist())):
            yield b, texts[b] == n


def _alone(forward, x, texts, b, here):
    return forward(x[b : b + 1, here], texts[b : b + 1, here])[0]


@right("16.alone")
def by_allclose(forward, x, texts):
    out = forward(x, texts)
    return all(
        torch.allclose(out[b, here], _alone(forward, x, texts, b, here), rtol=0, atol=1e-5)
        for b, here in _parts(texts)
    )


@right("16.alone")
def puts_it_together_again(forward, x, texts):
    apart = torch.full_like(x, float("nan"))
    for b, here in _parts(texts):
        apart[b, here] = _alone(forward, x, texts, b, here)
    return bool(((apart - forward(x, texts)).abs() <= 1e-5).all())


slips(by_allclose)("""
forgets_nan: nan > 1e-5 is False
    torch.allclose(out[b, here], _alone(forward, x, texts, b, here), rtol=0, atol=1e-5) -> not ((out[b, here] - _alone(forward, x, texts, b, here)).abs() > 1e-5).any()
bit_by_bit: torch.equal has no tolerance
    allclose -> equal
    , rtol=0, atol=1e-5 ->
skips_the_padding: leaves the padding out, which is tested like a text
    in _parts(texts) -> in _parts(texts) if texts[b, here][0] != 0
    , rtol=0, -> ,
tensor_of_a_bool: a tensor instead of a Python bool
    return torch.tensor(by_allclose(forward, x, texts))
rows_alone: takes out whole rows, not texts
    out = forward(x, texts)
    rows = torch.cat([forward(x[b : b + 1], texts[b : b + 1]) for b in range(len(x))])
    return bool(((out - rows).abs() <= 1e-5).all())
only_the_first_row: tries row 0 and its texts
    , rtol=0, -> ,
    (texts) -> (texts[:1])
only_shapes: compares shapes
    return forward(x, texts).shape == x.shape
""")


@right("16.is_right")
def all_texts_by_the_module(forward, layers, x, texts):
    apart = torch.full_like(x, float("nan"))
    with torch.no_grad():
        for b, here in _parts(texts):
            apart[b, here] = layers(x[b : b + 1, here])[0]
    return bool(((apart - forward(x, texts)).abs() <= 1e-5).all())


@right("16.is_right")
def text_by_text(forward, layers, x, texts):
    out = forward(x, texts)
    return all(
        torch.allclose(out[b, here], layers(x[b : b + 1, here])[0], rtol=0, atol=1e-5)
        for b, here in _parts(texts)
    )


slips(text_by_text)("""
nan_passes: nan > 1e-5 is False
    torch.allclose(out[b, here], layers(x[b : b + 1, here])[0], rtol=0, atol=1e-5) -> not ((out[b, here] - layers(x[b : b + 1, here])[0]).abs() > 1e-5).any()
on_average: compares means, in which much cancels out
    torch.allclose(out[b, here], layers(x[b : b + 1, here])[0], rtol=0, atol=1e-5) -> (out[b, here].mean() - layers(x[b : b + 1, here]).mean()).abs() <= 1e-3
exactly_equal: no tolerance
    allclose -> equal
    , rtol=0, atol=1e-5 ->
last_word_only: looks at the last place of each text
    here], layers -> here][-1], layers
    [0], rtol=0, -> [0, -1],
by_the_means: compares the mean of each channel over a text
    here], layers -> here].mean(0), layers
    [0], rtol=0, -> [0].mean(0),
with_itself: compares the program with itself
    return by_allclose(forward, x, texts)
without_texts: gives the module whole rows
    return torch.allclose(forward(x, texts), layers(x), atol=1e-5)
one_text_of_its_own: calls forward with one text for all, where packing can't go wrong
    ones = torch.ones_like(texts)
    return torch.allclose(forward(x, ones), layers(x), atol=1e-5)
shapes_only: the check that everybody writes
    return forward(x, texts).shape == layers(x).shape
""")
