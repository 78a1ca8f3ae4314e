"""The Chess Engine Communication Protocol, version 2, as XBoard, Cute Chess and python-chess really use it.

This file is the table of commands. background.py, play.py and setup.py are what the commands act on, each a class above the
last; wire.py translates moves, mouse.py answers a user's mouse.
"""

from __future__ import annotations

from typing import ClassVar

from engine import __version__
from engine.errors import CommandError, MoveError, OptionError
from engine.protocol import options
from engine.protocol.loop import Command, Writer
from engine.protocol.options import shown, whole
from engine.protocol.requests import Ticket
from engine.protocol.xboard.clock import number
from engine.protocol.xboard.faces import names
from engine.protocol.xboard.mouse import choices, chosen_heir, drives, lift
from engine.protocol.xboard.setup import Setup
from engine.protocol.xboard.wire import MOVE, unspell
from engine.squares import parse_square


class XBoard(Setup):
    """Speaks CECP for one session."""

    def __init__(self, writer: Writer):
        super().__init__(writer)
        self.greeted = False
        self.debug = False  # `#` lines were offered and accepted
        self.usermoves = False  # we said usermove=1, and nobody objected
        self.lifted: int | None = None  # the square of the piece that a user has lifted

    def news(self, text: str) -> None:
        """Report how loading goes, if `#` lines are accepted."""
        if self.debug and not self.closing:
            self.send(f"# {text}")

    def error(self, message: str, line: str) -> None:
        """Report what is wrong."""
        # GUIs look for the first colon after a parenthesis without parentheses in it.
        reason = " ".join(message.split()).replace("(", "[").replace(")", "]")
        self.send(f"Error ({reason}): {shown(line)[1:-1]}")

    def unknown(self, word: str) -> None:
        """Handle a line whose first word is no command. Raises CommandError."""
        raise CommandError("unknown command")

    def find(self, word: str) -> Command | None:
        """The command of a line's first word, which may be a move: Cute Chess leaves out `usermove` at times."""
        if MOVE.fullmatch(word):
            return Command(lambda protocol, _: protocol.bare_move(word), True, "")
        return super().find(word)

    # The start

    def hello(self, rest: str) -> None:
        """`xboard`: answer at once, for a GUI takes a silent engine for one of protocol 1."""
        self.greeted = True
        self.send("feature done=0")

    def features(self, rest: str) -> None:
        """`protover N`: list the features at once, done=1 when loaded."""
        if not self.greeted:
            self.hello(rest)
        said = [f'feature myname="Kingmaker {__version__}"', self._variants(),
                "feature ping=1 setboard=1 usermove=1 playother=1 san=0 time=1 draw=1 sigint=0 analyze=1 nps=1 reuse=1",
                "feature colors=0 ics=1 name=1 memory=1 smp=1 exclude=1 setscore=1 highlight=1 debug=1",
                'feature egt="syzygy"']
        said += [options.xboard_feature(option) for option in options.OPTIONS if option.xboard]
        self.send("\n".join(said))
        self.usermoves = True
        self.later(self._loaded, "protover")

    def _variants(self) -> str:
        """The feature that lists the games: again when there are more of them."""
        return f'feature variants="{",".join(names())}"'

    def _loaded(self) -> None:
        try:
            self.session.get_ready()
        finally:
            self.send("feature done=1")

    def accepted(self, rest: str) -> None:
        """`accepted FEATURE`: only XBoard accepts highlights; nothing else may depend on what is accepted."""
        self.debug |= rest == "debug"
        if rest == "highlight":
            self.wire.plain = False

    def rejected(self, rest: str) -> None:
        """`rejected FEATURE`."""
        if rest == "debug":
            self.debug = False
        if rest == "usermove":
            self.usermoves = False

    def accept(self, rest: str) -> None:
        """Do nothing: the command is known and does not matter here."""

    # The opponent's moves

    def user_move(self, rest: str) -> None:
        """`usermove MOVE`."""
        if not MOVE.fullmatch(rest):
            raise CommandError(f"{shown(rest)} is not a move")
        if not self.ponder_hit(rest):
            self.with_ticket(lambda ticket: self._user_move(rest, ticket), f"usermove {rest}")

    def bare_move(self, text: str) -> None:
        """A move without `usermove`, although we asked for that word: a GUI may pass the turn by it."""
        def moved(ticket: Ticket) -> None:
            if not (self.usermoves and not self.positioned and self.passes(text)):
                self._user_move(text, ticket)

        if not self.ponder_hit(text):
            self.with_ticket(moved, text)

    def _user_move(self, text: str, ticket: Ticket) -> None:
        self.settle()
        game = self.session.game
        if self.position_refused:
            self.send(f"Illegal move: {text}")
            return
        try:
            move = self.wire.add(game, unspell(game, text))
        except MoveError:
            self.send(f"Illegal move: {text}")
            self._by_mouse(text, ticket)
            return
        if move is not None:
            self._made(move, ticket)

    def _made(self, move: int, ticket: Ticket) -> None:
        """Make the opponent's move, and answer if it is our turn."""
        self.session.push(move)
        self.moved()
        if self.side == self.session.game.turn and not self.wire.waiting:
            if self.over:
                self.send("offer draw")
            self.play(ticket)

    def _by_mouse(self, text: str, ticket: Ticket) -> None:
        """Make and show a move that XBoard took back, if it is a user's way to play one that he cannot show."""
        game = self.session.game
        if self.wire.plain or self.computer or self.side == game.turn:
            return
        start, target = parse_square(text[:2]), parse_square(text[2:4])
        heir = chosen_heir(game, self.wire, text)
        if heir is not None:
            self._show(self.wire.choose(game, heir))
            return
        move = None if start is None or target is None else drives(game, self.wire, start).get(target)
        if move is not None:
            self._show(self.wire.write(game, move, game.text(move), person=True))
            self._made(move, ticket)

    def _show(self, texts: list[str]) -> None:
        self.send("\n".join(f"move {text}" for text in texts))

    # A user's mouse

    def lift(self, rest: str) -> None:
        """`lift SQUARE`: highlight where the piece may go."""
        self._mouse("lift", rest)

    def put(self, rest: str) -> None:
        """`put SQUARE`: offer what the pawn may become."""
        self._mouse("put", rest)

    def hover(self, rest: str) -> None:
        """`hover SQUARE`: repeat the highlight of the lifted piece."""
        self._mouse("hover", rest)

    def _mouse(self, what: str, rest: str) -> None:
        square = parse_square(rest)
        if square is None:
            raise CommandError(f"{what} {shown(rest)} is not a square")
        self.aside(lambda: self._touched(what, square), f"{what} {rest}")

    def _touched(self, what: str, square: int) -> None:
        game, native = self.session.game, self.session.rules.xboard.native
        if what == "lift":
            self.lifted = square
        if self.lifted is None:
            return
        if what != "put":
            self.send(lift(game, self.wire, self.lifted, native))
        elif not native and (letters := choices(game, self.wire, self.lifted, square)):
            self.send(f"choice {letters}")

    # Playing

    def go(self, rest: str) -> None:
        """`go`: play the side to move; while we think, that is ours already."""
        self._end_analysis()
        answers = self.answers
        self.with_ticket(lambda ticket: self._go(ticket, answers), "go")

    def _go(self, ticket: Ticket, answers: int) -> None:
        if self.side is not None and self.answers != answers:
            return
        if self.position_refused:
            raise CommandError("the position that was set up is illegal")
        self.settle()
        self.side = self.wire.turn(self.session.game)
        if not self.wire.waiting:
            self.play(ticket)

    def play_other(self, rest: str) -> None:
        """`playother`: play the side that is not to move."""
        self._end_analysis()
        self.interrupt(self._play_other, "playother")

    def _play_other(self) -> None:
        self.settle()
        self.side = 1 - self.wire.turn(self.session.game)

    def move_now(self, rest: str) -> None:
        """`?`: move now."""
        if self.background is None:
            self.session.stop()

    def force(self, rest: str) -> None:
        """`force`: play neither side."""
        self.interrupt(self._force, "force")

    def _force(self) -> None:
        self.side = None

    def result(self, rest: str) -> None:
        """`result RESULT {COMMENT}`: the game is over."""
        self._end_analysis()
        self.interrupt(self._force, "result")

    def draw(self, rest: str) -> None:
        """`draw`: accept a draw, or say nothing; also while we think."""
        if self.session.busy() and self.background is None:
            self._answer_draw()
        else:
            self.aside(self._answer_draw, "draw")

    def _answer_draw(self) -> None:
        if self.accepts_draw():
            self.send("offer draw")

    def set_ponder(self, rest: str) -> None:
        """`hard`: think on the opponent's time, from our next move on."""
        self.ponders = True

    def no_ponder(self, rest: str) -> None:
        """`easy`: do not."""
        self.ponders = False
        if not self.analyzing:
            self.leave()

    def set_random(self, rest: str) -> None:
        """`random`: start or stop to vary the opening."""
        self.later(self._set_random, "random")

    def _set_random(self) -> None:
        self.random = not self.random

    def set_computer(self, rest: str) -> None:
        """`computer`: the opponent is an engine."""
        self.later(self._set_computer, "computer")

    def _set_computer(self) -> None:
        self.computer = True

    # Analysis

    def analyze(self, rest: str) -> None:
        """`analyze`: search the position, and each one after it, until `exit`."""
        self.session.stop(abandon=True)
        self.analyzing = True
        self.later(self._change, "analyze")

    def _change(self) -> None:
        """Begin or end analysis: in force mode, and with full strength as long as it lasts."""
        self.settle()
        self.side = None
        self.session.values["UCI_AnalyseMode"] = self.analyzing

    def leave_analysis(self, rest: str) -> None:
        """`exit`: force mode. Without an analysis there is nothing to leave."""
        if self.analyzing:
            self.analyzing = False
            self.later(self._change, "exit")

    def _end_analysis(self) -> None:
        """Commands that play a game end an analysis without an `exit`."""
        self.leave_analysis("")

    def report(self, rest: str) -> None:
        """`.`: report how far the analysis is."""
        if self.analyzing:
            self.aside(lambda: self.send(self.statistics()), ".")

    def give_hint(self, rest: str) -> None:
        """`hint`: beside pondering and analysis at once, else in turn."""
        if self.background is not None:
            self.aside(self.hint_beside, "hint")
        else:
            self.with_ticket(self.hint, "hint")

    def book(self, rest: str) -> None:
        """`bk`: lines that begin with a blank, then an empty one."""
        self.send(" Kingmaker plays without an opening book.\n")

    def exclude(self, rest: str) -> None:
        """`exclude MOVE|all`: leave it out of the analysis."""
        self.later(lambda: self._exclude(rest, True), f"exclude {rest}")

    def include(self, rest: str) -> None:
        """`include MOVE|all`: take it back into the analysis."""
        self.later(lambda: self._exclude(rest, False), f"include {rest}")

    def _exclude(self, rest: str, out: bool) -> None:
        game = self.session.game
        moves = set(game.legal_numbers()) if rest == "all" else {self._read(rest)}
        self.excluded = self.excluded | moves if out else self.excluded - moves

    def _read(self, text: str) -> int:
        """The legal move that one ply stands for. Raises MoveError."""
        move, _ = self.wire.read(self.session.game, unspell(self.session.game, text))
        if move is None:
            raise MoveError(f"illegal move {text!r}")
        return move

    def set_score(self, rest: str) -> None:
        """`setscore SCORE DEPTH`: the value of the position for the side to move, in centipawns, until `new`."""
        words = rest.split()
        score, depth = (whole(word) for word in words) if len(words) == 2 else (None, None)
        if score is None or depth is None or abs(score) > 30_000 or not 0 <= depth <= 99:
            raise CommandError("setscore expects SCORE DEPTH")
        self.later(lambda: self._set_score(score, depth), f"setscore {rest}")

    def _set_score(self, score: int, depth: int) -> None:
        self.marked[self.session.game.key] = score, depth

    # Clocks and options

    def time(self, rest: str) -> None:
        """`time CENTISECONDS`: our clock."""
        self._set_clock(0, "time", rest)

    def other_time(self, rest: str) -> None:
        """`otim CENTISECONDS`: the opponent's clock."""
        self._set_clock(1, "otim", rest)

    def _set_clock(self, whose: int, name: str, rest: str) -> None:
        seconds = number(name, rest) / 100

        def set_it() -> None:
            self.clock.left[whose] = seconds

        self.aside(set_it, f"{name} {rest}")

    def set_level(self, rest: str) -> None:
        """`level MOVES MINUTES[:SECONDS] INCREMENT`."""
        self.clock.set_level(rest)

    def set_time_per_move(self, rest: str) -> None:
        """`st SECONDS`."""
        self.clock.set_move_time(rest)

    def set_depth(self, rest: str) -> None:
        """`sd PLIES`."""
        self.clock.set_depth(rest)

    def set_rate(self, rest: str) -> None:
        """`nps NODES`."""
        self.clock.set_rate(rest)

    def ping(self, rest: str) -> None:
        """`ping N`: answer pong N when everything before it is done, background searches not included."""
        self.aside(lambda: self.send(f"pong {rest[:60]}"), f"ping {rest}")

    def set_post(self, rest: str) -> None:
        """`post`: send lines of thinking."""
        self.post = True

    def no_post(self, rest: str) -> None:
        """`nopost`: send none."""
        self.post = False

    def memory(self, rest: str) -> None:
        """`memory MB`."""
        self._set_nearest("Hash", rest)

    def cores(self, rest: str) -> None:
        """`cores N`."""
        self._set_nearest("Threads", rest)

    def _set_nearest(self, name: str, text: str) -> None:
        """Set a number, or the nearest one allowed: XBoard sends what its user entered for all engines."""
        option, given = options.find(name), whole(text)
        if given is not None:
            text = str(min(max(given, option.low), option.high))
        self.session.set_option(option, text)

    def set_option(self, rest: str) -> None:
        """`option NAME[=VALUE]`."""
        name, equals, value = rest.partition("=")
        option = options.find(name)
        if not equals and option.kind != "button":
            raise CommandError(f"option {option.name} has no value")
        if option.name == "UCI_Variant":
            self.set_default(str(option.parse(value)))
        else:
            self.session.set_option(option, value)
            if option.name == "VariantPath":
                self.send(self._variants())

    def set_endgame_path(self, rest: str) -> None:
        """`egtpath FORMAT FOLDERS`. XBoard names one without knowing whether there is one: its user need not hear of it."""
        kind, _, path = rest.partition(" ")
        if kind != "syzygy":
            raise CommandError(f"{shown(kind)} tables are not read, only syzygy")
        try:
            self.session.set_option(options.find("SyzygyPath"), path)
        except OptionError as error:
            self.news(str(error))

    def usage(self, rest: str) -> None:
        """`help`: show the command table."""
        self.send("\n".join(f"telluser {name:<10} {row.help}" for name, row in self.commands.items() if row.help))

    commands: ClassVar = {
        "xboard": Command(hello, True, "speak this protocol"),
        "protover": Command(features, True, "N: list the features"),
        "accepted": Command(accepted, True, ""),
        "rejected": Command(rejected, True, ""),
        "new": Command(Setup.new, True, "new game, you are White"),
        "variant": Command(Setup.variant, True, "NAME: play another game"),
        "setboard": Command(Setup.set_board, True, "FEN: set up a position"),
        "edit": Command(Setup.edit, True, "put together a position: # c Pa4 xa4, then ."),
        "force": Command(force, True, "play neither side"),
        "go": Command(go, True, "play the side to move"),
        "playother": Command(play_other, True, "play the side that is not to move"),
        "white": Command(Setup.white, True, "White is to move, the engine plays Black"),
        "black": Command(Setup.black, True, "Black is to move, the engine plays White"),
        "usermove": Command(user_move, True, "MOVE: make a move"),
        "?": Command(move_now, True, "move now"),
        "undo": Command(Setup.undo, True, "take a move back"),
        "remove": Command(Setup.remove, True, "take two moves back"),
        "result": Command(result, True, "the game is over"),
        "draw": Command(draw, True, "offer a draw"),
        "hint": Command(give_hint, True, "suggest a move"),
        "bk": Command(book, True, "what the opening book says"),
        "analyze": Command(analyze, True, "search until exit"),
        ".": Command(report, True, "report how far the analysis is"),
        "exit": Command(leave_analysis, True, "end analysis"),
        "exclude": Command(exclude, True, "MOVE|all: leave it out of analysis"),
        "include": Command(include, True, "MOVE|all: take it back into analysis"),
        "setscore": Command(set_score, True, "SCORE DEPTH: the value of the position for the side to move"),
        "lift": Command(lift, True, "SQUARE: where may this piece go"),
        "put": Command(put, True, "SQUARE: what may the pawn become"),
        "hover": Command(hover, True, "SQUARE: the lifted piece is above it"),
        "hard": Command(set_ponder, True, "think on the opponent's time"),
        "easy": Command(no_ponder, True, "do not think on the opponent's time"),
        "random": Command(set_random, True, "vary the opening"),
        "computer": Command(set_computer, True, "the opponent is an engine"),
        "level": Command(set_level, False, "MOVES MINUTES[:SECONDS] INCREMENT: set the clock"),
        "st": Command(set_time_per_move, False, "SECONDS: time per move"),
        "sd": Command(set_depth, False, "PLIES: limit the depth"),
        "nps": Command(set_rate, False, "NODES: measure time in nodes, this many to the second"),
        "time": Command(time, True, "CENTISECONDS: our clock"),
        "otim": Command(other_time, True, "CENTISECONDS: your clock"),
        "ping": Command(ping, True, "N: answer pong N when everything before is done"),
        "post": Command(set_post, True, "show thinking"),
        "nopost": Command(no_post, True, "hide thinking"),
        "memory": Command(memory, False, "MB: size of the transposition table"),
        "cores": Command(cores, False, "N: threads"),
        "option": Command(set_option, False, "NAME[=VALUE]: set an option"),
        "egtpath": Command(set_endgame_path, False, "syzygy FOLDERS: where Syzygy tables are"),
        "help": Command(usage, True, "this list"),
        "quit": Command(accept, True, "end"),
        **dict.fromkeys(("name", "rating", "ics", "pause", "resume"), Command(accept, True, "")),
    }
