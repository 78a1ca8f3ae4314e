"""The Chess Engine Communication Protocol, version 2, as XBoard, Cute Chess and python-chess really speak it.

This file is the command table; play.py plays, wire.py translates moves, mouse.py answers a person's mouse.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from engine import __version__
from engine.errors import CommandError, FenError, MoveError, OptionError
from engine.protocol import options
from engine.protocol.loop import Command, Writer, first_word
from engine.protocol.options import shown, whole
from engine.protocol.requests import Ticket
from engine.protocol.xboard.clock import number
from engine.protocol.xboard.edit import Editor
from engine.protocol.xboard.faces import Shown, faces, lines
from engine.protocol.xboard.mouse import chosen_heir, drives, lift, promotions
from engine.protocol.xboard.play import Player, counted
from engine.protocol.xboard.wire import MOVE
from engine.squares import parse_square

if TYPE_CHECKING:
    from engine.game import Game

MAX_EDIT = 1000  # lines


class XBoard(Player):
    """Speaks CECP for one session."""

    def __init__(self, writer: Writer):
        super().__init__(writer)
        self.greeted = False
        self.debug = False  # `#` lines were asked for and accepted
        self.positioned = False  # a setboard came since `new`
        self.default = "chess"  # what `new` starts, by the option Variant
        self.told = False  # we said usermove=1, and nobody objected
        self.edits: list[str] | None = None  # lines of edit mode so far
        self.lifted: int | None = None  # the square of the man in a person's hand

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
            return Command(lambda protocol, _: protocol.bare_move(word), True, "")
        return super().find(word)

    def handle(self, line: str) -> bool:
        word = line.replace("\0", " ").strip()
        if self.edits is None or not word or first_word(line)[0] in ("ping", "quit"):
            return super().handle(line)
        if word == ".":
            edits, self.edits = self.edits, None
            self._run(lambda: self._interrupt(lambda: self._edit(edits), "edit"), "edit")
        elif self.find(first_word(line)[0]) is not None:  # the final . was lost on the way, or the GUI begins anew
            self.edits = None
            self.error("edit mode ends without its final ., position unchanged", line)
            return super().handle(line)
        elif len(self.edits) <= MAX_EDIT:
            self.edits.append(word)
        return True

    # The start

    def hello(self, rest: str) -> None:
        """xboard: answer at once, a GUI takes an engine that is silent for one of protocol 1."""
        self.greeted = True
        self.send("feature done=0")

    def features(self, rest: str) -> None:
        """protover N: the features at once, done=1 when loaded."""
        if not self.greeted:
            self.hello(rest)
        said = [f'feature myname="Kingmaker {__version__}" variants="{",".join(faces())}"',
                "feature ping=1 setboard=1 usermove=1 playother=1 san=0 time=1 draw=1 sigint=0 analyze=1 nps=1 reuse=1",
                "feature colors=0 ics=1 name=1 memory=1 smp=1 exclude=1 setscore=1 highlight=1 debug=1"]
        said += [options.xboard_feature(option) for option in options.OPTIONS if option.xboard]
        self.send("\n".join(said))
        self.told = True
        self.later(self._loaded, "protover")

    def _loaded(self) -> None:
        try:
            self.session.get_ready()
        finally:
            self.send("feature done=1")

    def accepted(self, rest: str) -> None:
        """accepted FEATURE: who takes highlights is an XBoard; nothing else may depend on what is accepted."""
        self.debug |= rest == "debug"
        if rest == "highlight":
            self.wire.plain = False

    def rejected(self, rest: str) -> None:
        """rejected FEATURE."""
        if rest == "debug":
            self.debug = False
        if rest == "usermove":
            self.told = False

    def accept(self, rest: str) -> None:
        """Known, and of no importance here."""

    # The game

    def _interrupt(self, job: Callable[[], None], line: str) -> None:
        """End the search, nobody wants its move; then, in turn, the job."""
        self.session.stop(abandon=True)
        self.later(job, line)

    def new(self, rest: str) -> None:
        """new: the start position, we play Black."""
        self._interrupt(self._new, "new")

    def _new(self) -> None:
        self.session.values["UCI_Chess960"] = False
        self.session.set_variant(self.default)
        self.session.clear()
        self.face = Shown(self.default)
        self.side = None if self.analyzing else 1
        self.clock.new_game()
        self.computer = self.random = False
        self.marked.clear()
        self._start()

    def _start(self, fen: str | None = None) -> None:
        """Begin to keep account of a game in its new position."""
        self.dummies, self.positioned = [], fen is not None
        self.score, self.dull = None, 0
        self.wire.begin(self.session.game, fen)
        self.moved()

    def variant(self, rest: str) -> None:
        """variant NAME: another game, from its start position."""
        self._interrupt(lambda: self._variant(rest), f"variant {rest}")

    def _variant(self, rest: str) -> None:
        known = faces()
        if rest not in known:
            own = [name for name, face in known.items() if face.variant]
            raise OptionError(f"unsupported variant {shown(rest)}{options.suggestion(rest, own)}")
        face = known[rest] if known[rest].variant else Shown(self.default)
        if face.variant == "atomic" and self.default == "nocheckatomic":
            face = Shown("nocheckatomic")  # the other game that explodes on XBoard's board, from any position
        self.face = face
        self.session.values["UCI_Chess960"] = face.chess960
        self.session.set_variant(face.variant)
        setup = lines(face, self.session.rules.start_fen)
        if setup:
            self.send("\n".join(setup))
        self.session.get_ready()
        self._start()
        self.mark()

    def set_board(self, rest: str) -> None:
        """setboard FEN."""
        self._interrupt(lambda: self._setboard(rest), f"setboard {rest}")

    def _setboard(self, rest: str) -> None:
        try:
            if not rest:
                raise FenError("FEN is empty")
            self.session.set_position(rest, [])
        except FenError as error:
            self.send(f"tellusererror Illegal position: {' '.join(str(error).split())}")
            return
        self._start(rest)
        self.mark()

    def edit(self, rest: str) -> None:
        """edit: put together a position; the lines up to `.` say how."""
        if rest:
            raise CommandError(f"edit takes no words, {shown(rest)}")
        self.edits = []

    def _edit(self, edits: list[str]) -> None:
        if len(edits) > MAX_EDIT:
            raise CommandError(f"edit mode takes {MAX_EDIT} lines at most")
        editor = Editor(self.session.rules, self.session.game.fen())
        for line in edits:
            editor.edit(line)
        self._setboard(editor.fen(self.session.game.turn ^ (len(self.dummies) & 1)))

    def white(self, rest: str) -> None:
        """white: White is to move, we play Black."""
        self._interrupt(lambda: self._to_move(0), "white")

    def black(self, rest: str) -> None:
        """black: Black is to move, we play White."""
        self._interrupt(lambda: self._to_move(1), "black")

    def _to_move(self, turn: int) -> None:
        fields = self.session.game.fen().split()
        self.dummies.clear()
        if turn != self.session.game.turn:
            fields[1], fields[3] = "wb"[turn], "-"
            self.session.set_position(" ".join(fields), [])
            self._start(" ".join(fields))
        self.side = None if self.analyzing else 1 - turn

    def force(self, rest: str) -> None:
        """force: play neither side."""
        self._interrupt(self._force, "force")

    def _force(self) -> None:
        self.side = None

    def result(self, rest: str) -> None:
        """result RESULT {COMMENT}: the game is over."""
        self._no_analysis()
        self._interrupt(self._force, "result")

    def undo(self, rest: str) -> None:
        """undo: take one ply back."""
        self._interrupt(self._undo, "undo")

    def _undo(self) -> None:
        if self.dummies:
            self.dummies.pop()
            return
        if not self.wire.plies:
            raise CommandError("no move to take back")
        if self.wire.undo() is not None:
            self.session.pop()
        self.moved()

    def remove(self, rest: str) -> None:
        """remove: take one ply of each side back."""
        self._interrupt(self._remove, "remove")

    def _remove(self) -> None:
        if len(self.dummies) + len(self.wire.plies) < 2:
            raise CommandError("fewer than two moves to take back")
        self._undo()
        self._undo()

    def user_move(self, rest: str) -> None:
        """usermove MOVE."""
        if not MOVE.fullmatch(rest):
            raise CommandError(f"{shown(rest)} is no move")
        if not self.ponder_hit(rest):
            self.with_ticket(lambda ticket: self._user_move(rest, ticket), f"usermove {rest}")

    def bare_move(self, text: str) -> None:
        """A move without `usermove`, although we asked for that word: a GUI may pass the turn by it."""
        def moved(ticket: Ticket) -> None:
            if not (self.told and not self.positioned and self.passes(text)):
                self._user_move(text, ticket)

        if not self.ponder_hit(text):
            self.with_ticket(moved, text)

    def _user_move(self, text: str, ticket: Ticket) -> None:
        self.settle()
        game = self.session.game
        try:
            move = self.wire.add(game, self.unspelled(text))
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
        game = self.session.game
        if self.side == game.turn and not self.wire.waiting:
            if counted(game.outcome()):
                self.send("offer draw")
            self.play(ticket)

    def _by_mouse(self, text: str, ticket: Ticket) -> None:
        """A move XBoard had to take back may be a person's way to say what he cannot show: we show it for him."""
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

    # A person's mouse

    def lift(self, rest: str) -> None:
        """lift SQUARE: say where the man may go."""
        self._mouse("lift", rest)

    def put(self, rest: str) -> None:
        """put SQUARE: say what the pawn may become."""
        self._mouse("put", rest)

    def hover(self, rest: str) -> None:
        """hover SQUARE: what the man in hand may do stays as it is."""
        self._mouse("hover", rest)

    def _mouse(self, what: str, rest: str) -> None:
        square = parse_square(rest)
        if square is None:
            raise CommandError(f"{what} {shown(rest)} is no square")
        self.aside(lambda: self._touched(what, square), f"{what} {rest}")

    def _touched(self, what: str, square: int) -> None:
        game, native = self.session.game, self.session.rules.xboard.native
        if what == "lift":
            self.lifted = square
        if self.lifted is None:
            return
        if what != "put":
            self.send(lift(game, self.wire, self.lifted, native))
        elif not native and (letters := promotions(game, self.wire, self.lifted, square)):
            self.send(f"choice {letters}")

    # Playing

    def go(self, rest: str) -> None:
        """go: play the side to move."""
        self._no_analysis()
        self.with_ticket(self._go, "go")

    def _go(self, ticket: Ticket) -> None:
        self.settle()
        self.side = self.wire.turn(self.session.game)
        if not self.wire.waiting:
            self.play(ticket)

    def play_other(self, rest: str) -> None:
        """playother: play the side that is not to move."""
        self._no_analysis()
        self._interrupt(self._play_other, "playother")

    def _play_other(self) -> None:
        self.settle()
        self.side = 1 - self.wire.turn(self.session.game)

    def move_now(self, rest: str) -> None:
        """?: move now."""
        if self._background is None:
            self.session.stop()

    def draw(self, rest: str) -> None:
        """draw: agree where the rules have drawn the game already, or where we are not better; also while we think."""
        if self.session.busy() and self._background is None:
            self._answer_draw()
        else:
            self.aside(self._answer_draw, "draw")

    def _answer_draw(self) -> None:
        if self.accepts_draw():
            self.send("offer draw")

    def set_ponder(self, rest: str) -> None:
        """hard: think on the opponent's time, from our next move on."""
        self.ponders = True

    def no_ponder(self, rest: str) -> None:
        """easy: do not."""
        self.ponders = False
        if not self.analyzing:
            self._leave()

    def set_random(self, rest: str) -> None:
        """random: vary the opening against a person, or no longer."""
        self.later(self._set_random, "random")

    def _set_random(self) -> None:
        self.random = not self.random

    def set_computer(self, rest: str) -> None:
        """computer: the opponent is an engine."""
        self.later(self._set_computer, "computer")

    def _set_computer(self) -> None:
        self.computer = True

    # Analysis

    def analyze(self, rest: str) -> None:
        """analyze: search the position, and what becomes of it, until `exit`."""
        self.session.stop(abandon=True)
        self.analyzing = True
        self.later(self._change, "analyze")

    def _change(self) -> None:
        """Begin or end analysis: force mode, and full strength as long as it lasts."""
        self.settle()
        self.side = None
        self.session.values["UCI_AnalyseMode"] = self.analyzing

    def leave_analysis(self, rest: str) -> None:
        """exit: force mode."""
        self.analyzing = False
        self.later(self._change, "exit")

    def _no_analysis(self) -> None:
        """What plays a game ends an analysis that nobody has ended."""
        if self.analyzing:
            self.leave_analysis("")

    def report(self, rest: str) -> None:
        """.: how far the analysis is."""
        if self.analyzing:
            self.aside(lambda: self.send(self.statistics()), ".")

    def give_hint(self, rest: str) -> None:
        """hint."""
        self.aside(self.hint, "hint")

    def book(self, rest: str) -> None:
        """bk: lines that begin with a blank, an empty one at the end."""
        self.send(" Kingmaker plays without an opening book.\n")

    def exclude(self, rest: str) -> None:
        """exclude MOVE|all: analysis leaves it out."""
        self.later(lambda: self._exclude(rest, True), f"exclude {rest}")

    def include(self, rest: str) -> None:
        """include MOVE|all: analysis looks at it again."""
        self.later(lambda: self._exclude(rest, False), f"include {rest}")

    def _exclude(self, rest: str, out: bool) -> None:
        from engine.text import legal_moves

        game = self.session.game
        moves = set(map(int, legal_moves(game.rules, game.pos))) if rest == "all" else {self._named(game, rest)}
        self.excluded = self.excluded | moves if out else self.excluded - moves

    def _named(self, game: Game, text: str) -> int:
        move, _ = self.wire.read(game, self.unspelled(text))
        if move is None:
            raise MoveError(f"illegal move {text!r}")
        return move

    def set_score(self, rest: str) -> None:
        """setscore SCORE DEPTH: what the position is worth to the side to move, in centipawns, until `new`."""
        words = rest.split()
        score, depth = (whole(word) for word in words) if len(words) == 2 else (None, None)
        if score is None or depth is None or abs(score) > 30_000 or not 0 <= depth <= 99:
            raise CommandError("setscore wants SCORE DEPTH")
        self.later(lambda: self._set_score(score, depth), f"setscore {rest}")

    def _set_score(self, score: int, depth: int) -> None:
        from engine.rules import KEY

        self.marked[int(self.session.game.pos[KEY])] = score, depth

    # Clocks and options

    def time(self, rest: str) -> None:
        """time CENTISECONDS: our clock."""
        self._set_clock(0, "time", rest)

    def other_time(self, rest: str) -> None:
        """otim CENTISECONDS: the opponent's clock."""
        self._set_clock(1, "otim", rest)

    def _set_clock(self, whose: int, name: str, rest: str) -> None:
        seconds = number(name, rest) / 100

        def set_it() -> None:
            self.clock.left[whose] = seconds

        self.aside(set_it, f"{name} {rest}")

    def set_level(self, rest: str) -> None:
        """level."""
        self.clock.set_level(rest)

    def set_time_per_move(self, rest: str) -> None:
        """st."""
        self.clock.set_move_time(rest)

    def set_depth(self, rest: str) -> None:
        """sd."""
        self.clock.set_depth(rest)

    def set_rate(self, rest: str) -> None:
        """nps."""
        self.clock.set_rate(rest)

    def ping(self, rest: str) -> None:
        """ping N: pong N when all before it is done; a background search does not count."""
        self.aside(lambda: self.send(f"pong {rest[:60]}"), f"ping {rest}")

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
        option, given = options.find(name), whole(text)
        if given is not None:
            text = str(min(max(given, option.low), option.high))
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
        if not self.face.setup and not self.wire.plies:
            self.session.set_variant(self.default)
            self.face = Shown(self.default)
            self._start()
            self.positioned = False

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
        "edit": Command(edit, True, "put together a position: # c Pa4 xa4, ended by ."),
        "force": Command(force, True, "play neither side"),
        "go": Command(go, True, "play the side to move"),
        "playother": Command(play_other, True, "play the side that is not to move"),
        "white": Command(white, True, "White is to move, the engine plays Black"),
        "black": Command(black, True, "Black is to move, the engine plays White"),
        "usermove": Command(user_move, True, "MOVE: make a move"),
        "?": Command(move_now, True, "move now"),
        "undo": Command(undo, True, "take a move back"),
        "remove": Command(remove, True, "take two moves back"),
        "result": Command(result, True, "the game is over"),
        "draw": Command(draw, True, "offer a draw"),
        "hint": Command(give_hint, True, "suggest a move"),
        "bk": Command(book, True, "what the opening book says"),
        "analyze": Command(analyze, True, "search until exit"),
        ".": Command(report, True, "how far the analysis is"),
        "exit": Command(leave_analysis, True, "end analysis"),
        "exclude": Command(exclude, True, "MOVE|all: leave it out of analysis"),
        "include": Command(include, True, "MOVE|all: take it back into analysis"),
        "setscore": Command(set_score, True, "SCORE DEPTH: what the position is worth to the side to move"),
        "lift": Command(lift, True, "SQUARE: where may this man go"),
        "put": Command(put, True, "SQUARE: what may the pawn become"),
        "hover": Command(hover, True, "SQUARE: the man in hand is above it"),
        "hard": Command(set_ponder, True, "think on the opponent's time"),
        "easy": Command(no_ponder, True, "do not"),
        "random": Command(set_random, True, "vary the opening"),
        "computer": Command(set_computer, True, "the opponent is an engine"),
        "level": Command(set_level, False, "MOVES MINUTES[:SECONDS] INCREMENT: set the clock"),
        "st": Command(set_time_per_move, False, "SECONDS: time per move"),
        "sd": Command(set_depth, False, "PLIES: limit the depth"),
        "nps": Command(set_rate, False, "NODES: count time in nodes, so many to the second"),
        "time": Command(time, True, "CENTISECONDS: our clock"),
        "otim": Command(other_time, True, "CENTISECONDS: your clock"),
        "ping": Command(ping, True, "N: answer pong N when all before is done"),
        "post": Command(set_post, True, "show thinking"),
        "nopost": Command(no_post, True, "hide thinking"),
        "memory": Command(memory, False, "MB: size of the transposition table"),
        "cores": Command(cores, False, "N: threads"),
        "option": Command(set_option, False, "NAME[=VALUE]: set an option"),
        "help": Command(usage, True, "this list"),
        "quit": Command(accept, True, "end"),
        **dict.fromkeys(("name", "rating", "ics", "pause", "resume", "egtpath"), Command(accept, True, "")),
    }
