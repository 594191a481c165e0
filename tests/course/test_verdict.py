"""Whatever a learner's function does becomes a sentence, and the sentence is true."""

import pytest
import torch

import attention.masks
from course.colours import COLOURS
from course.learn import exercises
from course.learn.attempt import Late, Outcome
from course.learn.exercises import check
from course.learn.record import Exercise
from course.learn.verdict import judge


def double(x):
    return 2 * x


def even(out, x):
    """every entry has to be even"""
    return bool((out % 2 == 0).all())


def record(inputs=None, draw=None, without=(), answer=double, name="double"):
    inputs = inputs or [(torch.tensor([1.0]),), (torch.tensor([1.0, 2.0, 3.0]),)]
    E = Exercise(f"chapters.ch99.exercises.{name}", inputs, draw=draw, without=without)
    E.answer(answer)
    E.law(even)
    for hint in ("Think of addition.", "x plus x.", "`2 * x`"):
        E.hint(hint)
    return E


DOUBLE = record()
DOUBLE.mistake(lambda x: x**2, "these are the squares: 2 * x and x ** 2 agree only at 0 and 2.")


@pytest.fixture
def known(monkeypatch):
    monkeypatch.setattr(exercises, "load", lambda id: DOUBLE)
    monkeypatch.setattr(exercises, "_answers", {})
    monkeypatch.delenv("COURSE_HEADLESS", raising=False)


def stub(x):
    raise NotImplementedError


def no_such_attribute(x):
    return x.no_such_thing


def prints(x):
    print("x is", x.numel())
    return x


async def waits(x):
    return 2 * x


def in_place(x):
    x *= 2
    return x


def nudges(x):
    x *= 1 + 1e-6
    return 2 * x


def two_lines(x):
    raise ValueError("first line\nsecond line")


def deep(x):
    return deep(x)


@pytest.mark.parametrize(
    ("function", "status", "said"),
    [
        (double, "passed", "passed on 2 inputs."),
        (lambda x: x + x, "passed", "passed on 2 inputs."),
        (stub, "not attempted", "not attempted yet."),
        (lambda x: x * x, "known mistake", "these are the squares"),
        (lambda x: torch.softmax(x > 0, -1), "wrong", "raised NotImplementedError: "),
        (lambda x: None, "wrong", "returned None. Did it reach a `return` that returns"),
        (lambda x: (2 * x)[None], "wrong", "expected the shape (1,), got (1, 1)."),
        (lambda x: 2 * x.double(), "wrong", "of type torch.float32, got torch.float64."),
        (lambda x: (2 * x).tolist(), "wrong", "expected a tensor of shape (1,), got a list."),
        (lambda x: (2 * x).numpy(), "wrong", "expected a tensor of shape (1,), got a numpy.nda"),
        (lambda x: 3 * x, "wrong", "1.0]), every entry has to be even, but you returned [3"),
        (lambda x: 2.0003 * x, "wrong", "even, but you returned [2.0003]."),
        (lambda x: 4 * x, "wrong", "on double([1.0]), expected [2.0], got [4.0]."),
        (no_such_attribute, "wrong", "no attribute 'no_such_thing' in the line `return x.no_s"),
        (two_lines, "wrong", "your function raised ValueError: first line in the line `raise"),
        (deep, "wrong", "your function raised RecursionError"),
        (deep, "wrong", "in the line `return deep(x)`"),
        (in_place, "wrong", "your function changed `x` in place. Work on a new object"),
        (nudges, "wrong", "your function changed `x` in place"),  # if one bit of it is
        (lambda x: (yield), "wrong", "got a generator. Is there a `yield` or an `async` in it?"),
        (waits, "wrong", "got a coroutine. Is there a `yield` or an `async` in it?"),
        (lambda: 1, "wrong", "expected a function of (x), yours takes ()."),
        (lambda x, y: 1, "wrong", "expected a function of (x), yours takes (x, y)."),
        (lambda x, y=2: y * x, "passed", "passed"),
        (lambda *given: 2 * given[0], "passed", "passed"),
        (torch.tensor([2.0]), "wrong", "your function itself, got a tensor of shape (1,);"),
        (None, "wrong", "expected your function itself, got None; pass its name, not a call."),
    ],
)
def test_what_is_said(function, status, said):
    found = judge(DOUBLE, function)
    assert found.status == status and said in found.sentence, found


def test_a_known_mistake_is_shown_where_it_shows():
    found = judge(DOUBLE, lambda x: x * x)
    assert found.seen == "double([1.0]): yours returned [1.0]."


def test_the_smallest_input_that_fails_is_shown():
    E = record(draw=lambda d: (torch.arange(float(d.size(4))),))
    assert "on double([0.0, 1.0, 2.0, 3.0])" in judge(E, lambda x: 2 * x + (len(x) > 3)).sentence


def pairs(x):
    return [(x, 1), (x, 2)]


def refuses(x):
    raise ValueError("no")


def counts(x):
    return {"a": 1, "b": 2}


DIFFERENCES = [  # of a right answer and a wrong one what is said
    (refuses, double, "expected a ValueError, but your function returned [2.0]."),
    (refuses, lambda x: ValueError, "returned a type. Write raise, not return."),
    (refuses, lambda x: ValueError("no"), "returned a ValueError. Write raise, not return."),
    (refuses, lambda x: x[7], "a ValueError, but your function raised IndexError: index 7 is out"),
    (lambda x: ["a", "b"], lambda x: ["a", "c"], "expected ['a', 'b'], got ['a', 'c']."),
    (counts, lambda x: {"a": 1, "b": 3}, "expected {'b': 2}, got {'b': 3}."),
    (counts, lambda x: {"a": 1, "c": 2}, "the key 'b' is missing in ['a', 'c']."),
    (counts, lambda x: {"a": 1, "b": 2, "c": 3}, "the keys ['a', 'b'], got ['a', 'b', 'c']."),
    (
        pairs,
        lambda x: [(x, 1), (x.tolist(), 2)],
        "a tensor of shape (1,) at [1][0] of your answer",
    ),
    (pairs, lambda x: [(x, 1), [x, 2]], "expected a tuple at [1] of your answer, got a list."),
    (pairs, lambda x: [(x, 1), (x, 2.0)], "an int at [1][1] of your answer, got a float."),
    (pairs, lambda x: [(x[None], 1), (x, 2)], "(1,) at [0][0] of your answer, got (1, 1)"),
    (pairs, lambda x: [(x.double(), 1), (x, 2)], "at [0][0] of your answer, got torch.float64."),
    (lambda x: x.mean(), lambda x: x.mean() * torch.nan, "expected 1.0, got nan (not a number)."),
    (lambda x: x, lambda x: x + torch.nan, "expected 1.0 at [0], got nan (not a number)."),
    (lambda x: x, lambda x: 1.001 * x, "expected [1.0], got [1.001]."),
    (lambda x: x, lambda x: 1.00029 * x, "got [1.00029]."),
    (
        lambda x: torch.arange(60.0).view(3, 20),
        lambda x: torch.arange(60.0).view(3, 20) + (torch.arange(20) == 3),
        "expected 3.0 at [0, 3], got 4.0.",
    ),
]


@pytest.mark.parametrize(("right", "wrong", "said"), DIFFERENCES)
def test_what_differs_is_said(right, wrong, said):
    E = record(answer=right, name=right.__name__)
    E.laws = [lambda out, x: out.no_such_thing]  # a law that can't be tried says nothing
    assert judge(E, right).status == "passed"
    assert said in judge(E, wrong).sentence


def test_a_number_that_breaks_a_law_is_not_rounded_until_it_looks_right():
    def a_quarter(out, x):
        """it has to be a quarter"""
        return abs(out.item() - 0.25) < 2e-5

    E = record([(torch.tensor(0.125),)])
    E.laws[:] = [a_quarter]
    assert "a quarter, but you returned 0.25003." in judge(E, lambda x: 2 * x + 3e-5).sentence


def test_two_errors_of_one_kind_get_their_own_hints():
    E = record()
    E.mistake(lambda x: [][0] * x, "the list is empty.")
    E.mistake(lambda x: "x"[5] * x, "the word is too short.")
    assert judge(E, lambda x: "word"[7] + x).sentence == "the word is too short."


def test_an_error_is_placed_where_the_learner_wrote_it():
    def inner(x):
        return x / torch.zeros(3, 7)[None][:, [0] * 5]

    said = judge(record(), lambda x: inner(x.view(1, 1, 1, 1)[9])).sentence
    assert "in the line `said = judge" in said
    said = judge(record(), lambda x: inner(x.expand(2, len(x)))).sentence
    assert "in the line `return x / torch.zeros(3, 7)" in said or "wrong" in said


def test_what_a_function_printed_is_said_once():
    found = judge(DOUBLE, prints)
    assert found.remarks == ("Your function printed: x is 1",)


def test_a_function_that_forgets_nothing_is_told_so():
    seen = []

    def grows(x):
        seen.append(1)
        return 2 * x * len(seen)

    found = judge(DOUBLE, grows)
    assert found.remarks == (
        "Your function does something else when it is called again with the same input.",
    )


def test_a_value_that_changes_later_is_judged_as_it_was_returned():
    def shared(x, out=[]):  # noqa: B006
        out.append(x.numel())
        return out

    E = record(answer=shared, name="shared")
    rights = [E.reference.outcome(n).value for n in (0, 1)]
    assert rights == [[1], [1, 3]]


# ---------------------------------------------------------------- what is to be done without


@pytest.mark.parametrize(
    ("without", "function", "used"),
    [
        (("softmax",), lambda x: 2 * x + 0 * torch.softmax(x, 0), "torch's `softmax`"),
        (("softmax",), lambda x: 2 * x + 0 * x.softmax(0), "torch's `softmax`"),
        (("softmax",), lambda x: 2 * x + 0 * torch.nn.Softmax(0)(x), "torch's `softmax`"),
        (("softmax",), lambda x: 2 * x + 0 * x.log_softmax(0), "torch's `log_softmax`"),
        (("softmax",), lambda x: x + x, ""),
        (("torch",), lambda x: x + x, "torch's `add`"),
        (
            ("attention",),
            lambda x: 2 * x + 0 * causal_mask(1).sum(),
            "`attention.masks.causal_mask`",
        ),
        (("attention",), lambda x: x + x, ""),
    ],
)
def test_what_an_exercise_is_to_do_without_is_noticed(without, function, used):
    found = judge(record(without=without), function)
    if not used:
        assert found.status == "passed"
    else:
        says = f"you use {used}, but this exercise asks you to do without it."
        assert (found.status, found.sentence) == ("wrong", says)


def causal_mask(n):
    return attention.masks.causal_mask(n)


def test_a_known_mistake_is_told_before_what_it_uses():
    E = record(without=("pow",))
    E.mistake(lambda x: x**2, "these are the squares.")
    assert judge(E, lambda x: torch.pow(x, 2)).sentence == "these are the squares."


# ---------------------------------------------------------------- how much is tried


def test_right_or_wrong_an_answer_is_tried_on_all_inputs():
    E = record(draw=lambda d: (d.tensor(d.size()),))
    calls = []

    def times(factor):
        return lambda x: (calls.append(x), factor * x)[1]

    assert judge(E, times(2)).sentence == "passed on 26 inputs." and len(calls) == 26
    assert judge(E, times(4)).status == "wrong"
    assert len(calls) == 26 + 26 + 1  # and once more the one that is shown


def test_an_answer_that_ends_its_process_is_waited_for_once_and_not_called_fickle():
    calls = []

    def run(function, inputs, without=()):
        calls.append(inputs)
        error = Late("was still running when the check stopped it")
        return Outcome(error=error, words=str(error))

    found = judge(DOUBLE, double, run)
    assert found.sentence.endswith(
        "was still running when the check stopped it. Does it ever end?"
    )
    assert (len(calls), found.remarks) == (1, ())


# ---------------------------------------------------------------- the check in a notebook


def test_another_wrong_answer_earns_a_further_hint_and_the_same_one_does_not(known):
    hints = []
    for factor in (4, 4, 4, 6, 4, 8, 10):
        report = check("99.double", lambda x, factor=factor: factor * x)
        hints.append(report.lines[1])
    assert [hint[:6] for hint in hints] == ["Hint 1"] * 3 + ["Hint 2"] * 2 + ["Hint 3"] * 2
    assert hints[3] == "Hint 2: x plus x."


def test_a_report_shows_its_sentence_its_hints_and_the_solution(known):
    page = check("99.double", lambda x: 4 * x)._repr_html_()
    assert page.count("<summary>") == 3 and "<summary>Solution</summary>" in page
    assert page.count("Hint 1") == 1  # it is told, so it isn't folded below as well
    assert "<code>2 * x</code>" in page and COLOURS["wrong"] in page
    assert COLOURS["value"] in check("99.double", double)._repr_html_()


def test_a_report_says_what_it_is_for_the_book_and_the_decks(known):
    [data] = check("99.double", stub)._repr_mimebundle_().values()
    assert data == {"exercise": DOUBLE.id}


def test_a_check_that_fails_itself_is_no_fault_of_the_answer(known, monkeypatch):
    monkeypatch.setattr(exercises.apart, "verdict", lambda *given: 1 / 0)
    said = "the check itself failed, not your answer (ZeroDivisionError: division by zero)."
    assert repr(check("99.double", double)) == f"99.double: {said}"
