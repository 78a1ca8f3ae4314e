"""What the specialiser refuses, by file and line. Each function has the word HERE in the line that the message must name."""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any

import numpy as np
import pytest

from engine.compile.specialiser import SpecialiseError, specialise


class Traits:
    no, number = False, 3
    table = np.arange(4, dtype=np.uint64)
    items = (1, 2, 3)
    nobody: tuple[int, ...] = ()
    pairs = ((1, 2), (3, 4))


LIMIT = 2


def _assigns_parameter(rules: Any, mode: Any) -> Any:
    if rules.no:
        mode += 1  # HERE
    return mode


def _assigns_in_a_tuple(rules: Any, mode: Any) -> Any:
    other, mode = 1, 2  # HERE
    return other + mode


def _loops_over_parameter(rules: Any, mode: Any) -> Any:
    for mode in range(3):  # HERE # noqa: B007
        pass
    return 0


def _assigns_loop_variable(rules: Any, mode: Any) -> Any:
    total = 0
    for item in rules.items:
        item += 1  # HERE
        total += item
    return total


def _breaks(rules: Any, mode: Any) -> Any:
    total = 0
    while total < 5:
        for item in rules.items:
            if item == total:
                break  # HERE
            total += item
    return total


def _continues(rules: Any, mode: Any) -> Any:
    total = 0
    for _ in range(2):
        for item in rules.items:
            if item == 2:
                continue  # HERE
            total += item
    return total


def _breaks_in_the_else_of_an_inner_loop(rules: Any, mode: Any) -> Any:
    total = 0
    for item in rules.items:
        for turn in range(item):
            total += turn
        else:
            break  # HERE
    return total


def _has_else(rules: Any, mode: Any) -> Any:
    total = 0
    for item in rules.items:  # HERE
        total += item
    else:
        total += 100
    return total


def _uses_the_variable_later(rules: Any, mode: Any) -> Any:
    total = 0
    for item in rules.items:
        total += item
    return total + item  # HERE


def _unpacks(rules: Any, mode: Any) -> Any:
    total = 0
    for first, second in rules.pairs:  # HERE
        total += first * second
    return total


def _loops_over_a_table(rules: Any, mode: Any) -> Any:
    total = 0
    for value in rules.table:  # HERE
        total += value
    return total


def _has_an_inner_function(rules: Any, mode: Any) -> Any:
    def inner(x: Any) -> Any:  # HERE
        return x + rules.number
    return inner(1)


def _has_a_lambda(rules: Any, mode: Any) -> Any:
    add = lambda number: number + rules.number  # noqa: E731 HERE
    return add(1)  # type: ignore[no-untyped-call]


def _has_a_comprehension(rules: Any, mode: Any) -> Any:
    return sum([mode for mode in range(3)])  # noqa: C416 HERE


def _misspells(rules: Any, mode: Any) -> Any:
    return rules.nubmer  # HERE


def _reaches_too_far(rules: Any, mode: Any) -> Any:
    return rules.items[3]  # HERE


def _catches(rules: Any, mode: Any) -> Any:
    try:  # HERE
        return rules.number
    except ValueError:
        return 0


def _reads_the_variable_before(rules: Any, mode: Any) -> Any:
    total, item, turn = 0, 0, 0
    while turn < mode:
        total += item * 100  # HERE
        for item in rules.items:
            total += item
        turn += 1
    return total


def _reads_it_in_a_runtime_loop(rules: Any, mode: Any) -> Any:
    total, item = 0, 7
    for turn in range(mode):
        if turn > 0:
            total += item  # HERE
        for item in rules.items:
            total += item
    return total


def _reads_it_in_a_loop_afterwards(rules: Any, mode: Any) -> Any:
    total, item = 0, 7
    for item in rules.items:
        total += item
    for _ in range(mode):
        total += item  # HERE
    return total


def _reads_it_after_a_loop_inside(rules: Any, mode: Any) -> Any:
    total, part = 0, 7
    for item in rules.items:
        for _ in range(mode):
            for part in rules.nobody:
                total += part
        total += item
    return total + part  # HERE


def _makes_a_closure(limit: int) -> Any:
    def closed(rules: Any, mode: Any) -> Any:  # HERE
        return mode + limit
    return closed


def _decorator(function: Any) -> Any:
    @functools.wraps(function)
    def changed(rules: Any, mode: Any) -> Any:
        return function(rules, mode) + 1000
    return changed


@_decorator
def _is_decorated(rules: Any, mode: Any) -> Any:  # HERE
    return mode


def _yields(rules: Any, mode: Any) -> Any:
    if rules.no:
        yield mode  # HERE
    return mode


def _assigns_where_nothing_is_left(rules: Any, mode: Any) -> Any:
    if rules.no:
        LIMIT = 5
    return LIMIT + mode  # HERE


def _compares_what_has_no_order(rules: Any, mode: Any) -> Any:
    return rules.items < rules.number  # HERE


def _looks_in_a_number(rules: Any, mode: Any) -> Any:
    return 3 in rules.number  # HERE


def _deletes(rules: Any, mode: Any) -> Any:
    del mode  # HERE
    return 0


def _has_a_with(rules: Any, mode: Any) -> Any:
    with rules.table:  # HERE
        return mode


def _matches(rules: Any, mode: Any) -> Any:
    match mode:  # HERE
        case 1:
            return 2
    return 3


def _is_global(rules: Any, mode: Any) -> Any:
    global unheard_of  # HERE
    unheard_of = mode  # type: ignore[name-defined]
    return mode


def _imports(rules: Any, mode: Any) -> Any:
    import math  # HERE
    return math.floor(mode)


def _has_a_class(rules: Any, mode: Any) -> Any:
    class Inner:  # HERE
        pass
    return Inner


@pytest.mark.parametrize("function", [
    _reads_the_variable_before, _reads_it_in_a_runtime_loop, _reads_it_in_a_loop_afterwards, _reads_it_after_a_loop_inside,
    _makes_a_closure(2), _yields, _assigns_where_nothing_is_left,
    _compares_what_has_no_order, _looks_in_a_number, _deletes, _has_a_with, _matches, _is_global, _imports, _has_a_class,
    _assigns_parameter, _assigns_in_a_tuple, _loops_over_parameter, _assigns_loop_variable, _breaks, _continues,
    _breaks_in_the_else_of_an_inner_loop, _has_else, _uses_the_variable_later, _unpacks, _loops_over_a_table,
    _has_an_inner_function, _has_a_lambda, _has_a_comprehension, _misspells, _reaches_too_far, _catches])
def test_what_cannot_be_folded_is_refused_by_file_and_line(function: Any) -> None:
    lines, first = inspect.getsourcelines(function)
    line = next(number for number, text in enumerate(lines, first) if "HERE" in text)
    with pytest.raises(SpecialiseError, match=re.escape(f"{__file__}:{line}: ")):
        specialise(function, {"rules": Traits, "mode": 1})


def test_a_decorated_function_is_refused() -> None:
    with pytest.raises(SpecialiseError, match=re.escape(f"{__file__}:") + r"\d+: cannot specialise"):
        specialise(_is_decorated, {"rules": Traits})  # type: ignore[arg-type]


def test_a_lambda_is_refused() -> None:
    with pytest.raises(SpecialiseError, match=re.escape(f"{__file__}:") + r"\d+: cannot specialise: no definition"):
        specialise(lambda rules: rules.number, {"rules": Traits})  # type: ignore[arg-type]
