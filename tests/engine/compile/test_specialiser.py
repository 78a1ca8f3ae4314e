"""The specialiser: folded functions do what their source does. test_refusals.py has what cannot be folded faithfully."""

from __future__ import annotations

import inspect
import re
from collections import namedtuple
from enum import IntEnum
from types import FunctionType
from typing import Any

import numba
import numpy as np
import pytest

import variants
from engine.compile.jit import entry, inline, jit
from engine.compile.specialiser import Record, SpecialiseError, specialise


class Traits:
    yes, no, number = True, False, 3
    table = np.arange(4, dtype=np.uint64)
    items = (1, 2, 3)
    nobody: tuple[int, ...] = ()
    absent = None


LIMIT = 2


def _if(rules: Any, x: Any) -> Any:
    if rules.no:
        return undefined_name  # type: ignore[name-defined]  # noqa: F821
    elif rules.yes and x > 1:
        return "big"
    else:
        return "small"


def _if_not_none(rules: Any, x: Any) -> Any:
    if rules.absent is not None and rules.absent.nothing[x]:
        x += 1
    return x if not rules.absent else undefined_name  # type: ignore[name-defined]  # noqa: F821


def _conditional(rules: Any, x: Any) -> Any:
    return (x + 1 if rules.number == LIMIT + 1 else undefined_name) * rules.number  # type: ignore[name-defined]  # noqa: F821


def _bool(rules: Any, x: Any) -> Any:
    return [bool(rules.yes and x), bool(rules.no or x), rules.no and x.missing, rules.yes or x.missing,
            bool(x and rules.no), bool(x or rules.yes)]


def _unrolled(rules: Any, x: Any) -> Any:
    total = 0
    for item in rules.items:
        if item > 1:
            total += item * x
    for item in rules.nobody:
        total += item.missing
    for turn in range(2):
        total += turn
    return total


def _loop(rules: Any, x: Any) -> Any:
    n = 0
    while x:
        x -= 1
        if rules.no:
            break
        if x == 1:
            continue
        n += rules.number
    return n


def _early(rules: Any, x: Any) -> Any:
    for item in rules.items:
        if item == 2:
            return item
    return x


def _table(rules: Any, x: Any) -> Any:
    return rules.table[x] + rules.table[rules.items[0]]


def _shadow(rules: Any, x: Any) -> Any:
    LIMIT = x
    return LIMIT + 0


@pytest.mark.parametrize(("function", "argument", "result"), [
    (_if, 2, "big"), (_if, 0, "small"), (_if_not_none, 5, 5), (_conditional, 4, 15),
    (_bool, 1, [True, True, False, True, False, True]), (_bool, 0, [False, False, False, True, False, True]),
    (_unrolled, 10, 51), (_loop, 5, 12), (_early, 9, 2), (_table, 3, 4), (_shadow, 7, 7)])
def test_specialise(function: Any, argument: Any, result: Any) -> None:
    folded = specialise(function, {"rules": Traits})
    assert folded(None, argument) == result
    assert "undefined_name" not in folded.__code__.co_names and "missing" not in folded.__code__.co_names
    assert "rules" not in folded.__code__.co_names


def test_specialise_keeps_the_signature_and_the_original() -> None:
    assert isinstance(_if, FunctionType)
    folded = specialise(_if, {"rules": Traits, "x": 5})
    assert folded.__code__.co_varnames[:2] == ("rules", "x")
    assert folded(None, None) == "big"
    assert "undefined_name" in _if.__code__.co_names


def _loops_inside(rules: Any, mode: Any) -> Any:
    total = 0
    for item in rules.items:
        for turn in range(10):
            if turn == item + mode:
                break
            if turn == 1:
                continue
            total += turn * item
        else:
            total += 1000
    return total


def test_break_and_continue_of_a_loop_inside_are_its_own() -> None:
    assert isinstance(_loops_inside, FunctionType)
    assert specialise(_loops_inside, {"rules": Traits})(None, 3) == _loops_inside(Traits, 3)
    assert specialise(_loops_inside, {"rules": Traits})(None, 30) == _loops_inside(Traits, 30)


# Compiled and specialised they agree with the source, run by Python, on random numbers.


class Plain:
    """A game's traits by default."""

    yes, no, number, big, none, some = True, False, 3, 1 << 62, 0, 5
    table = np.arange(7, 15, dtype=np.int64)
    items: tuple[int, ...] = (1, 2, 3)
    nested = ((1, 2), (3,))
    nobody: tuple[int, ...] = ()
    absent = None


class Other(Plain):
    """And of another game."""

    yes, no, number, none, some = False, True, 0, 7, 0
    items = (4,)
    nobody = (9, 9)


def _values_of_and_and_or(rules: Any, x: Any, y: Any) -> Any:
    total = (rules.some or 1) + (rules.none or x) * 3 + (rules.some and y) * 5
    return total + (x and rules.number) * 7 + (rules.none and 2) * 11


def _truth(rules: Any, x: Any, y: Any) -> Any:
    total = 0
    if (rules.yes and x > 0) or (rules.none and y > 0):
        total += 1
    if not (x > 0 or rules.no) or (rules.number and not y > 0):
        total += 2
    if x > 0 and rules.yes and y > 0 and rules.some:
        total += 4
    while total < 20 and (rules.some or x > 2):
        total += 8
    return total


def _choices(rules: Any, x: Any, y: Any) -> Any:
    best = (rules.number if x > y else LIMIT) if rules.number > LIMIT else y - rules.number * LIMIT
    return -best if not rules.absent and x > 0 else best + (1 if rules.absent is None and LIMIT in rules.items else 2)


def _loops(rules: Any, x: Any, y: Any) -> Any:
    total = 0
    for item in rules.items:
        if item < 3:
            total = total * 2 + item * x
        for pair in rules.nested:
            for part in pair:
                if part != item:
                    total += part * y
    for item in rules.nobody:
        total -= item
    k = 0
    while k < 4:
        k += 1
        if rules.no and k == 2:
            continue
        if k == 3 and y > 0:
            break
        total += rules.items[0] * k
    else:
        total += rules.number
    for turn in range(3):
        if turn == x:
            break
    else:
        total += 50 * rules.number
    return total


def _tables(rules: Any, x: Any, y: Any) -> Any:
    return rules.table[x % 8] * rules.number + rules.table[rules.items[0]] - rules.table[y % 8] if rules.yes else rules.table[0]


def _overflow(rules: Any, x: Any, y: Any) -> Any:
    return (rules.big - 1) * 1 + (x + rules.number - y) * (rules.number - 7)


def _early_return(rules: Any, x: Any, y: Any) -> Any:
    for item in rules.items:
        if item == 2:
            return item * x
        if x == item:
            return y
    return -1


class Kind(IntEnum):
    """Constants of a module may be of a class of their own."""

    LOW, HIGH = 1, 4


LOW, HIGH = Kind


def _comparisons(rules: Any, x: Any, y: Any) -> Any:
    total = 0
    if 0 < rules.number < x < rules.number + LIMIT:
        total += 1
    if x in (rules.number, LIMIT, HIGH) and rules.number not in rules.items:
        total += 2
    if LOW <= x <= HIGH or rules.number == LOW + LIMIT:
        total += 4
    return total * (HIGH if rules.yes else LOW)


def _assignments(rules: Any, x: Any, y: Any) -> Any:
    best = 9
    total = best if rules.yes and (best := x) > 1 else rules.number - best
    total += rules.some
    total -= -LIMIT
    for turn in range(rules.number, -rules.number, -1):
        total += turn * y
    for item in range(x):  # the name of an unrolled loop, in a loop of its own
        total += item
    for item in rules.items:
        total += item
    k = 0
    while rules.no:
        k += 1
        if k > x:
            break
    else:
        k = 10
    return total + k


@pytest.mark.parametrize("traits", [Plain, Other])
@pytest.mark.parametrize("function", [
    _comparisons, _assignments, _values_of_and_and_or, _truth, _choices, _loops, _tables, _overflow, _early_return])
def test_compiled_functions_agree_with_their_source(function: Any, traits: Any) -> None:
    folded = specialise(function, {"rules": traits})
    compiled = numba.njit(folded)
    chance = np.random.default_rng(15)
    for x, y in chance.integers(-6, 7, (200, 2)).tolist():
        expected = function(traits, x, y)
        assert folded(None, x, y) == expected and int(compiled(None, x, y)) == expected, (x, y)


# Named tuples: the class is known, the fields are not


class Counted(namedtuple("Counted", "weights counts")):
    """A sum that also writes down what it adds."""

    traced = True


class Summed(namedtuple("Summed", "weights")):
    """A sum alone."""

    traced = False


@jit(forceinline=True, runtime=("feature", "times"))
def _term(sheet, feature, times):  # type: ignore[no-untyped-def]
    if sheet.traced:
        sheet.counts[feature] += times
    return sheet.weights[feature] * times


@entry
def _plain_sum(weights):  # type: ignore[no-untyped-def]
    sheet = Summed(weights)
    return _term(sheet, 1, 3) + _term(sheet, 2, weights[0])


@entry
def _counted_sum(weights, counts):  # type: ignore[no-untyped-def]
    sheet = Counted(weights, counts)
    return _term(sheet, 1, 3) + _term(sheet, 2, weights[0])


def test_class_constants_of_a_named_tuple_are_folded() -> None:
    weights, counts = np.array([5, 10, 100]), np.zeros(3, np.int64)
    assert _plain_sum(weights) == _counted_sum(weights, counts) == 530
    assert counts.tolist() == [0, 3, 5]
    folded = specialise(_term, {"sheet": Record(Summed)})
    assert "counts" not in folded.__code__.co_names and folded(Summed(weights), 1, 3) == _term(Summed(weights), 1, 3)


class Pair(namedtuple("Pair", "first second")):
    """Two numbers."""

    weight = 3

    @property
    def total(self) -> Any:
        """Their sum: it depends on the fields."""
        return self.first + self.second


@jit
def _compare(one, other):  # type: ignore[no-untyped-def]
    if one == other:
        return one.weight
    return 0 if one is not None and other is not None else -1


@entry
def _compare_pairs(a, b):  # type: ignore[no-untyped-def]
    return _compare(Pair(a, 1), Pair(b, 1))


def test_named_tuples_are_compared_by_their_fields() -> None:
    assert _compare_pairs(4, 4) == 3 and _compare_pairs(4, 5) == 0
    folded = specialise(_compare, {"one": Record(Pair), "other": Record(Pair)})
    assert folded(Pair(1, 2), Pair(1, 2)) == 3 and folded(Pair(1, 2), Pair(3, 4)) == 0


def _asks_a_property(sheet: Any) -> Any:
    return sheet.total  # HERE


def test_a_property_of_a_named_tuple_is_refused() -> None:
    with pytest.raises(SpecialiseError, match="no such trait"):
        specialise(_asks_a_property, {"sheet": Record(Pair)})  # type: ignore[arg-type]


def _misspells_a_record(sheet: Any) -> Any:
    return sheet.traecd  # HERE


def test_a_named_tuple_without_the_attribute_is_refused() -> None:
    _, first = inspect.getsourcelines(_misspells_a_record)
    with pytest.raises(SpecialiseError, match=re.escape(f"{__file__}:{first + 1}: ")):
        specialise(_misspells_a_record, {"sheet": Record(Summed)})  # type: ignore[arg-type]


# The decorators


@jit
def _named_piece(rules, index):  # type: ignore[no-untyped-def]
    for piece in rules.pieces:
        if piece.index == index:
            return piece.index * 100
    return 0


@entry
def _down(rules, n):  # type: ignore[no-untyped-def]
    """Calls itself, first with a literal; only a folded test keeps the undefined names away from numba."""
    if rules.captures_explode:
        return undefined_name  # type: ignore[name-defined]  # noqa: F821
    if n == 0:
        return _named_piece(rules, 2)
    return _down(rules, 0) + n


def test_an_entry_is_specialised_and_calls_itself() -> None:
    assert _down(variants.find("chess"), 7) == 207
    assert len(_down.overloads) == 1, "a literal argument compiled a version of its own"
    with pytest.raises(numba.TypingError, match="undefined_name"):
        _down(variants.find("atomic"), 7)


def _compiled_versions(function: Any) -> set[Any]:
    (template,) = numba.core.registry.cpu_target.typing_context.resolve_value_type(function).templates
    return {key[1][1:] for key in template._impl_cache}


@jit
def _folded(rules, number):  # type: ignore[no-untyped-def]
    return number + 1


@jit(runtime=("number",))
def _varying(rules, number):  # type: ignore[no-untyped-def]
    return number + 1


@entry
def _calls(rules):  # type: ignore[no-untyped-def]
    return _folded(rules, 3) + _folded(rules, 4) + _varying(rules, 3) + _varying(rules, 4)


def test_only_a_runtime_parameter_is_compiled_once_for_all_literals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_calls, "_cache", numba.core.caching.NullCache())  # what is loaded compiles no version
    assert _calls(variants.find("chess")) == 18
    assert len(_compiled_versions(_folded)) == 2
    assert _compiled_versions(_varying) == {(numba.int64,)}


@inline
def _halved(number):  # type: ignore[no-untyped-def]
    return number >> np.uint64(1)


@entry
def _quartered(number):  # type: ignore[no-untyped-def]
    return _halved(_halved(number))


def test_python_may_call_what_kernels_inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels have code without wrappers, to which a call from Python would end the process."""
    monkeypatch.setattr(_quartered, "_cache", numba.core.caching.NullCache())  # a kernel that is loaded compiles nothing
    number = np.uint64((1 << 64) - 4)
    for _ in range(2):
        assert int(_quartered(number)) == (1 << 62) - 1
        assert int(_halved(number)) == (1 << 63) - 2
    assert _halved.overloads.keys() == {(numba.uint64,)}
