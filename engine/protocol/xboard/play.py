"""How an XBoard engine plays: its own moves, thinking on the opponent's time, analysis, draws, what it says of all that.

The worker thread does one thing after another. Pondering and analysis run there too, in the background: whatever else is
asked ends them, the few questions that a search need not be disturbed for are answered beside it.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import MoveError
from engine.protocol.loop import Protocol, Writer
from engine.protocol.requests import Ticket
from engine.protocol.xboard.clock import Clock
from engine.protocol.xboard.faces import Shown
from engine.protocol.xboard.mouse import colours, marks
from engine.protocol.xboard.wire import Wire

if TYPE_CHECKING:
    from engine.game import Game, Outcome
    from search.limits import Best, Info

MATE_SCORE = 100_000
PATIENCE = 1.0  # seconds for a job that has said its last word to end
HINT_TIME = 200.0  # milliseconds of thought for a hint

# A draw is accepted when we are not better; early on only when we are worse, for there the score says little.
EARLY, EARLY_DRAW, LATE_DRAW = 40, -100, 0  # plies, centipawns
# It is offered when nothing has happened for long: scores near zero, all by ourselves.
DULL_SCORE, DULL_MOVES, DULL_PLIES = 8, 10, 80

# `random`: how far into the game, among how many lines, and how much worse they may be.
RANDOM_PLIES, RANDOM_LINES, RANDOM_MARGIN = 12, 4, 12


@dataclass
class Background:
    """A search nobody waits for. `predicted`: the opponent's move that is pondered on, None in analysis."""

    ticket: Ticket
    game: Game | None
    predicted: int | None
    began: float
    best: Best | None = None


class Player(Protocol):
    """Plays, ponders and analyses for one session."""

    def __init__(self, writer: Writer):
        super().__init__(writer)
        self.wire = Wire(plain=True)  # until an XBoard says that it understands highlights
        self.face = Shown("chess")
        self.clock = Clock()
        self.side: int | None = 1  # whom we play, None in force mode
        self.analyzing = False
        self.post = True
        self.ponders = False  # `hard`
        self.random = False
        self.computer = False  # the opponent is an engine
        self.dummies: list[str] = []  # moves that only pass the turn, of a GUI about to set up a position
        self.excluded: set[int] = set()  # moves that analysis leaves out
        self.marked: dict[int, tuple[int, int]] = {}  # score and depth by position, as `setscore` gave them
        self.score: int | None = None  # what we thought last of our position, in centipawns
        self.dull = 0  # our last moves in a row with a score near zero
        self.over = False  # drawn by repetition or 50 moves
        self._guard = threading.Lock()
        self._background: Background | None = None
        self._seen: Info | None = None  # the last line of the search under way

    # Jobs

    def later(self, job: Callable[[], None], line: str, asked: bool = True) -> None:
        super().later(job, line, asked)
        if asked:
            self._leave()
            if self.analyzing:
                self._analyse_later()

    def aside(self, job: Callable[[], None], line: str) -> None:
        """Answer at once where there is nothing but a background search; else in turn."""
        if self._background is not None:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting == 0, PATIENCE)
        if self.idle():
            job()
        else:
            self.later(job, line)

    def finish(self) -> None:
        """The input has ended: an analysis that was asked for says at least its first line."""
        super().later(lambda: None, "")
        super().finish()

    def _leave(self) -> None:
        """End pondering or analysis; nobody wants the result."""
        with self._guard:
            background, self._background = self._background, None
        if background is not None:
            self.session.stop(abandon=True, only=background.ticket)

    def with_ticket(self, job: Callable[[Ticket], None], line: str) -> None:
        """Queue what may lead to a search; the ticket lets `?` and `force` find the search before it has begun."""
        ticket = self.session.ticket()

        def run() -> None:
            try:
                job(ticket)
            finally:
                self.session.done(ticket)

        self.later(run, line)

    def _start_background(self, background: Background, think: Callable[[Background], None]) -> None:
        """Queue a search nobody asked for. Under self._changed or before anything else can be queued."""

        def run() -> None:
            try:
                if not background.ticket.abandoned:
                    think(background)
            finally:
                self.session.done(background.ticket)

        self._background = background
        super().later(run, "", asked=False)

    # Our move

    def play(self, ticket: Ticket) -> None:
        """Think, move, and claim what the rules then say."""
        game = self.session.game
        if ticket.abandoned:
            return
        if not game.legal_moves():
            self.claim(game.outcome())
            return
        began = time.monotonic()
        best = self._think(ticket, game)
        if ticket.abandoned or best.move is None:
            return
        self._answer(best, time.monotonic() - began)

    def _think(self, ticket: Ticket, game: Game) -> Best:
        from dataclasses import replace

        limits = self.clock.limits(game.turn, len(game.moves) // 2, self._overhead())
        chosen = self._with_chosen_heir(game)
        if chosen:
            limits = replace(limits, searchmoves=chosen)
        self._seen = None
        if not self.random or self.computer or len(game.moves) >= RANDOM_PLIES:
            return self.session.think(ticket, limits, self._info)
        return self._think_at_random(ticket, game, limits)

    def _think_at_random(self, ticket: Ticket, game: Game, limits: object) -> Best:
        """In the opening, one of the moves that are nearly as good as the best."""
        from search.limits import Best, Limits

        assert isinstance(limits, Limits)
        lines: dict[int, Info] = {}

        def keep(info: Info) -> None:
            if not info.bound:
                lines[info.multipv] = info
            if info.multipv == 1:
                self._info(info)

        best = self.session.think(ticket, limits, keep, multipv=RANDOM_LINES)
        if not lines or best.move is None or best.move != lines[1].pv[0] or lines[1].mate is not None:
            return best
        depth, top = lines[1].depth, lines[1].score
        good = [line for line in lines.values() if line.pv and line.depth == depth and line.score >= top - RANDOM_MARGIN]
        pv = random.choice(good).pv
        return Best(pv[0], pv[1] if len(pv) > 1 else None)

    def _overhead(self) -> float:
        return float(self.session.values["Move Overhead"])

    def _with_chosen_heir(self, game: Game) -> tuple[int, ...]:
        """The moves that agree with an heir made king on XBoard's board; none where none was."""
        from engine.core.moves import HAS_HEIR, HEIR
        from engine.text import legal_moves

        if self.wire.stage.name != "chosen":
            return ()
        return tuple(move for move in map(int, legal_moves(game.rules, game.pos))
                     if move >> HAS_HEIR & 1 and move >> HEIR & 63 == self.wire.stage.value)

    def _answer(self, best: Best, spent: float) -> None:
        """Make a move of ours and tell XBoard; then think on."""
        game, move = self.session.game, best.move
        assert move is not None
        texts = self.wire.write(game, move, self.spell(move), not self.computer)
        self.session.push(move)
        self.moved()
        outcome = game.outcome()
        if self._seen is not None:
            self.score = self._seen.score
            self.dull = self.dull + 1 if abs(self.score) <= DULL_SCORE else 0
        ponder = best.ponder if outcome is None and self._fits(best.ponder) else None
        said = [f"move {text}" for text in texts]
        if outcome is None and self._offers(game):
            said.insert(0, "offer draw")
        if ponder is not None and self.ponders:
            said.append(f"Hint: {self.spell(ponder)}")
            self._ponder_later(game, ponder, spent)
        self.send("\n".join(said))
        self.claim(outcome)
        self.mark()

    def _fits(self, move: int | None) -> bool:
        """Whether a move is legal now."""
        from engine.text import legal_moves

        game = self.session.game
        return move is not None and move in legal_moves(game.rules, game.pos)

    def moved(self) -> None:
        """What a change of the position makes void."""
        self.excluded.clear()
        self.over = counted(self.session.game.outcome())

    def passes(self, text: str) -> bool:
        """Whether a bare move of force mode only passes the turn; then it is kept in silence.

        Cute Chess does that before `setboard`, others before `edit`, by a move that is legal in chess. Where the game we play
        does not allow it they must not hear of it: they would take that for a claim. What follows it is not for us either.
        """
        if self.side is not None or self.analyzing:
            return False
        if not self.dummies:
            try:
                self.wire.read(self.session.game, self.unspelled(text))
            except MoveError:
                pass
            else:
                return False
        self.dummies.append(text)
        return True

    def settle(self) -> None:
        """The game goes on: what was taken for a pass of the turn was meant as a move, and is answered after all."""
        for text in self.dummies:
            self.send(f"Illegal move: {text}")
        self.dummies.clear()

    def mark(self) -> None:
        """Show who is royal without looking it, and who may become king."""
        found = marks(self.session.game, self.wire)
        if found and not self.wire.plain:
            self.send(colours(found))

    def spell(self, move: int) -> str:
        """A move as XBoard writes it: castling as O-O where the king's two squares would not say it."""
        from engine.core.moves import CASTLE, KIND, TO

        if move >> KIND & 15 == CASTLE and (self.face.chess960 or move & 7 != 4):
            return "O-O" if (move >> TO & 63) > (move & 63) else "O-O-O"
        return self.session.game.text(move)

    def _info(self, info: Info) -> None:
        """A line of thinking: depth, score, centiseconds, nodes, selective depth, nodes per second, no tablebases, the
        variation. Scores that are only bounds are left out."""
        if info.bound:
            return
        if info.multipv == 1:
            self._seen = info
        if not self.post:
            return
        mate, score = info.mate, info.score
        if mate is not None:
            score = MATE_SCORE + mate if mate > 0 else mate - MATE_SCORE
        milliseconds = info.time if self.clock.rate is None else info.nodes * 1000 / self.clock.rate
        pv = " ".join(map(self.spell, info.pv))
        self.send(f"{info.depth} {score} {int(milliseconds / 10)} {info.nodes} {info.seldepth} "
                  f"{int(info.nodes * 1000 / max(info.time, 1))} 0\t{pv}")

    # How a game ends

    def claim(self, outcome: Outcome | None) -> None:
        """Say how the game ended; what is counted by moves is offered, GUIs count for themselves and punish a claim."""
        if outcome is None:
            return
        from engine.game import Reason

        if counted(outcome):
            self.send("offer draw")
            return
        winner = ("White", "Black")[outcome.winner] if outcome.winner is not None else ""
        words = {Reason.CHECKMATE: f"{winner} mates", Reason.EXPLOSION: f"{winner} explodes the king",
                 Reason.NO_HEIR: f"{winner} takes the last king", Reason.STALEMATE: "Stalemate",
                 Reason.NIOL: "Niol: mate without a shak", Reason.ROBADO: "Robado: a bare king",
                 Reason.MATERIAL: "Insufficient material"}
        self.send(f"{outcome.result} {{{words.get(outcome.reason, outcome.reason.value)}}}")

    def _offers(self, game: Game) -> bool:
        """Whether we would rather have a draw now."""
        from engine.rules import CLOCK, PLY

        ready = self.dull >= DULL_MOVES and int(game.pos[PLY]) >= DULL_PLIES and int(game.pos[CLOCK]) >= 2 * DULL_MOVES
        if ready:
            self.dull = 0  # not again at once
        return ready

    def accepts_draw(self) -> bool:
        """Whether we agree to a draw: where the rules have drawn the game already, or we are not better."""
        seen = self._seen
        score = seen.score if seen is not None and self.session.busy() and self._background is None else self.score
        if self.over or score is None:
            return self.over
        from engine.rules import PLY

        return score <= (EARLY_DRAW if int(self.session.game.pos[PLY]) < EARLY else LATE_DRAW)

    # On the opponent's time

    def _ponder_later(self, game: Game, move: int, spent: float) -> None:
        """Think on, taking for granted what the opponent will play, unless something else has been asked meanwhile."""
        ahead = game.copy()
        ahead.push(move)
        if not ahead.legal_moves():
            return
        limits = self.clock.limits(ahead.turn, len(ahead.moves) // 2, self._overhead(), spent, ponder=True)
        with self._changed:
            if self._waiting > 1:  # this very job is the one
                return
            ticket = self.session.ticket()

            def think(background: Background) -> None:
                self._seen = None
                background.best = self.session.think(ticket, limits, self._ponder_info, ahead)

            self._start_background(Background(ticket, ahead, move, time.monotonic()), think)

    def _ponder_info(self, info: Info) -> None:
        """Lines of pondering begin with the move that is taken for granted."""
        background = self._background
        if background is None or background.predicted is None:
            self._info(info)
            return
        if info.multipv == 1 and not info.bound:
            self._seen = info

    def ponder_hit(self, text: str) -> bool:
        """Whether a move of the opponent is the one pondered on; then that search goes on as ours."""
        with self._guard:
            background = self._background
            if background is None or background.predicted is None or self.wire.stage.name or self.dummies:
                return False
        with self._changed:
            if not self._changed.wait_for(lambda: self._waiting == 0, PATIENCE):
                return False
        try:
            move, _ = self.wire.read(self.session.game, self.unspelled(text))
        except MoveError:
            return False
        if move != background.predicted:
            return False
        self._background = None
        background.began = time.monotonic()  # our clock runs from here
        self.session.ponder_hit(background.ticket)
        self.with_ticket(lambda ticket: self._after_hit(text, background, ticket), f"usermove {text}")
        return True

    def _after_hit(self, text: str, background: Background, ticket: Ticket) -> None:
        game = self.session.game
        move = self.wire.add(game, self.unspelled(text))
        assert move is not None and move == background.predicted
        self.session.push(move)
        self.moved()
        best = background.best
        if ticket.abandoned:
            return
        if best is None or best.move is None:
            self.play(ticket)
            return
        if self.over:
            self.send("offer draw")
        self._answer(best, time.monotonic() - background.began)

    def unspelled(self, text: str) -> str:
        """Castling said as O-O, as its squares; anything else as it is. Raises MoveError."""
        from engine.core.moves import CASTLE, KIND, TO
        from engine.text import legal_moves

        if "-" not in text:
            return text
        game = self.session.game
        for move in map(int, legal_moves(game.rules, game.pos)):
            if move >> KIND & 15 == CASTLE and ((move >> TO & 63) > (move & 63)) == (len(text) == 3):
                return game.text(move)
        raise MoveError(f"illegal move {text!r}")

    # Analysis

    def _analyse_later(self) -> None:
        ticket = self.session.ticket()
        self._start_background(Background(ticket, None, None, time.monotonic()), self._analyse)

    def _analyse(self, background: Background) -> None:
        from engine.text import legal_moves
        from search.limits import Limits

        game = self.session.game
        if not game.legal_moves():
            return
        moves = self._with_chosen_heir(game) or tuple(map(int, legal_moves(game.rules, game.pos)))
        left = tuple(move for move in moves if move not in self.excluded)
        if not left:
            return
        background.game = game
        known, left = self._known(game, left)
        if not left:
            self._info(known[0])
            return
        self._seen = None
        self.session.think(background.ticket, Limits(infinite=True, searchmoves=left if left != moves else ()),
                           lambda info: self._info(max(known[0], info, key=lambda line: line.score) if known else info))

    def _known(self, game: Game, moves: tuple[int, ...]) -> tuple[list[Info], tuple[int, ...]]:
        """The best of the moves that lead to positions whose score was given, as a line, and the moves left to search."""
        from engine.core.legality import position_after
        from engine.rules import KEY
        from search.limits import Info

        lines, left = [], []
        for move in moves:
            given = self.marked.get(int(position_after(game.rules, game.pos, move)[KEY])) if self.marked else None
            if given is None:
                left.append(move)
            else:
                lines.append(Info(given[1], given[1], 1, -given[0], "", 1, 0.0, 0, (move,)))
        best = max(lines, key=lambda line: line.score, default=None)
        return [] if best is None else [best], tuple(left)

    def statistics(self) -> str:
        """How far analysis is: centiseconds, nodes, depth, root moves left, root moves in all, the move searched now.

        Waits for a search that is just about to begin; zeros where there is nothing to search.
        """
        background, searcher = self._background, self.session.searcher
        until = time.monotonic() + PATIENCE / 2
        while background is not None and time.monotonic() < until:
            current = searcher.current() if background.game is not None else None
            if background.game is not None and current is not None:
                spent = int((time.monotonic() - background.began) * 100)
                count = len(background.game.legal_moves()) - len(self.excluded)
                return (f"stat01: {spent} {searcher.nodes()} {current.depth} {max(0, count - current.number)} {count} "
                        f"{self.spell(current.move)}")
            time.sleep(0.01)
        return "stat01: 0 0 0 0 0"

    def hint(self) -> None:
        """What we would play in the opponent's place, or in yours."""
        game, background = self.session.game, self._background
        if background is not None and background.predicted is not None:
            self.send(f"Hint: {self.spell(background.predicted)}")
        elif background is not None and self._seen is not None and self._seen.pv:
            self.send(f"Hint: {self.spell(self._seen.pv[0])}")
        elif game.legal_moves():
            self.with_ticket(self._hint, "hint")

    def _hint(self, ticket: Ticket) -> None:
        from search.limits import Limits

        best = self.session.think(ticket, Limits(movetime=HINT_TIME), lambda info: None)
        if best.move is not None:
            self.send(f"Hint: {self.spell(best.move)}")


def counted(outcome: Outcome | None) -> bool:
    """Whether a game is drawn by repetition or the 50 moves."""
    if outcome is None:
        return False
    from engine.game import Reason

    return outcome.reason in (Reason.REPETITION, Reason.FIFTY_MOVES)
