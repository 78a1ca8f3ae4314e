"""Referees one game between two players: who is to move, who has won and why, and the record of it."""

from __future__ import annotations

import functools
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import chess

import variants
from bench.match.lines import first_illegal
from bench.match.players import FaultError, Player, Reply
from bench.match.records import End, GameRecord, Ply
from bench.match.specs import Clock, EngineSpec
from bench.match.wire import WireGame, WireMove
from engine.game import Game
from search.tables.numbers import FIFTY_MOVES
from search.tables.probing import Tables

RESULTS = ("1-0", "0-1")
DRAW = "1/2-1/2"


@dataclass(frozen=True)
class ResignRule:
    """-resign: a side has lost if its own score was -`score` centipawns or worse on `moves` moves in a row."""

    moves: int
    score: int
    both: bool = False  # and if the opponent's scores agree


@dataclass(frozen=True)
class DrawRule:
    """-draw: from full move `number` on, if both scores were within `score` centipawns of 0 on `moves` moves in a row."""

    number: int
    moves: int
    score: int


@dataclass(frozen=True)
class Adjudication:
    """When the referee ends a game before the rules do."""

    resign: ResignRule | None = None
    draw: DrawRule | None = None
    max_moves: int | None = None  # full moves
    tables: str | None = None  # a folder with tables of endings: exact values end a game


@functools.cache
def tables_in(folder: str) -> Tables:
    """The tables in a folder, read once by each worker."""
    return Tables(Path(folder), lambda line: print(f"kingmaker match: {line}; it is not used", file=sys.stderr))


@dataclass(frozen=True)
class GameTask:
    """A game to play: everything a worker needs to know."""

    number: int
    round: int
    pair: int
    white: EngineSpec
    black: EngineSpec
    variant: str
    fen: str
    book: tuple[str, ...] = ()  # the moves of the opening after the FEN
    chess960: bool = False
    opening: int | None = None
    opening_name: str = ""
    rules: Adjudication = Adjudication()
    keep_logs: bool = False  # also of games without a fault

    @property
    def specs(self) -> tuple[EngineSpec, EngineSpec]:
        """White and Black."""
        return self.white, self.black


class Referee:
    """Referees one game."""

    def __init__(self, task: GameTask, players: tuple[Player, Player]):
        self.task = task
        self.players = players
        self.game = Game(task.variant, task.fen, task.chess960)
        self.plies: list[Ply] = []
        for move in task.book:
            self._push(Ply(move, book=True))
        while (forced := self._forced()) is not None:
            self._push(Ply(forced, book=True))
        self.clocks = (Clock(task.white.tc), Clock(task.black.tc))
        self.scores: tuple[list[float], list[float]] = ([], [])
        self.variations: dict[int, str] = {}  # by ply
        self.record = GameRecord(
            task.number, task.round, task.pair, task.white.name, task.black.name, task.variant, self._start_fen(),
            opening=task.opening, opening_name=task.opening_name, chess960=task.chess960, plies=self.plies)

    def _start_fen(self) -> str:
        start = Game(self.game.rules)
        start.positions, start.chess960 = self.game.positions[:1], self.game.chess960
        return start.fen()

    def _forced(self) -> str | None:
        """The next obligatory move of the opening, if any: no engine has to think about it."""
        opening, done = self.game.rules.opening, len(self.game.moves)
        if done < len(opening) and [ply.move for ply in self.plies] == list(opening[:done]):
            if self.game.legal_moves() == [opening[done]]:
                return opening[done]
        return None

    def _push(self, ply: Ply) -> None:
        number = self.game.parse(ply.move)
        ply.move = self.game.text(number)
        self.game.push(number)
        self.plies.append(ply)

    def play(self) -> GameRecord:
        """Play the whole game; never raises for what an engine does."""
        record = self.record
        record.started, cpu = time.time(), self._processor_seconds()
        told = self._begin()
        if told is not None:
            self._moves(told)
            for player in self.players:
                player.game_over(told, record.result, record.detail or record.reason.value)
        record.final_fen = self.game.fen()
        record.illegal_lines = self._illegal_lines()
        if record.reason.fault or record.reason is End.VOID or self.task.keep_logs:
            record.logs = (self.players[0].log_text(), self.players[1].log_text())
        write_san(record)
        record.finished, record.overhead = time.time(), max(0.0, self._processor_seconds() - cpu)
        return record

    def _processor_seconds(self) -> float:
        """Processor time of this thread and of those that read what the engines say."""
        return time.thread_time() + sum(player.reader_seconds() for player in self.players)

    def _begin(self) -> WireGame | None:
        """Start both engines and announce the game; None if that decided the game."""
        faults: list[FaultError | None] = []
        for player in self.players:
            try:
                player.start()
                faults.append(None)
            except FaultError as fault:
                faults.append(fault)
        told = WireGame(self.game)
        for side, player in enumerate(self.players):
            if faults[side] is None:
                try:
                    player.new_game(told)
                except FaultError as fault:
                    faults[side] = fault
        white, black = faults
        if white and black:
            self._end("*", End.VOID, f"White: {white.detail}; Black: {black.detail}")
        elif white or black:
            self._fault(0 if white else 1, white or black)  # type: ignore[arg-type]
        return told if not (white or black) else None

    def _moves(self, told: WireGame) -> None:
        offered = False  # the last move came with the offer of a draw
        while not self.over():
            side = self.game.turn
            if self._late_claims_end_it():
                return
            try:
                reply = self.players[side].play(told, self.clocks, offered)
            except FaultError as fault:
                self._fault(side, fault)
                return
            if reply.move is None:
                self._no_move(side, reply)
                return
            told.push(reply.move)  # the same game as ours
            self._keep(side, reply, reply.move)
            if self._reply_ends_it(side, reply, offered):
                return
            offered = reply.offered_draw

    def _late_claims_end_it(self) -> bool:
        """Whether a claim on the opponent's time ends the game."""
        return any(self._judge(side, player.late_claims(), None) for side, player in enumerate(self.players))

    def _keep(self, side: int, reply: Reply, move: WireMove) -> None:
        """Note a move that was made, and what the engine said of it."""
        self.clocks[side].punch(reply.seconds)
        self.plies.append(Ply(move.text, "", False, reply.seconds, self.clocks[side].left, reply.score, reply.mate, reply.depth,
                              reply.nodes))
        self.variations[len(self.plies)] = reply.variation
        self.note_score(side, reply)

    def _reply_ends_it(self, side: int, reply: Reply, offered: bool) -> bool:
        """Whether what came with a move ends the game: a claim, a resignation, or agreement to a draw that was offered."""
        if reply.claims and self._judge(side, reply.claims, reply):
            return True
        agreed = reply.offered_draw and offered
        if not (reply.resigned or agreed) or self.game.outcome() is not None:
            return False
        if reply.resigned:
            self._resigns(side)
        else:
            self._end(DRAW, End.AGREED, "")
        return True

    def _resigns(self, side: int) -> None:
        self._end(RESULTS[1 - side], End.RESIGNATION, f"{_name(side)} resigns")

    def over(self) -> bool:
        """Whether the rules or an adjudication have ended the game; then the record says so."""
        outcome = self.game.outcome()
        if outcome is not None:
            self._end(outcome.result, End(outcome.reason.value), "")
            return True
        rules = self.task.rules
        if rules.resign and (loser := self._given_up(rules.resign)) is not None:
            self._end(RESULTS[1 - loser], End.RESIGN_RULE, f"{_name(loser)} is lost by the scores")
        elif rules.draw and self._dull(rules.draw):
            self._end(DRAW, End.DRAW_RULE, "both scores near 0")
        elif rules.tables and (result := self._by_table(tables_in(rules.tables))) is not None:
            self._end(result, End.TABLE, "")
        elif rules.max_moves is not None and len(self.game.moves) >= 2 * rules.max_moves:
            self._end(DRAW, End.MOVE_LIMIT, f"{rules.max_moves} moves played")
        else:
            return False
        return True

    def _by_table(self, tables: Tables) -> str | None:
        """The result that a table knows; None if none does, or if the 50-move rule leaves no time for the win."""
        if self.game.pieces().bit_count() > tables.most_pieces(self.game.rules):
            return None
        value = tables.value(self.game.rules, self.game.pos)
        if value is None or value.plies + self.game.halfmove_clock > FIFTY_MOVES:
            return None
        return DRAW if value.result == 0 else RESULTS[self.game.turn if value.result > 0 else 1 - self.game.turn]

    def note_score(self, side: int, reply: Reply) -> None:
        """Keep the score of a move for adjudication."""
        score = float("nan")
        if reply.mate is not None:
            score = float("inf") if reply.mate > 0 else -float("inf")
        elif reply.score is not None:
            score = reply.score
        self.scores[side].append(score)

    def _illegal_lines(self) -> dict[int, str]:
        """The illegal moves in reported variations, by ply. Computed when no clock runs."""
        rules, before = self.game.rules, self.game.positions
        found = {ply: first_illegal(rules, before[ply - 1], line) for ply, line in self.variations.items()}
        return {ply: text for ply, text in found.items() if text}

    def _given_up(self, rule: ResignRule) -> int | None:
        """The side that has lost by the rule, if any."""
        for side in (0, 1):
            mine, theirs = self.scores[side][-rule.moves:], self.scores[1 - side][-rule.moves:]
            if len(mine) == rule.moves and all(score <= -rule.score for score in mine):
                if not rule.both or (len(theirs) == rule.moves and all(score >= rule.score for score in theirs)):
                    return side
        return None

    def _dull(self, rule: DrawRule) -> bool:
        if len(self.game.moves) < 2 * rule.number:
            return False
        tails = [scores[-rule.moves:] for scores in self.scores]
        return all(len(tail) == rule.moves and all(abs(score) <= rule.score for score in tail) for tail in tails)

    def _judge(self, side: int, claims: tuple[str, ...], reply: Reply | None) -> bool:
        """Whether claims of a side end the game: a false one loses, a claim of its own loss is a resignation."""
        outcome = self.game.outcome() if claims else None
        for claim in claims:
            result = claim.split(maxsplit=1)[0]
            if outcome is not None and outcome.result == result:
                continue
            if outcome is None and result == RESULTS[1 - side]:
                self._end(result, End.RESIGNATION, f"{_name(side)} says {claim[:80]}")
                return True
            if self.players[side].spec.trusts:
                continue
            truth = f"it is {outcome.result} by {outcome.reason.value}" if outcome else "the game goes on"
            where = "" if reply else " on the opponent's time"
            self._fault(side, FaultError(End.FALSE_CLAIM, f"claims {claim[:80]!r}{where}, but {truth}"))
            return True
        return False

    def _no_move(self, side: int, reply: Reply) -> None:
        legal = len(self.game.legal_moves())
        if reply.resigned:
            self._resigns(side)
        elif reply.claims:
            claim = reply.claims[0]
            if claim.split(maxsplit=1)[0] == RESULTS[1 - side]:
                self._end(RESULTS[1 - side], End.RESIGNATION, f"{_name(side)} says {claim[:80]}")
            else:
                self._fault(side, FaultError(End.FALSE_CLAIM, f"claims {claim[:80]!r} instead of one of {legal} legal moves"))
        elif reply.offered_draw:
            self._fault(side, FaultError(End.STALL, f"offers a draw instead of one of {legal} legal moves"))
        else:
            self._fault(side, FaultError(End.ILLEGAL, f"no move although it has {legal}"))

    def _fault(self, side: int, fault: FaultError) -> None:
        self.record.fault = side
        self._end(RESULTS[1 - side], fault.end, f"{_name(side)}: {fault.detail}")

    def _end(self, result: str, reason: End, detail: str) -> None:
        self.record.result, self.record.reason, self.record.detail = result, reason, detail


def write_san(record: GameRecord) -> None:
    """Add SAN to every move, by the game's Board: so a second implementation of the rules checks every move."""
    board = variants.find(record.variant).board(record.fen, chess960=record.chess960)
    for ply in record.plies:
        try:
            move = board.parse_uci(ply.move)
        except (ValueError, chess.IllegalMoveError) as error:
            ply.san = ply.move
            record.detail = f"{record.detail}; the game's Board disagrees: {error}".lstrip("; ")
            return
        ply.san = board.san(move)
        board.push(move)


def _name(side: int) -> str:
    return ("White", "Black")[side]
