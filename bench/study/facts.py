"""What happened in a game of a study: numbers of legal moves, special moves, material; from rules and moves alone.

Kinds of events belong to traits, not to games: a game has the kinds that its traits make possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import variants
from bench.records import Record
from engine.core.moves import CASTLE, DRIVE, EN_PASSANT, HAS_HEIR, KIND, NAMING, PROMOTES, PROMOTION, TO, part
from engine.game import Game, Reason
from engine.rules import BLACK, TURN, TYPES, WHITE, Rules, Traits
from engine.text import Position, legal_moves, move_text


@dataclass(frozen=True)
class Kind:
    """A kind of event, its meaning for readers, and which rules make it possible."""

    name: str
    meaning: str
    possible: Callable[[Traits], bool]


KINDS = (
    Kind("capture", "a piece is captured", lambda traits: not traits.captures_explode),
    Kind("explosion", "a capture and all pieces it removes", lambda traits: traits.captures_explode),
    Kind("wide explosion", "one that removes more than two pieces", lambda traits: traits.captures_explode),
    Kind("check", "a move that gives check", lambda traits: traits.royal_safety),
    Kind("castling", "", lambda traits: traits.castling),
    Kind("en passant", "", lambda traits: traits.pawn is not None and traits.pawn.doubles),
    Kind("promotion", "", lambda traits: traits.pawn is not None),
    Kind("underpromotion", "to a piece other than the first of the list",
         lambda traits: traits.pawn is not None and len(traits.pawn.promotions) > 1),
    Kind("coup", "the title passes to another piece", lambda traits: traits.titles),
    Kind("insane move", "a king moved by the opponent", lambda traits: traits.driven_king),
    Kind("insane capture", "a king captures a piece of its own side", lambda traits: traits.driven_king),
    Kind("succession", "a king is captured and a piece ascends", lambda traits: bool(traits.succession)),
    Kind("choice of heir", "several pieces could ascend", lambda traits: bool(traits.succession)),
    Kind(Reason.NIOL.value, "a mate that is only a draw", lambda traits: bool(traits.mate_series)),
    Kind(Reason.ROBADO.value, "a bare king draws at once", lambda traits: traits.bare_king_draws),
)
EVENT_OF = {CASTLE: "castling", EN_PASSANT: "en passant", PROMOTION: "promotion", NAMING: "coup", DRIVE: "insane move"}
ENDS = (Reason.NIOL.value, Reason.ROBADO.value)  # kinds that end a game


@dataclass(frozen=True)
class Facts:
    """One game, ply by ply. Plies count from 0, the move that leads from the start position."""

    record: Record
    points: float  # White's: 1, 0.5, 0
    branching: tuple[int, ...]  # legal moves in each position but the last
    events: tuple[tuple[int, str], ...]  # (ply, kind)
    material: np.ndarray  # int64[quiet positions, types + 1]: White's pieces minus Black's by type; last, 1 or -1 for who moves

    @property
    def plies(self) -> int:
        """Length of the game."""
        return len(self.branching)


def kinds(rules: Rules) -> list[Kind]:
    """The kinds of events that these rules make possible."""
    return [kind for kind in KINDS if kind.possible(rules.traits)]


def facts(record: Record, variant: str) -> Facts:
    """The facts about a game. Raises MoveError if a move is illegal: the record was made by other rules."""
    rules = variants.find(variant)
    game = Game(rules, record.fen)
    branching, events, rows = list[int](), list[tuple[int, str]](), list[list[int]]()
    noisy = True  # whether the last move removed a piece
    for ply, text in enumerate(record.moves):
        pos = game.pos
        legal = legal_moves(rules, pos)
        branching.append(len(legal))
        move = next((int(move) for move in legal if move_text(rules, pos, move) == text), None)
        move = game.parse(text) if move is None else move
        quiet = not noisy and ply >= record.drawn and not game.in_check()
        game.push(move)
        noisy = count(game.pos) != count(pos)
        if quiet and not noisy:
            rows.append(balance(rules, pos))
        events += [(ply, kind) for kind in happenings(rules, pos, game.pos, move)]
        if rules.traits.royal_safety and game.in_check():
            events.append((ply, "check"))
    if record.reason in ENDS:
        events.append((len(record.moves) - 1, record.reason))
    points = {"1-0": 1.0, "0-1": 0.0}.get(record.result, 0.5)
    material = np.array(rows, np.int64).reshape(len(rows), len(rules.letters) + 1)
    return Facts(record, points, tuple(branching), tuple(events), material)


def count(pos: Position) -> int:
    """How many pieces stand on the board."""
    return int(pos[WHITE] | pos[BLACK]).bit_count()


def happenings(rules: Rules, pos: Position, child: Position, move: int) -> Iterator[str]:
    """The kinds of event that a move is, except for check and the end of the game."""
    lost = count(pos) - count(child)
    yield from _losses(rules, lost)
    yield from _by_kind(rules, move, lost)
    if rules.traits.succession and rules.traits.king is not None:
        yield from _successions(rules, pos, child, move)


def _losses(rules: Rules, lost: int) -> Iterator[str]:
    """Events in which that many pieces leave the board."""
    if not lost:
        return
    if not rules.traits.captures_explode:
        yield "capture"
        return
    yield "explosion"
    if lost > 2:
        yield "wide explosion"


def _by_kind(rules: Rules, move: int, lost: int) -> Iterator[str]:
    """Events that the kind of the move makes."""
    kind, pawn = part(move, KIND), rules.traits.pawn
    if kind in EVENT_OF:
        yield EVENT_OF[kind]
    if kind == PROMOTION and pawn is not None and part(move, PROMOTES) != pawn.promotions[0]:
        yield "underpromotion"
    if kind == DRIVE and lost:
        yield "insane capture"


def _successions(rules: Rules, pos: Position, child: Position, move: int) -> Iterator[str]:
    """Events in which a king is captured and a piece ascends."""
    king, them = rules.traits.king, int(pos[TURN]) ^ 1
    assert king is not None
    captured = int(pos[WHITE + them]) & int(pos[king.word]) & 1 << part(move, TO)
    if captured and any(int(child[word]) & int(child[WHITE + them]) for word in (king.word, *rules.traits.succession)):
        yield "succession"
    if part(move, HAS_HEIR):
        yield "choice of heir"


def balance(rules: Rules, pos: Position) -> list[int]:
    """White's pieces minus Black's by type, and 1 or -1 for the side to move."""
    white, black = int(pos[WHITE]), int(pos[BLACK])
    found = []
    for index in range(len(rules.letters)):
        bits = int(pos[TYPES + index])
        found.append((bits & white).bit_count() - (bits & black).bit_count())
    return [*found, -1 if int(pos[TURN]) else 1]
