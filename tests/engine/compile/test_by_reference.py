"""Named tuples that kernels take by reference."""

from __future__ import annotations

import sys
from collections import namedtuple

import numba
import numpy as np
import pytest

from engine.compile.by_reference import Reference, by_reference
from engine.compile.jit import entry, jit
from engine.compile.specialiser import SpecialiseError


@by_reference
class Inner(namedtuple("Inner", "bits size")):
    pass


@by_reference
class Outer(namedtuple("Outer", "board inner")):
    ROW = 1


@jit
def _total(outer, row):  # type: ignore[no-untyped-def]
    return np.uint64(outer.board[row, 2]) + outer.inner.bits[outer.inner.size] + np.uint64(row)


@entry
def _read(outer, extra):  # type: ignore[no-untyped-def]
    outer.inner.bits[0] = np.uint64(extra)
    return _total(outer, outer.ROW)


@entry
def _misspelled(outer):  # type: ignore[no-untyped-def]
    return outer.bord[0, 0]


def made(dtype: type = np.uint64) -> Outer:
    return Outer(np.arange(6, dtype=dtype).reshape(2, 3), Inner(np.array([7, 8, 9], np.uint64), 2))


def test_fields_are_read_and_written_where_they_are() -> None:
    outer = made()
    assert _read(outer, 5) == 5 + 9 + 1
    assert outer.inner.bits[0] == 5


def test_the_type_tells_fields_apart_and_knows_the_inner_one() -> None:
    kind = numba.typeof(made())
    assert isinstance(kind, Reference) and isinstance(kind.record[1], Reference)
    assert kind != numba.typeof(made(np.uint32))
    assert _read(made(np.uint32), 1) == 15


def test_a_call_keeps_no_reference() -> None:
    outer = made()
    _read(outer, 1)
    held = sys.getrefcount(outer), sys.getrefcount(outer.board), sys.getrefcount(outer.inner.bits)
    for _ in range(20):
        _read(outer, 1)
    assert held == (sys.getrefcount(outer), sys.getrefcount(outer.board), sys.getrefcount(outer.inner.bits))


def test_a_field_that_is_not_there_is_named() -> None:
    with pytest.raises(SpecialiseError, match=r"outer\.bord"):
        _misspelled(made())
