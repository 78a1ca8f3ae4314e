"""Perft: counting the leaves of the game tree, the last ply by counting moves without making them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np

from engine.bits import ONE, ZERO
from engine.jit import entry
from engine.legality import generate, play_kernel
from engine.movegen import ALL_MOVES, COUNT, MAX_MOVES
from engine.position import make
from engine.rules import Rules
from engine.text import Position, legal_moves

MAX_DEPTH = 60


@entry
def perft_kernel(rules, stack, lists, ply, depth):
    """Leaves `depth` >= 1 plies below stack[ply]; stack uint64[plies, words], lists uint32[plies, MAX_MOVES]."""
    pos, moves = stack[ply], lists[ply]
    if depth == 1:
        return generate(rules, pos, COUNT, moves)
    child = stack[ply + 1]
    total = ZERO
    n = generate(rules, pos, ALL_MOVES, moves)
    i = ZERO
    while i < n:
        make(rules, pos, child, np.uint64(moves[i]), False)
        if depth == 2:
            total += generate(rules, child, COUNT, lists[ply + 1])
        else:
            total += perft_kernel(rules, stack, lists, ply + 1, depth - 1)
        i += ONE
    return total


def workspace(rules: Rules, pos: Position, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """(uint64[plies, words] with `pos` first, uint32[plies, MAX_MOVES]) for a kernel of that depth.

    The rows start on cache lines: a position that straddles three of them is copied noticeably slower.
    """
    words = rules.traits.words
    stride = -(-words // 8) * 8
    raw = np.zeros((depth + 2) * stride + 8, np.uint64)
    start = (-raw.ctypes.data // 8) % 8
    stack = raw[start:start + (depth + 2) * stride].reshape(depth + 2, stride)
    stack[0, :words] = pos
    return stack, np.empty((depth + 2, MAX_MOVES), np.uint32)


def perft(rules: Rules, pos: Position, depth: int) -> int:
    """Leaves of the tree of `depth` plies; 1 for depth 0. Bulk counting: the last ply's moves are counted, not made.

    Raises: ValueError for a depth outside 0 .. MAX_DEPTH.
    >>> from variants import find; from engine.text import parse_fen
    >>> perft(find("atomic"), parse_fen(find("atomic"), find("atomic").start_fen), 4)
    197326
    """
    if not 0 <= depth <= MAX_DEPTH:
        raise ValueError(f"depth {depth} is not from 0 to {MAX_DEPTH}")
    if depth == 0:
        return 1
    stack, lists = workspace(rules, pos, depth)
    return int(perft_kernel(rules, stack, lists, np.int64(0), np.int64(depth)))


def divide(rules: Rules, pos: Position, depth: int, stop: Callable[[], bool] | None = None) -> Iterator[tuple[int, int]]:
    """(move, leaves below it) for each root move; ends early when `stop()` says so between two of them."""
    if depth < 1:
        return
    stack, lists = workspace(rules, pos, depth)
    for move in legal_moves(rules, pos):
        if stop is not None and stop():
            return
        leaves = 1
        if depth > 1:
            play_kernel(rules, pos, stack[1, :rules.traits.words], np.uint64(move))
            leaves = int(perft_kernel(rules, stack, lists, np.int64(1), np.int64(depth - 1)))
        yield int(move), leaves


def count_moves(rules: Rules, pos: Position, depth: int, threads: int = 1,
                on_part: Callable[[int, int], None] | None = None) -> dict[int, int]:
    """Leaves below each root move, by move, counted by several threads; depth >= 1.

    The tree is cut two plies down, so that the threads end together. on_part(done, total) is called after each part.
    Raises: ValueError for a depth outside 1 .. MAX_DEPTH or less than one thread.
    """
    if not 1 <= depth <= MAX_DEPTH or threads < 1:
        raise ValueError(f"depth {depth} is not from 1 to {MAX_DEPTH}, or {threads} threads are too few")
    roots = [int(move) for move in legal_moves(rules, pos)]
    if depth == 1:
        return dict.fromkeys(roots, 1)
    counts = dict.fromkeys(roots, 0)
    parts = [(move, child, depth - 1) for move in roots for child in [_after(rules, pos, move)]]
    if depth > 3:
        parts = [(root, _after(rules, child, int(move)), depth - 2)
                 for root, child, _ in parts for move in legal_moves(rules, child)]
    with ThreadPoolExecutor(threads) as pool:  # the kernel runs without the GIL
        jobs = {pool.submit(perft, rules, child, left): root for root, child, left in parts}
        try:
            for done, job in enumerate(as_completed(jobs), 1):
                counts[jobs[job]] += job.result()
                if on_part is not None:
                    on_part(done, len(jobs))
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return counts


def _after(rules: Rules, pos: Position, move: int) -> Position:
    child = np.zeros_like(pos)
    play_kernel(rules, pos, child, np.uint64(move))
    return child
