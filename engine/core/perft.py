"""Perft: counting the leaves of the game tree, the last ply by counting moves without making them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

import numpy as np

from engine.compile.jit import entry, jit
from engine.core.bits import ONE, ZERO, row_on_stack
from engine.core.legality import advance, generate, legal_moves, play_kernel, position_after
from engine.core.movegen import ALL_MOVES, COUNT
from engine.core.position import Position
from engine.rules import CLOCK, KEY, PLY, TURN, Rules

MAX_DEPTH = 60
PARTS = 64  # per thread: many, so that all end together and a progress bar moves
QUICK = 6  # plies that one thread counts in a second or two: the tree is cut at the root moves only


@entry
def perft_kernel(rules, stack, lists, ply, depth):
    """Leaves `depth` >= 1 plies below stack[ply]; stack uint64[plies, words], lists uint32[plies, rules.max_moves]."""
    pos, moves = stack[ply], lists[ply]
    if depth == 1:
        return generate(rules, pos, COUNT, moves)
    if depth == 2:
        return last_two(rules, pos, moves, lists[ply + 1])
    child = stack[ply + 1]
    total = ZERO
    n = generate(rules, pos, ALL_MOVES, moves)
    i = ZERO
    while i < n:
        advance(rules, pos, child, np.uint64(moves[i]))
        total += perft_kernel(rules, stack, lists, ply + 1, depth - 1)
        i += ONE
    return total


@jit
def last_two(rules, pos, moves, room):
    """Leaves two plies below `pos`; moves and room are uint32[rules.max_moves] to write to."""
    n = generate(rules, pos, ALL_MOVES, moves)
    if pos[TURN] == ZERO:
        return replies(rules, pos, moves, n, room, ZERO)
    return replies(rules, pos, moves, n, room, ONE)


@jit(forceinline=True)
def replies(rules, pos, moves, n, room, us):
    """How many moves answer the first `n` of `moves`. us: the side to move, a constant.

    Its two stores change nothing. They tell the compiler which side it is, so that it makes code for each.
    """
    child = row_on_stack(rules.words)
    total = ZERO
    i = ZERO
    while i < n:
        pos[TURN] = us
        advance(rules, pos, child, np.uint64(moves[i]))
        child[TURN] = us ^ ONE
        total += generate(rules, child, COUNT, room)
        i += ONE
    return total


def workspace(rules: Rules, pos: Position, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """(uint64[plies, words] with `pos` first, uint32[plies, max_moves]) for a kernel of that depth.

    The rows start on cache lines: a position that straddles three of them is copied noticeably slower.
    """
    words = rules.traits.words
    stride = -(-words // 8) * 8
    raw = np.zeros((depth + 2) * stride + 8, np.uint64)
    start = (-raw.ctypes.data // 8) % 8
    stack = raw[start:start + (depth + 2) * stride].reshape(depth + 2, stride)
    stack[0, :words] = pos
    return stack, np.empty((depth + 2, rules.traits.max_moves), np.uint32)


def perft(rules: Rules, pos: Position, depth: int, table: np.ndarray | None = None) -> int:
    """Leaves of the tree of `depth` plies; 1 for depth 0. Bulk counting: the last ply's moves are counted, not made.

    table: hashed_perft.new_table(), for positions reached in several ways; kept from call to call, shared by threads.
    Raises: ValueError for a depth outside 0 .. MAX_DEPTH; OverflowError for 2^64 leaves or more.
    >>> from variants import find; from engine.text import parse_fen
    >>> perft(find("atomic"), parse_fen(find("atomic"), find("atomic").start_fen), 4)
    197326
    """
    if not 0 <= depth <= MAX_DEPTH:
        raise ValueError(f"depth {depth} is not from 0 to {MAX_DEPTH}")
    if depth == 0:
        return 1
    stack, lists = workspace(rules, pos, depth)
    if table is None:
        return int(perft_kernel(rules, stack, lists, np.int64(0), np.int64(depth)))
    from engine.core.hashed_perft import TOO_MANY, hashed_kernel  # engines start without it

    leaves = int(hashed_kernel(rules, table, stack, lists, np.int64(0), np.int64(depth)))
    if leaves == int(TOO_MANY):
        raise OverflowError(f"more than 2^64 leaves at depth {depth}")
    return leaves


def breakdown(rules: Rules, pos: Position, depth: int) -> Counter[str]:
    """How many of the last moves of all lines of `depth` plies are of which kind, by breakdown.KINDS; nothing for depth 0.

    Raises: ValueError for a depth outside 0 .. MAX_DEPTH.
    """
    if not 0 <= depth <= MAX_DEPTH:
        raise ValueError(f"depth {depth} is not from 0 to {MAX_DEPTH}")
    from engine.core.breakdown import KINDS, breakdown_kernel  # engines start without it

    counts = np.zeros(len(KINDS), np.uint64)
    if depth:
        stack, lists = workspace(rules, pos, depth)
        breakdown_kernel(rules, stack, lists, np.int64(0), np.int64(depth), counts)
    return Counter({kind: int(count) for kind, count in zip(KINDS, counts, strict=True)})


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


@dataclass(frozen=True)
class Part:
    """A subtree: where it begins, how deep it is, and how often it hangs below each root move."""

    words: tuple[int, ...]
    depth: int
    roots: Counter[int]

    @property
    def position(self) -> Position:
        """The position, uint64[words]."""
        return np.array(self.words, np.uint64)


def parts(rules: Rules, pos: Position, depth: int, wanted: int, merge: bool = False) -> list[Part]:
    """The tree of `depth` >= 1 plies below `pos` cut into at least `wanted` subtrees if it has that many, none trivial.

    merge: what hangs below several moves is one subtree.
    """
    found = [Part(_words(position_after(rules, pos, move)), depth - 1, Counter({move: 1}))
             for move in map(int, legal_moves(rules, pos))]
    while found and len(found) < wanted and found[0].depth > 2:
        deeper: dict[object, Part] = {}
        for part in found:
            for move in legal_moves(rules, part.position):
                child = position_after(rules, part.position, int(move))
                child[[KEY, CLOCK, PLY]] = 0
                words = _words(child)
                key = words if merge else len(deeper)
                known = deeper.get(key)
                roots = part.roots if known is None else known.roots + part.roots
                deeper[key] = Part(words, part.depth - 1, roots)
        found = list(deeper.values())
    return found


def count_moves(rules: Rules, pos: Position, depth: int, threads: int = 1,
                on_part: Callable[[int, int], None] | None = None, table: np.ndarray | None = None) -> dict[int, int]:
    """Leaves below each root move, by move, counted by several threads; depth >= 1.

    on_part(done, total) is called after each of the parts into which the tree is cut; table as in perft().
    Raises: ValueError for a depth outside 1 .. MAX_DEPTH or less than one thread; OverflowError as perft().
    """
    if not 1 <= depth <= MAX_DEPTH or threads < 1:
        raise ValueError(f"depth {depth} is not from 1 to {MAX_DEPTH}, or {threads} threads are too few")
    counts = {int(move): 0 for move in legal_moves(rules, pos)}
    wanted = 1 if threads == 1 and depth <= QUICK else PARTS * threads
    cut = parts(rules, pos, depth, wanted, merge=table is not None)
    for done, (part, leaves) in enumerate(_counted(rules, cut, threads, table), 1):
        for root, times in part.roots.items():
            counts[root] += times * leaves
        if on_part is not None:
            on_part(done, len(cut))
    return counts


def _counted(rules: Rules, cut: list[Part], threads: int, table: np.ndarray | None) -> Iterator[tuple[Part, int]]:
    """Each part and its leaves, in the order in which they are done."""
    if threads == 1:
        for part in cut:
            yield part, perft(rules, part.position, part.depth, table)
        return
    with ThreadPoolExecutor(threads) as pool:  # the kernel runs without the GIL
        jobs = {pool.submit(perft, rules, part.position, part.depth, table): part for part in cut}
        try:
            for job in as_completed(jobs):
                yield jobs[job], job.result()
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _words(pos: Position) -> tuple[int, ...]:
    return tuple(map(int, pos))
