"""XBoard's commands that change the position otherwise than by a move: new games, variants, set-up positions, taking back."""

from __future__ import annotations

import variants
from engine.errors import CommandError, FenError, OptionError
from engine.protocol import options
from engine.protocol.loop import Writer, first_word
from engine.protocol.options import shown
from engine.protocol.xboard.edit import Editor
from engine.protocol.xboard.faces import Shown, face, face_of, lines, names
from engine.protocol.xboard.play import Player

MAX_EDIT = 1000  # lines


class Setup(Player):
    """A player that can be given any position."""

    def __init__(self, writer: Writer):
        super().__init__(writer)
        self.positioned = False  # a setboard came since `new`
        self.default = "chess"  # that `new` starts, by the option Variant
        self.edits: list[str] | None = None  # lines of edit mode so far

    def handle(self, line: str) -> bool:
        """Handle one line from the GUI, or keep it in edit mode; return False if it is `quit`."""
        word = line.replace("\0", " ").strip()
        if self.edits is None or not word or first_word(line)[0] in ("ping", "quit"):
            return super().handle(line)
        if word == ".":
            edits, self.edits = self.edits, None
            self._run(lambda: self.interrupt(lambda: self._edit(edits), "edit"), "edit")
        elif self.find(first_word(line)[0]) is not None:  # the final . was lost on the way, or the GUI starts again
            self.edits = None
            self.error("edit mode ends without its final ., position unchanged", line)
            return super().handle(line)
        elif len(self.edits) <= MAX_EDIT:
            self.edits.append(word)
        return True

    def _start(self, fen: str | None = None) -> None:
        """Keep track of a game from its new position."""
        self.dummies, self.positioned, self.position_refused = [], fen is not None, False
        self.score, self.dull = None, 0
        self.wire.begin(self.session.game, fen)
        self.moved()

    # Games

    def new(self, rest: str) -> None:
        """`new`: the start position; we play Black."""
        self.interrupt(self._new, "new")

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

    def variant(self, rest: str) -> None:
        """`variant NAME`: another game, from its start position."""
        self.interrupt(lambda: self._variant(rest), f"variant {rest}")

    def _variant(self, rest: str) -> None:
        known = face(rest)
        if known is None:
            raise OptionError(f"unsupported variant {shown(rest)}{options.suggestion(rest, names())}")
        found = known if known.variant else Shown(self.default)
        if found.variant and found.variant == face_of(variants.find(self.default)).parent:
            found = Shown(self.default)  # from a position XBoard plays it as its parent
        self.face = found
        self.session.values["UCI_Chess960"] = found.chess960
        self.session.set_variant(found.variant)
        setup = lines(found, self.session.rules.start_fen)
        if setup:
            self.send("\n".join(setup))
        self.session.get_ready()
        self._start()
        self.mark()

    def set_default(self, name: str) -> None:
        """Set the game that `new` starts; start it at once if no move has been played of another. Raises OptionError."""
        self.default = name
        if not self.face.setup and not self.wire.plies:
            self.session.set_variant(name)
            self.face = Shown(name)
            self._start()
            self.positioned = False

    # Positions

    def set_board(self, rest: str) -> None:
        """`setboard FEN`."""
        self.interrupt(lambda: self._set_board(rest), f"setboard {rest}")

    def _set_board(self, fen: str) -> None:
        try:
            if not fen:
                raise FenError("FEN is empty")
            self.session.set_position(fen, [])
        except FenError as error:
            self._refuse(str(error))
            return
        self._start(fen)
        self.mark()

    def _refuse(self, reason: str) -> None:
        """Say that a position is illegal: XBoard shows it all the same, so its moves would mean something else here."""
        self.position_refused = True
        self.send(f"tellusererror Illegal position: {' '.join(reason.split())}")

    def edit(self, rest: str) -> None:
        """`edit`: put together a position, by lines up to `.`."""
        if rest:
            raise CommandError(f"edit takes no words, {shown(rest)}")
        self.edits = []

    def _edit(self, edits: list[str]) -> None:
        if len(edits) > MAX_EDIT:
            raise CommandError(f"edit mode takes {MAX_EDIT} lines at most")
        editor = Editor(self.session.rules, self.session.game.fen())
        try:
            for line in edits:
                editor.edit(line)
        except CommandError as error:
            self._refuse(str(error))
            return
        self._set_board(editor.fen(self.session.game.turn ^ (len(self.dummies) & 1)))

    def white(self, rest: str) -> None:
        """`white`: White is to move, we play Black."""
        self.interrupt(lambda: self._to_move(0), "white")

    def black(self, rest: str) -> None:
        """`black`: Black is to move, we play White."""
        self.interrupt(lambda: self._to_move(1), "black")

    def _to_move(self, turn: int) -> None:
        fields = self.session.game.fen().split()
        self.dummies.clear()
        if turn != self.session.game.turn:
            fields[1], fields[3] = "wb"[turn], "-"
            self.session.set_position(" ".join(fields), [])
            self._start(" ".join(fields))
        self.side = None if self.analyzing else 1 - turn

    # Taking back

    def undo(self, rest: str) -> None:
        """`undo`: take one ply back."""
        self.interrupt(self._undo, "undo")

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
        """`remove`: take one ply of each side back."""
        self.interrupt(self._remove, "remove")

    def _remove(self) -> None:
        if len(self.dummies) + len(self.wire.plies) < 2:
            raise CommandError("fewer than two moves to take back")
        self._undo()
        self._undo()
