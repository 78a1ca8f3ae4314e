"""What happened in a game of a study: moves to choose from, special moves, material; found from rules and moves alone.

A kind of event belongs to a trait, not to a game: a game has the kinds its traits make possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import variants
from bench.study.play import Record
from engine.core.moves import CASTLE, DRIVE, EN_PASSANT, HAS_HEIR, KIND, NAMING, PROMOTES, PROMOTION, TO
from engine.game import Game, Reason
from engine.rules import BLACK, TURN, TYPES, WHITE, Rules
from engine.text import Position, legal_moves, move_text

if TYPE_CHECKING:
    from engine.rules import Traits


@dataclass(frozen=True)
class Kind:
    """A kind of event, what it means to a reader, and which rules make it possible."""

    name: str
    meaning: str
    possible: Callable[[Traits], bool]


KINDS = (
    Kind("capture", "a man is taken", lambda traits: not traits.captures_explode),
    Kind("explosion", "a capture and all it takes along", lambda traits: traits.captures_explode),
    Kind("wide explosion", "one that takes more than captor and captured", lambda traits: traits.captures_explode),
    Kind("check", "a move that gives check", lambda traits: traits.royal_safety),
    Kind("castling", "", lambda traits: traits.castling),
    Kind("en passant", "", lambda traits: traits.pawn is not None and traits.pawn.doubles),
    Kind("promotion", "", lambda traits: traits.pawn is not None),
    Kind("underpromotion", "to another piece than the first of the list",
         lambda traits: traits.pawn is not None and len(traits.pawn.promotions) > 1),
    Kind("coup", "the title passes to another piece", lambda traits: traits.titles),
    Kind("insane move", "a king moved by the opponent", lambda traits: traits.driven_king),
    Kind("insane capture", "a king made to take a man of its own side", lambda traits: traits.driven_king),
    Kind("succession", "a king is taken and a piece ascends", lambda traits: bool(traits.succession)),
    Kind("choice of heir", "several pieces could ascend", lambda traits: bool(traits.succession)),
    Kind(Reason.NIOL.value, "a mate that only draws", lambda traits: bool(traits.mate_series)),
    Kind(Reason.ROBADO.value, "a bare king draws at once", lambda traits: traits.bare_king_draws),
)
ENDS = (Reason.NIOL.value, Reason.ROBADO.value)  # kinds that are reasons of an end


@dataclass(frozen=True)
class Facts:
    """One game, ply by ply. Plies count from 0, the move that leads from the start position."""

    record: Record
    points: float  # White's: 1, 0.5, 0
    branching: tuple[int, ...]  # legal moves in each position that was not the end
    events: tuple[tuple[int, str], ...]  # (ply, kind)
    material: np.ndarray  # int64[quiet positions, types + 1]: White's men less Black's by type; last, 1 or -1 for who moves

    @property
    def plies(self) -> int:
        """Length."""
        return len(self.branching)


def kinds(rules: Rules) -> list[Kind]:
    """What can happen in a game by these rules."""
    return [kind for kind in KINDS if kind.possible(rules.traits)]


def facts(record: Record, variant: str) -> Facts:
    """Look at a game again. Raises MoveError where a move is not legal: the record is of other rules."""
    rules = variants.find(variant)
    game = Game(rules, record.fen)
    branching, events, rows = list[int](), list[tuple[int, str]](), list[list[int]]()
    noisy = True  # whether the last move took something
    for ply, text in enumerate(record.moves):
        pos = game.pos
        legal = legal_moves(rules, pos)
        branching.append(len(legal))
        move = next((int(move) for move in legal if move_text(rules, pos, move) == text), None)
        move = game.parse(text) if move is None else move
        quiet = not noisy and ply >= record.drawn and not game.in_check()
        game.push(move)
        noisy = men(game.pos) != men(pos)
        if quiet and not noisy:
            rows.append(balance_of_men(rules, pos))
        events += [(ply, kind) for kind in happenings(rules, pos, game.pos, move)]
        if rules.traits.royal_safety and game.in_check():
            events.append((ply, "check"))
    if record.reason in ENDS:
        events.append((len(record.moves) - 1, record.reason))
    points = {"1-0": 1.0, "0-1": 0.0}.get(record.result, 0.5)
    material = np.array(rows, np.int64).reshape(len(rows), len(rules.letters) + 1)
    return Facts(record, points, tuple(branching), tuple(events), material)


def men(pos: Position, word: int | None = None) -> int:
    """How many men stand on the board, or how many of one word."""
    bits = int(pos[WHITE] | pos[BLACK]) if word is None else int(pos[word])
    return bits.bit_count()


def happenings(rules: Rules, pos: Position, child: Position, move: int) -> Iterator[str]:
    """The kinds of event a move is, check and the end of the game apart."""
    traits, kind = rules.traits, move >> KIND & 15
    lost = men(pos) - men(child)
    if traits.captures_explode:
        if lost:
            yield "explosion"
        if lost > 2:
            yield "wide explosion"
    elif lost:
        yield "capture"
    if kind == CASTLE:
        yield "castling"
    elif kind == EN_PASSANT:
        yield "en passant"
    elif kind == PROMOTION:
        yield "promotion"
        if traits.pawn is not None and move >> PROMOTES & 15 != traits.pawn.promotions[0]:
            yield "underpromotion"
    elif kind == NAMING:
        yield "coup"
    elif kind == DRIVE:
        yield "insane move"
        if lost:
            yield "insane capture"
    if traits.succession and traits.king is not None:
        them = int(pos[TURN]) ^ 1
        taken = int(pos[WHITE + them]) & int(pos[traits.king.word]) & 1 << (move >> TO & 63)
        if taken and any(int(child[word]) & int(child[WHITE + them]) for word in (traits.king.word, *traits.succession)):
            yield "succession"
        if move >> HAS_HEIR & 1:
            yield "choice of heir"


def balance_of_men(rules: Rules, pos: Position) -> list[int]:
    """White's men less Black's, by type, and 1 or -1 for who is to move."""
    white, black = int(pos[WHITE]), int(pos[BLACK])
    found = []
    for index in range(len(rules.letters)):
        bits = int(pos[TYPES + index])
        found.append((bits & white).bit_count() - (bits & black).bit_count())
    return [*found, -1 if int(pos[TURN]) else 1]
