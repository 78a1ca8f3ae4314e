"""How an XBoard engine plays and analyses: its moves, pondering, draws, hints."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.errors import MoveError
from engine.protocol.loop import Writer
from engine.protocol.requests import Ticket
from engine.protocol.xboard.background import PATIENCE, Background, Interruptible
from engine.protocol.xboard.clock import Clock
from engine.protocol.xboard.faces import Shown
from engine.protocol.xboard.mouse import highlight, marks
from engine.protocol.xboard.report import claim, thinking
from engine.protocol.xboard.wire import Wire, spell, unspell
from search.limits import Best, Info, Limits

if TYPE_CHECKING:
    from engine.game import Game

HINT_TIME = 200.0  # milliseconds of thought for a hint

# A draw is accepted if we are not better; early in the game only if we are worse, because scores say little then.
EARLY, EARLY_DRAW, LATE_DRAW = 40, -100, 0  # plies, centipawns
# It is offered after many moves with scores near zero in which nothing happened.
DULL_SCORE, DULL_MOVES, DULL_PLIES = 8, 10, 80  # centipawns; moves in a row; plies of the game at least

# `random`: how far into the game, among how many lines, and how many centipawns worse they may be.
RANDOM_PLIES, RANDOM_LINES, RANDOM_MARGIN = 12, 4, 12


class Player(Interruptible):
    """Plays, ponders and analyses for one session."""

    def __init__(self, writer: Writer):
        super().__init__(writer)
        self.wire = Wire(plain=True)  # until an XBoard says that it understands highlights
        self.face = Shown("chess")
        self.clock = Clock()
        self.side: int | None = 1  # that we play: 0 White, 1 Black; None in force mode
        self.post = True
        self.ponders = False  # `hard`
        self.random = False
        self.computer = False  # the opponent is an engine
        self.dummies: list[str] = []  # moves that only pass the turn, of a GUI about to set up a position
        self.excluded: set[int] = set()  # moves that analysis leaves out
        self.marked: dict[int, tuple[int, int]] = {}  # score and depth by key of the position, as `setscore` gave them
        self.score: int | None = None  # of our last move, in centipawns
        self.dull = 0  # our last moves in a row with a score near zero
        self.over = False  # drawn by repetition or 50 moves
        self.position_refused = False  # the last one that was set up is illegal: no move is accepted before the next
        self.answers = 0  # moves that we have sent
        self._seen: Info | None = None  # the last line of the search under way

    # Our move

    def play(self, ticket: Ticket) -> None:
        """Think and move; if the game is over then, claim the result."""
        game = self.session.game
        if ticket.abandoned:
            return
        if not game.legal_moves():
            self._claim()
            return
        began = time.monotonic()
        best = self._think(ticket, game)
        if ticket.abandoned or best.move is None:
            return
        self._answer(best, time.monotonic() - began)

    def resume(self, ticket: Ticket) -> None:
        """Think again about our move: what was to end the search came to nothing."""
        if self.side == self.session.game.turn and not self.wire.waiting and not self.position_refused:
            self.play(ticket)

    def _think(self, ticket: Ticket, game: Game) -> Best:
        limits = self._limits(game)
        moves = self.wire.moves_with_heir(game)
        if moves:
            limits = replace(limits, searchmoves=moves)
        self._seen = None
        if not self.random or self.computer or len(game.moves) >= RANDOM_PLIES:
            return self.session.think(ticket, limits, self._info)
        return self._think_at_random(ticket, limits)

    def _think_at_random(self, ticket: Ticket, limits: Limits) -> Best:
        """One of the moves that are nearly as good as the best, for openings."""
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

    def _limits(self, game: Game, spent: float = 0.0, ponder: bool = False) -> Limits:
        """Of a move of ours; spent: seconds gone from our clock since it was read."""
        overhead = float(self.session.values["Move Overhead"])
        return self.clock.limits(game.turn, len(game.moves) // 2, overhead, spent, ponder)

    def _answer(self, best: Best, spent: float) -> None:
        """Make a move of ours and send it; then ponder. spent: seconds of thought."""
        game, move = self.session.game, best.move
        assert move is not None
        texts = self.wire.write(game, move, self.spell(move), not self.computer)
        self.session.push(move)
        self.answers += 1
        self.moved()
        over = game.is_game_over()
        if self._seen is not None:
            self.score = self._seen.score
            self.dull = self.dull + 1 if abs(self.score) <= DULL_SCORE else 0
        said = [f"move {text}" for text in texts]
        if not over and self._offers(game):
            said.insert(0, "offer draw")
        if self.ponders and not over and best.ponder in game.legal_numbers():
            assert best.ponder is not None
            said.append(f"Hint: {self.spell(best.ponder)}")
            self._ponder_later(game, best.ponder, spent)
        self.send("\n".join(said))
        self._claim()
        self.mark()

    def spell(self, move: int) -> str:
        """A legal move as XBoard writes it."""
        return spell(self.session.game, move, self.face.chess960)

    def _info(self, info: Info) -> None:
        """Send a line of thinking; scores that are only bounds are left out."""
        if info.bound:
            return
        if info.multipv == 1:
            self._seen = info
        if self.post:
            self.send(thinking(info, self.clock.rate, self.spell))

    # The opponent's move

    def moved(self) -> None:
        """The position has changed: forget what was said of the last one."""
        self.excluded.clear()
        outcome = self.session.game.outcome()
        self.over = outcome is not None and outcome.claimable

    def passes(self, text: str) -> bool:
        """Whether a bare move of force mode only passes the turn; it is then kept and not answered.

        Cute Chess does that before `setboard`, others before `edit`, by a move that is legal in chess. If it is illegal in our
        game we must not say so: they would take that for a claim. Bare moves after it are kept, too.
        """
        if self.side is not None or self.analyzing:
            return False
        if not self.dummies:
            try:
                self.wire.read(self.session.game, unspell(self.session.game, text))
            except MoveError:
                pass
            else:
                return False
        self.dummies.append(text)
        return True

    def settle(self) -> None:
        """The game goes on: what was taken for passes of the turn were moves, and is answered now."""
        for text in self.dummies:
            self.send(f"Illegal move: {text}")
        self.dummies.clear()

    def mark(self) -> None:
        """Show who is royal if the picture does not, and who may become king."""
        found = marks(self.session.game, self.wire)
        if found and not self.wire.plain:
            self.send(highlight(self.session.rules, found))

    # Draws and the end of a game

    def _claim(self) -> None:
        said = claim(self.session.game.outcome())
        if said:
            self.send(said)

    def _offers(self, game: Game) -> bool:
        """Whether to offer a draw now."""
        ready = self.dull >= DULL_MOVES and game.ply() >= DULL_PLIES and game.halfmove_clock >= 2 * DULL_MOVES
        if ready:
            self.dull = 0  # not again at once
        return ready

    def accepts_draw(self) -> bool:
        """Whether to agree to a draw: if the rules have drawn the game already, or we are not better."""
        seen = self._seen
        score = seen.score if seen is not None and self.session.busy() and self.background is None else self.score
        if self.over or score is None:
            return self.over
        return score <= (EARLY_DRAW if self.session.game.ply() < EARLY else LATE_DRAW)

    # Pondering

    def _ponder_later(self, game: Game, move: int, spent: float) -> None:
        """Queue a search that expects a move of the opponent, unless something else has been asked meanwhile."""
        ahead = game.copy()
        ahead.push(move)
        if not ahead.legal_moves():
            return
        limits = self._limits(ahead, spent, ponder=True)
        with self._changed:
            if self._waiting > 1:  # this job is one
                return
            ticket = self.session.ticket()

            def think(background: Background) -> None:
                self._seen = None
                background.best = self.session.think(ticket, limits, self._ponder_info, ahead)

            self.start_background(Background(ticket, ahead, move, time.monotonic()), think)

    def _ponder_info(self, info: Info) -> None:
        """Send no lines while pondering, because they begin after a move that has not been played."""
        if self.pondering() is None:
            self._info(info)
        elif info.multipv == 1 and not info.bound:
            self._seen = info

    def ponder_hit(self, text: str) -> bool:
        """Whether a move of the opponent is the one pondered on; if so, that search becomes ours."""
        background = self.pondering()
        if background is None or self.wire.stage.name or self.dummies or not self.wait_until_idle(PATIENCE):
            return False
        game = self.session.game
        try:
            move, _ = self.wire.read(game, unspell(game, text))
        except MoveError:
            return False
        if move != background.predicted:
            return False
        self.background = None
        background.began = time.monotonic()  # our clock runs from here
        self.session.ponder_hit(background.ticket)
        self.with_ticket(lambda ticket: self._after_hit(text, background, ticket), f"usermove {text}")
        return True

    def _after_hit(self, text: str, background: Background, ticket: Ticket) -> None:
        """Make the opponent's move and ours, which was found by pondering."""
        game = self.session.game
        move = self.wire.add(game, unspell(game, text))
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

    # Analysis

    def analyse_later(self) -> None:
        """Queue an analysis of the current position."""
        self.start_background(Background(self.session.ticket(), None, None, time.monotonic()), self._analyse)

    def _analyse(self, background: Background) -> None:
        game = self.session.game
        self._seen = None
        moves = self.wire.moves_with_heir(game) or tuple(game.legal_numbers())
        wanted = tuple(move for move in moves if move not in self.excluded)
        background.nothing = not wanted or self.position_refused
        if background.nothing:
            return
        background.game = game
        known, left = self._known(game, wanted)
        if not left:
            assert known is not None
            background.nothing = True
            self._info(known)
            return
        limits = Limits(infinite=True, searchmoves=left if left != moves else ())
        self.session.think(background.ticket, limits, lambda info: self._info(
            info if known is None or info.score > known.score else known))

    def _known(self, game: Game, moves: tuple[int, ...]) -> tuple[Info | None, tuple[int, ...]]:
        """The best line among moves to positions whose score was given by `setscore`, and the moves left to search."""
        lines, left = [], []
        for move in moves:
            given = self.marked.get(game.key_after(move)) if self.marked else None
            if given is None:
                left.append(move)
            else:
                score, depth = given
                lines.append(Info(depth, depth, 1, -score, "", 1, 0.0, 0, (move,)))
        return max(lines, key=lambda line: line.score, default=None), tuple(left)

    def statistics(self) -> str:
        """How far analysis is: centiseconds, nodes, depth, root moves left, root moves in all, the current root move.

        Waits for a search that is just about to begin; zeros if there is nothing to search.
        """
        background, searcher = self.background, self.session.searcher
        until = time.monotonic() + PATIENCE / 2
        while background is not None and not background.nothing and time.monotonic() < until:
            current = None if background.game is None else searcher.current()
            if background.game is not None and current is not None:
                spent = int((time.monotonic() - background.began) * 100)
                count = len(background.game.legal_moves()) - len(self.excluded)
                return (f"stat01: {spent} {searcher.nodes()} {current.depth} {max(0, count - current.number)} {count} "
                        f"{self.spell(current.move)}")
            time.sleep(0.01)
        return "stat01: 0 0 0 0 0"

    # Hints

    def hint_beside(self) -> None:
        """Send the move expected while pondering, or the best one that analysis has found; nothing if there is none."""
        background, seen = self.background, self._seen
        if background is not None and background.predicted is not None:
            self.send(f"Hint: {self.spell(background.predicted)}")
        elif background is not None and seen is not None and seen.pv:
            self.send(f"Hint: {self.spell(seen.pv[0])}")

    def hint(self, ticket: Ticket) -> None:
        """Send what we would play now."""
        best = self.session.think(ticket, Limits(movetime=HINT_TIME), lambda info: None)
        if best.move is not None and not ticket.abandoned:
            self.send(f"Hint: {self.spell(best.move)}")
