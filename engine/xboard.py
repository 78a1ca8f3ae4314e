"""The Chess Engine Communication Protocol, version 2, as XBoard, Cute Chess and python-chess really speak it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from engine import __version__, options
from engine.errors import CommandError, FenError, MoveError, OptionError
from engine.loop import Command, Protocol, Writer
from engine.options import shown, whole
from engine.session import Ticket

if TYPE_CHECKING:
    from engine.game import Outcome
    from search.limits import Info, Limits

MOVE = re.compile(r"[a-h][1-8][a-h][1-8][a-z]?|[A-Z]@[a-h][1-8]|@@@@|[O0]-[O0](-[O0])?", re.ASCII)
QUICK = 0.1  # seconds for a move when `st 0` leaves open how long that is
MATE_SCORE = 100_000


class Face(NamedTuple):
    """How a game shows itself to XBoard."""

    variant: str
    chess960: bool = False
    setup: str = ""  # for games XBoard does not know: its pieces, board size and the game it resembles


FAIRY = "fairy"

# The games XBoard can show. It matches the names it knows anywhere in ours: with "atomic" in it a name would arrive as
# `variant atomic`.
FACES = {
    "normal": Face("chess"),
    "fischerandom": Face("chess", chess960=True),
    "atomic": Face("atomic"),
    "nocheck-blast": Face("nocheckatomic", setup="(PNBRQ...........Kpnbrq...........k) 8x8+0_atomic"),
    # whatever the option Variant names, without a setup: how XBoard starts from a position file
    FAIRY: Face(""),
}


class XBoard(Protocol):
    """Speaks CECP for one session."""

    def __init__(self, writer: Writer):
        super().__init__(writer)
        self.greeted = False
        self.debug = False  # `#` lines were asked for and accepted
        self.post = True
        self.side: int | None = 1  # whom we play, None in force mode
        self.positioned = False  # a setboard came since `new`
        self.lost: list[str] = []  # moves of force mode that the rules do not know: we no longer have the GUI's position
        self.default = "chess"  # what `new` starts, by the option Variant
        self.face = FACES["normal"]
        self.depth: int | None = None
        self.move_time: float | None = None  # seconds
        self.level: tuple[int, float, float] | None = None  # moves, seconds, increment in seconds
        self.clocks: list[float | None] = [None, None]  # seconds: ours, the opponent's

    def news(self, text: str) -> None:
        if self.debug and not self.closing:
            self.send(f"# {text}")

    def error(self, message: str, line: str) -> None:
        # GUIs look for the first colon after a parenthesis without parentheses in it.
        reason = " ".join(message.split()).replace("(", "[").replace(")", "]")
        self.send(f"Error ({reason}): {options.shown(line)[1:-1]}")

    def unknown(self, word: str) -> None:
        raise CommandError("unknown command")

    def find(self, word: str) -> Command | None:
        if MOVE.fullmatch(word):  # Cute Chess leaves out `usermove` at times
            return Command(lambda protocol, _: protocol.user_move(word), True, "")
        return super().find(word)

    # The start.

    def hello(self, rest: str) -> None:
        """xboard: answer at once, a GUI takes an engine that is silent for one of protocol 1."""
        self.greeted = True
        self.send("feature done=0")

    def features(self, rest: str) -> None:
        """protover N: the features at once, done=1 when loaded."""
        if not self.greeted:
            self.hello(rest)
        lines = [f'feature myname="Kingmaker {__version__}" variants="{",".join(FACES)}"',
                 "feature ping=1 setboard=1 usermove=1 playother=1 time=1 draw=1 san=0 analyze=0 nps=0",
                 "feature sigint=0 colors=0 reuse=1 memory=1 smp=1 debug=1"]
        lines += [options.xboard_feature(option) for option in options.OPTIONS if option.xboard]
        self.send("\n".join(lines))
        self.later(self._loaded, "protover")

    def _loaded(self) -> None:
        try:
            self.session.load()
        finally:
            self.send("feature done=1")

    def accepted(self, rest: str) -> None:
        """accepted FEATURE: only debug matters, nothing else may depend on it."""
        self.debug |= rest == "debug"

    def rejected(self, rest: str) -> None:
        """rejected FEATURE."""
        if rest == "debug":
            self.debug = False

    def accept(self, rest: str) -> None:
        """Known, and of no importance here."""

    # The game.

    def _interrupt(self, job: str, rest: str) -> None:
        """End the search, nobody wants its move; then, in turn, the method `job`."""
        self.session.stop(abandon=True)
        self.later(lambda: getattr(self, job)(rest), f"{job.strip('_')} {rest}".strip())

    def new(self, rest: str) -> None:
        """new: the start position, we play Black."""
        self._interrupt("_new", rest)

    def _new(self, rest: str) -> None:
        self.session.values["UCI_Chess960"] = False
        self.session.set_variant(self.default)
        self.session.clear()
        self.face = FACES["normal"]
        self.side, self.depth, self.clocks = 1, None, [None, None]
        self.lost, self.positioned = [], False

    def variant(self, rest: str) -> None:
        """variant NAME: another game, from its start position."""
        self._interrupt("_variant", rest)

    def _variant(self, rest: str) -> None:
        if rest not in FACES:
            own = [name for name in FACES if name != FAIRY]
            raise OptionError(f"unsupported variant {shown(rest)}{options.suggestion(rest, own)}")
        face = Face(self.default) if rest == FAIRY else FACES[rest]
        self.face = face
        self.session.values["UCI_Chess960"] = face.chess960
        self.session.set_variant(face.variant)
        self.lost, self.positioned = [], False
        if face.setup:
            board = " ".join(self.session.rules.start_fen.split()[:6])
            self.send(f"setup {face.setup} {board}")
        self.session.load()

    def set_board(self, rest: str) -> None:
        """setboard FEN."""
        self._interrupt("_setboard", rest)

    def _setboard(self, rest: str) -> None:
        try:
            if not rest:
                raise FenError("FEN is empty")
            self.session.set_position(rest, [])
        except FenError as error:
            self.send(f"tellusererror Illegal position: {' '.join(str(error).split())}")
            return
        self.lost, self.positioned = [], True

    def force(self, rest: str) -> None:
        """force: play neither side."""
        self._interrupt("_force", rest)

    def _force(self, rest: str) -> None:
        self.side = None

    def result(self, rest: str) -> None:
        """result RESULT {COMMENT}: the game is over."""
        self._interrupt("_force", rest)

    def undo(self, rest: str) -> None:
        """undo: take one move back."""
        self._interrupt("_undo", rest)

    def _undo(self, rest: str) -> None:
        if self.lost:
            self.lost.pop()
            return
        if not self.session.game.moves:
            raise CommandError("no move to take back")
        self.session.pop()

    def remove(self, rest: str) -> None:
        """remove: take one move of each side back."""
        self._interrupt("_remove", rest)

    def _remove(self, rest: str) -> None:
        if len(self.lost) + len(self.session.game.moves) < 2:
            raise CommandError("fewer than two moves to take back")
        self._undo(rest)
        self._undo(rest)

    def user_move(self, rest: str) -> None:
        """usermove MOVE."""
        if not MOVE.fullmatch(rest):
            raise CommandError(f"{shown(rest)} is no move")
        self._with_ticket(lambda ticket: self._user_move(rest, ticket), f"usermove {rest}")

    def _user_move(self, text: str, ticket: Ticket) -> None:
        game = self.session.game
        if self.lost:
            self.lost.append(text)
            return
        try:
            self.session.push(self._castling(text) if "-" in text else text)
        except MoveError:
            if self.side is None and not self.positioned:
                self.lost.append(text)  # a GUI that passes the turn before it sets up a position; it must not hear of it
            else:
                self.send(f"Illegal move: {text}")
            return
        if self.side == game.turn:
            if _counted(game.outcome()):
                self.send("offer draw")
            self._play(ticket)

    def _castling(self, text: str) -> int:
        """The legal move `O-O` or `O-O-O` is. Raises MoveError."""
        from engine.position import CASTLE, KIND, TO
        from engine.text import legal_moves

        game = self.session.game
        for move in map(int, legal_moves(game.rules, game.pos)):
            if move >> KIND == CASTLE and ((move >> TO & 63) > (move & 63)) == (len(text) == 3):
                return move
        raise MoveError(f"illegal move {text!r}")

    # Playing.

    def _with_ticket(self, job: Callable[[Ticket], None], line: str) -> None:
        """Queue what may lead to a search; the ticket lets `?` and `force` find the search before it has begun."""
        ticket = self.session.ticket()

        def run() -> None:
            try:
                job(ticket)
            finally:
                self.session.done(ticket)

        self.later(run, line)

    def go(self, rest: str) -> None:
        """go: play the side to move."""
        self._with_ticket(self._go, "go")

    def _go(self, ticket: Ticket) -> None:
        if self.lost:
            raise CommandError(f"position unknown after {self.lost[0]}")
        self.side = self.session.game.turn
        self._play(ticket)

    def play_other(self, rest: str) -> None:
        """playother: play the side that is not to move."""
        self._interrupt("_play_other", rest)

    def _play_other(self, rest: str) -> None:
        self.side = 1 - self.session.game.turn

    def move_now(self, rest: str) -> None:
        """?: move now."""
        self.session.stop()

    def _play(self, ticket: Ticket) -> None:
        """Think, move, and claim what the rules then say."""
        game = self.session.game
        if ticket.abandoned:
            return
        if not game.legal_moves():
            self._claim(game.outcome())
            return
        best = self.session.think(ticket, self._limits(), self._info)
        if ticket.abandoned or best.move is None:
            return
        text = self._text(best.move)
        self.session.push(best.move)
        self.send(f"move {text}")
        self._claim(game.outcome())

    def _claim(self, outcome: Outcome | None) -> None:
        """Say how the game ended; what is counted by moves is offered, GUIs count for themselves and punish a claim."""
        if outcome is None:
            return
        from engine.game import Reason

        if _counted(outcome):
            self.send("offer draw")
            return
        winner = ("White", "Black")[outcome.winner] if outcome.winner is not None else ""
        words = {Reason.CHECKMATE: f"{winner} mates", Reason.EXPLOSION: f"{winner} explodes the king",
                 Reason.STALEMATE: "Stalemate", Reason.MATERIAL: "Insufficient material"}
        self.send(f"{outcome.result} {{{words.get(outcome.reason, outcome.reason.value)}}}")

    def draw(self, rest: str) -> None:
        """draw: agree where the rules have drawn the game already."""
        if not self.lost and _counted(self.session.game.outcome()):
            self.send("offer draw")

    def _text(self, move: int) -> str:
        """A move as XBoard writes it: castling as O-O where the king's two squares would not say it."""
        from engine.position import CASTLE, KIND, TO

        if move >> KIND == CASTLE and (self.face.chess960 or move & 7 != 4):
            return "O-O" if (move >> TO & 63) > (move & 63) else "O-O-O"
        return self.session.game.text(move)

    def _limits(self) -> Limits:
        """All limits that were set: the tightest wins."""
        from search.limits import Limits

        game = self.session.game
        ours, theirs = self.clocks
        seconds, to_go, increment = self.move_time, None, 0.0
        if self.level is not None:
            moves, base, increment = self.level
            if moves:
                to_go = moves - len(game.moves) // 2 % moves
            if ours is None and seconds is None and base > 0:
                ours = base
        if seconds == 0:
            seconds = QUICK if ours is None else None
        if ours is None and seconds is None and self.depth is None:
            seconds = max(increment, 1.0)
        clock = [None if time is None else max(1.0, time * 1000) for time in (ours, theirs)]
        white, black = clock if game.turn == 0 else clock[::-1]
        return Limits(depth=self.depth, movetime=None if seconds is None else seconds * 1000, clock=(white, black),
                      increment=(increment * 1000, increment * 1000), moves_to_go=to_go)

    def _info(self, info: Info) -> None:
        """A line of thinking: ply, score, centiseconds, nodes, variation. Scores that are only bounds are left out."""
        if not self.post or info.bound:
            return
        mate, score = info.mate, info.score
        if mate is not None:
            score = MATE_SCORE + mate if mate > 0 else mate - MATE_SCORE
        pv = " ".join(map(self._text, info.pv))
        self.send(f"{info.depth} {score} {int(info.time / 10)} {info.nodes} {pv}")

    # Clocks and options.

    def set_level(self, rest: str) -> None:
        """level MOVES BASE INCREMENT: 0 moves for the whole game, base as minutes or minutes:seconds."""
        words = rest.split()
        try:
            moves, base, increment = words
            minutes, _, seconds = base.partition(":")
            level = (int(moves), 60 * float(minutes) + float(seconds or 0), float(increment))
        except (ValueError, OverflowError):
            raise CommandError("level wants MOVES MINUTES[:SECONDS] INCREMENT") from None
        if not all(0 <= value < 1e7 for value in level):
            raise CommandError("level out of range")
        self.level = level

    def set_time_per_move(self, rest: str) -> None:
        """st SECONDS."""
        seconds = _number("st", rest)
        if seconds < 0:
            raise CommandError("st below zero")
        self.move_time = seconds

    def set_depth(self, rest: str) -> None:
        """sd PLIES."""
        number = whole(rest)
        if number is None or number < 1:
            raise CommandError(f"sd {shown(rest)} is no depth")
        self.depth = number

    def time(self, rest: str) -> None:
        """time CENTISECONDS: our clock."""
        self.clocks[0] = _number("time", rest) / 100

    def other_time(self, rest: str) -> None:
        """otim CENTISECONDS: the opponent's clock."""
        self.clocks[1] = _number("otim", rest) / 100

    def pong(self, rest: str) -> None:
        """ping N: pong N when all before it is done."""
        self.send(f"pong {rest[:60]}")

    def set_post(self, rest: str) -> None:
        """post."""
        self.post = True

    def no_post(self, rest: str) -> None:
        """nopost."""
        self.post = False

    def memory(self, rest: str) -> None:
        """memory MB."""
        self._set_near("Hash", rest)

    def cores(self, rest: str) -> None:
        """cores N."""
        self._set_near("Threads", rest)

    def _set_near(self, name: str, text: str) -> None:
        """Set a number, or the nearest that is allowed: XBoard hands on what its user entered for all engines."""
        option, number = options.find(name), whole(text)
        if number is not None:
            text = str(min(max(number, option.low), option.high))
        self.session.set_option(option, text)

    def set_option(self, rest: str) -> None:
        """option NAME[=VALUE]."""
        name, equals, value = rest.partition("=")
        option = options.find(name)
        if not equals and option.kind != "button":
            raise CommandError(f"option {option.name} has no value")
        if option.name != "UCI_Variant":
            self.session.set_option(option, value)
            return
        self.default = str(option.parse(value))
        if not self.face.setup and not self.session.game.moves:
            self.session.set_variant(self.default)
            self.lost, self.positioned = [], False

    def usage(self, rest: str) -> None:
        """help: the command table."""
        self.send("\n".join(f"telluser {name:<10} {row.help}" for name, row in self.commands.items() if row.help))

    commands: ClassVar = {
        "xboard": Command(hello, True, "speak this protocol"),
        "protover": Command(features, True, "N: list the features"),
        "accepted": Command(accepted, True, ""),
        "rejected": Command(rejected, True, ""),
        "new": Command(new, True, "new game, you are White"),
        "variant": Command(variant, True, "NAME: play another game"),
        "setboard": Command(set_board, True, "FEN: set up a position"),
        "force": Command(force, True, "play neither side"),
        "go": Command(go, True, "play the side to move"),
        "playother": Command(play_other, True, "play the side that is not to move"),
        "usermove": Command(user_move, True, "MOVE: make a move"),
        "?": Command(move_now, True, "move now"),
        "undo": Command(undo, True, "take a move back"),
        "remove": Command(remove, True, "take two moves back"),
        "result": Command(result, True, "the game is over"),
        "draw": Command(draw, False, "offer a draw"),
        "level": Command(set_level, False, "MOVES MINUTES[:SECONDS] INCREMENT: set the clock"),
        "st": Command(set_time_per_move, False, "SECONDS: time per move"),
        "sd": Command(set_depth, False, "PLIES: limit the depth"),
        "time": Command(time, False, "CENTISECONDS: our clock"),
        "otim": Command(other_time, False, "CENTISECONDS: your clock"),
        "ping": Command(pong, False, "N: answer pong N when all before is done"),
        "post": Command(set_post, False, "show thinking"),
        "nopost": Command(no_post, False, "hide thinking"),
        "memory": Command(memory, False, "MB: size of the transposition table"),
        "cores": Command(cores, False, "N: threads"),
        "option": Command(set_option, False, "NAME[=VALUE]: set an option"),
        "help": Command(usage, True, "this list"),
        "quit": Command(accept, True, "end"),
        **dict.fromkeys((
            "computer", "random", "hard", "easy", "name", "rating", "ics", "hint", "bk", "pause", "resume", "white",
            "black", ".", "exit", "nps", "egtpath", "include", "exclude", "hover", "put", "lift"), Command(accept, True, "")),
    }


def _number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not abs(number) < 1e9:
        raise CommandError(f"{name} {shown(text)} is no number")
    return number


def _counted(outcome: Outcome | None) -> bool:
    """Whether a game is drawn by repetition or the 50 moves."""
    if outcome is None:
        return False
    from engine.game import Reason

    return outcome.reason in (Reason.REPETITION, Reason.FIFTY_MOVES)
