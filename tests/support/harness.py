"""Checks of the engine's positions that several tests make: moves as text, and what must always hold."""

from __future__ import annotations

from dataclasses import dataclass

import chess
import numpy as np

from engine.core.bits import bitboard
from engine.core.legality import count_kernel, full_key_kernel, play_kernel, split_kernel
from engine.core.moves import EN_PASSANT, KIND, PROMOTION, TO
from engine.core.perft import divide
from engine.rules import BLACK, CASTLING, EP, KEY, TURN, TYPES, WHITE, Rules
from engine.squares import square_name
from engine.text import Position, legal_moves, move_text, to_fen
from support.slow import Board, Variant, text


def moves_by_text(rules: Rules, pos: Position) -> dict[str, int]:
    """The legal moves; castling as king takes rook."""
    found = {move_text(rules, pos, move, chess960=True): int(move) for move in legal_moves(rules, pos)}
    assert len(found) == len(legal_moves(rules, pos)), f"a move listed twice: {to_fen(rules, pos)}"
    return found


def play(rules: Rules, pos: Position, move: int) -> Position:
    """The position after a move, in a row full of rubbish: make must write every word."""
    child = np.full_like(pos, 0xDEAD_BEEF_DEAD_BEEF)
    before = pos.copy()
    play_kernel(rules, pos, child, np.uint64(move))
    assert (pos == before).all(), "make changed its source"
    return child


def check_words(rules: Rules, pos: Position) -> None:
    """Every invariant of a position's words."""
    where = to_fen(rules, pos, shredder=True)
    white, black = int(pos[WHITE]), int(pos[BLACK])
    assert not white & black, where
    seen = 0
    for index in range(len(rules.letters)):
        pieces = int(pos[TYPES + index])
        assert not pieces & seen, where
        seen |= pieces
    assert seen == white | black, where
    assert pos[TURN] in (0, 1), where
    assert not int(pos[EP]) & (white | black), where
    assert int(pos[EP]).bit_count() <= 1, where
    rights = int(pos[CASTLING])
    if rights:
        assert rules.traits.rooks and rules.traits.king, where
        ranks = list(map(int, rules.traits.geometry.first_rank))
        partners = int(pos[rules.traits.rooks[0].word] & pos[WHITE]) | int(pos[rules.traits.rooks[1].word] & pos[BLACK])
        assert not rights & ~partners and not rights & ~(ranks[0] | ranks[1]), where
        for side, rank in zip((WHITE, BLACK), ranks, strict=True):
            mine = rights & int(pos[side])
            assert not mine & ~rank, where
            assert not mine or int(pos[rules.traits.king.word]) & int(pos[side]) & rank, where
    assert int(full_key_kernel(rules, pos)) == int(pos[KEY]), f"key differs from scratch: {where}"


def check_modes(rules: Rules, pos: Position, split: bool = True) -> None:
    """Counting agrees with listing; noisy moves are the captures and promotions, quiet ones the rest."""
    listed = [int(move) for move in legal_moves(rules, pos)]
    where = to_fen(rules, pos)
    assert int(count_kernel(rules, pos, np.empty(rules.traits.max_moves, np.uint32))) == len(listed), where
    if not split:
        return
    both = np.empty(rules.traits.max_moves, np.uint32)
    noisy, quiet = (int(n) for n in split_kernel(rules, pos, both))
    first, rest = {int(m) for m in both[:noisy]}, {int(m) for m in both[noisy:noisy + quiet]}
    enemy = int(pos[WHITE if pos[TURN] else BLACK])
    loud = {m for m in listed
            if enemy >> (m >> TO & 63) & 1 or m >> KIND in (PROMOTION, EN_PASSANT)}
    assert len(first) == noisy and len(rest) == quiet, where
    assert (first, rest) == (loud, set(listed) - loud), where


@dataclass(frozen=True)
class Readable:
    """A python-chess board in the part of the slow twin."""

    board: chess.Board

    def legal(self) -> dict[str, chess.Move]:
        """The legal moves by text; castling as king takes rook."""
        return {self.board.uci(move, chess960=True): move for move in self.board.legal_moves}

    def push(self, words: str) -> Readable:
        """The board after a move."""
        after = self.board.copy(stack=False)
        after.push(self.legal()[words])
        return Readable(after)

    def perft(self, depth: int) -> int:
        """Leaves of the tree of `depth` plies."""
        if depth == 0:
            return 1
        return self.board.legal_moves.count() if depth == 1 else sum(self.push(w).perft(depth - 1) for w in self.legal())


@dataclass(frozen=True)
class Twin:
    """The slow twin, its moves named by text."""

    board: Board

    def legal(self) -> dict[str, tuple[int, int, str]]:
        """The legal moves by text; castling as king takes rook."""
        return {text(move): move for move in self.board.legal()}

    def push(self, words: str) -> Twin:
        """The board after a move."""
        return Twin(self.board.push(self.legal()[words]))

    def perft(self, depth: int) -> int:
        """Leaves of the tree of `depth` plies."""
        return self.board.perft(depth)


def first_difference(rules: Rules, pos: Position, variant: Variant | None, depth: int) -> str:
    """The line of moves down to the first list of legal moves that the slow twin, or without one the game's Board, lacks."""
    fen, line = to_fen(rules, pos, shredder=True), list[str]()
    board: Twin | Readable = Readable(rules.board(fen)) if variant is None else Twin(Board.read(variant, fen))
    while True:
        ours, theirs = moves_by_text(rules, pos), board.legal()
        if set(ours) != set(theirs) or depth <= 1:
            break
        counts = {move_text(rules, pos, move, True): leaves for move, leaves in divide(rules, pos, depth)}
        for words in sorted(theirs):
            if counts[words] != board.push(words).perft(depth - 1):
                break
        else:
            return "no difference found"
        line.append(words)
        pos, board, depth = play(rules, pos, ours[words]), board.push(words), depth - 1
    return (f"after {' '.join(line) or 'no move'}, at {to_fen(rules, pos, shredder=True)}: "
            f"missing {sorted(set(theirs) - set(ours))}, too many {sorted(set(ours) - set(theirs))}")


def names(bits: int) -> str:
    """Squares of a bitboard run together, for messages."""
    return "".join(square_name(square) for square in range(64) if int(bits) >> square & 1)


def bits(names_of: str) -> int:
    """The bitboard of squares run together."""
    return bitboard("abcdefgh".index(names_of[i]) + 8 * (int(names_of[i + 1]) - 1) for i in range(0, len(names_of), 2))
