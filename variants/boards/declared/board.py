"""DeclaredBoard: the Board of any game, by its declaration alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

import chess

from variants.boards.base.drawing import DrawnBoard
from variants.boards.base.ending import EndingBoard
from variants.boards.declared.place import Place, name_of, read_fen, write_fen
from variants.boards.declared.play import Deed, Play
from variants.boards.declared.walking import attacks

if TYPE_CHECKING:
    from engine.rules import Rules


@dataclasses.dataclass(unsafe_hash=True, repr=False)
class DeclaredMove(chess.Move):
    """A move with its text in UCI; the squares are the deed's, castling as the king's way or to its partner."""

    deed: Deed = dataclasses.field(kw_only=True)
    text: str = dataclasses.field(kw_only=True)

    def uci(self) -> str:
        """The move in UCI."""
        return self.text

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"DeclaredMove({self.text!r})"


class DeclaredBoard(DrawnBoard, EndingBoard):
    """A Board of any size up to eight by eight, with any pieces. Slow: every move is made to see whether it is legal.

    It has what a game needs: FEN, legal moves, UCI, SAN, push, pop, and how a game ends. Bitboards of python-chess stay empty.
    """

    rules: ClassVar[Rules]
    play: ClassVar[Play]
    starting_fen: ClassVar[str]

    def __init__(self, fen: str | None = "startpos", *, chess960: bool = False) -> None:
        self.place = Place({})
        self._places: list[Place] = []
        super().__init__(None, chess960=chess960)
        if fen is not None:
            self.set_fen(type(self).starting_fen if fen == "startpos" else fen)

    # Setting up and writing down

    def clear_board(self) -> None:
        """Remove all pieces."""
        self._set(Place({}))
        self._places = []
        self.move_stack = []

    def clear(self) -> None:
        """Remove all pieces."""
        self.clear_board()

    def reset(self) -> None:
        """Back to the start position."""
        self.set_fen(type(self).starting_fen)

    def reset_board(self) -> None:
        """Back to the start position."""
        self.reset()

    def set_fen(self, fen: str) -> None:
        """Read a FEN. Raises ValueError."""
        try:
            place = read_fen(self.rules, fen)
        except (IndexError, KeyError, StopIteration) as error:
            raise ValueError(f"no FEN of {self.rules.name}: {fen!r}") from error
        self.clear_board()
        self._set(self.play.crown_only(place) if self.rules.succession else place)

    def _set(self, place: Place) -> None:
        self.place = place
        self.turn = place.turn == 0
        self.halfmove_clock, self.fullmove_number = place.clock, place.ply // 2 + 1

    def fen(self, *, shredder: bool = False, en_passant: chess.EnPassantSpec = "legal", promoted: bool | None = None) -> str:
        """The position as the engine writes it, too."""
        passing = self.place.passed is not None and any(deed.kind == "passing" for deed in self.play.legal(self.place))
        return write_fen(self.rules, self.place, passing)

    def piece_at(self, square: chess.Square) -> chess.Piece | None:
        """The piece on a square, if python-chess knows its type."""
        letter = self.place.pieces.get(square)
        return chess.Piece.from_symbol(letter) if letter and letter.lower() in chess.PIECE_SYMBOLS[1:] else None

    # Drawings

    def standing(self) -> dict[chess.Square, str]:
        """Letters of all pieces, capitals for White."""
        return self.place.pieces

    def shape(self) -> tuple[int, int]:
        """Files and ranks."""
        return self.rules.files, self.rules.ranks

    def titled(self) -> chess.Bitboard:
        """Royal pieces that are not kings."""
        return sum(1 << square for square in self.place.holders if square is not None and self.place.pieces[square] not in "Kk")

    def checked_square(self) -> chess.Square | None:
        """The square on which to show that the side to move is in check."""
        royals = self.play.royals(self.place, self.place.turn)
        return royals[0] if royals else None

    def __str__(self) -> str:
        rows = [" ".join(self.place.pieces.get(8 * rank + file, ".") for file in range(self.rules.files))
                for rank in reversed(range(self.rules.ranks))]
        return "\n".join(rows)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.fen()!r})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, DeclaredBoard) and self.fen() == other.fen()

    __hash__ = None  # type: ignore[assignment]

    def has_chess960_castling_rights(self) -> bool:
        """Whether castling is written as in Chess960; _move() sees itself where it must be king takes partner."""
        return self.chess960

    # Moves

    def _move(self, deed: Deed) -> DeclaredMove:
        goal = None
        if deed.kind == "castling" and not self.chess960:
            side = self.place.turn
            king_to = self.play.castled(side, deed.origin, deed.target)[0]
            orthodox = deed.origin % 8 == self.rules.files // 2 and deed.target % 8 in (0, self.rules.files - 1)
            walks = king_to in attacks(self.rules, "K", side, deed.origin, ())
            goal = king_to if orthodox and king_to != deed.origin and not walks else None
        return DeclaredMove(deed.origin, deed.target if goal is None else goal, deed=deed, text=deed.text(goal))

    def generate_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """The legal moves."""
        for deed in self.play.legal(self.place):
            if from_mask >> deed.origin & 1 and to_mask >> deed.target & 1:
                yield self._move(deed)

    generate_pseudo_legal_moves = generate_legal_moves

    def is_legal(self, move: chess.Move) -> bool:
        """Whether a move may be played."""
        return any(move.uci() == legal.uci() for legal in self.generate_legal_moves())

    is_pseudo_legal = is_legal

    def find_by_text(self, uci: str) -> chess.Move:
        """The legal move with that text in UCI, castling in either form. Raises chess.IllegalMoveError."""
        wanted = uci.lower()
        for move in self.generate_legal_moves():
            assert isinstance(move, DeclaredMove)
            if wanted in (move.text.lower(), move.deed.text().lower()):
                return move
        raise chess.IllegalMoveError(f"illegal move: {uci!r} in {self.fen()}")

    parse_uci = find_by_text

    def push(self, move: chess.Move) -> None:
        """Make a legal move."""
        found = move if isinstance(move, DeclaredMove) else self.find_by_text(move.uci())
        assert isinstance(found, DeclaredMove)
        self._places.append(self.place)
        self.move_stack.append(found)
        self._set(self.play.make(self.place, found.deed))
        passing = self.place.passed is not None and any(deed.kind == "passing" for deed in self.play.legal(self.place))
        if not passing:
            self.place = dataclasses.replace(self.place, passed=None)

    def pop(self) -> chess.Move:
        """Take the last move back."""
        self._set(self._places.pop())
        return self.move_stack.pop()

    def copy(self, *, stack: bool | int = True) -> Self:
        """A copy with its moves, or without."""
        board = type(self)(None, chess960=self.chess960)
        board._set(self.place)
        if stack:
            board._places, board.move_stack = list(self._places), list(self.move_stack)
        return board

    def root(self) -> Self:
        """The first position."""
        board = self.copy(stack=False)
        if self._places:
            board._set(self._places[0])
        return board

    def uci(self, move: chess.Move, *, chess960: bool | None = None) -> str:
        """The move in UCI."""
        if isinstance(move, DeclaredMove):
            return move.deed.text() if chess960 else move.text
        return super().uci(move, chess960=chess960)

    # Check and ends

    def is_check(self) -> bool:
        """Whether the side to move is in check."""
        return self.play.in_check(self.place, self.place.turn)

    def gives_check(self, move: chess.Move) -> bool:
        """Whether a legal move gives check."""
        self.push(move)
        try:
            return self.is_check()
        finally:
            self.pop()

    def is_capture(self, move: chess.Move) -> bool:
        """Whether a legal move captures."""
        return isinstance(move, DeclaredMove) and self.play.captures(self.place, move.deed)

    is_zeroing = is_capture

    def rule_end(self) -> tuple[str, chess.Color | None] | None:
        """Reason and winner if a rule ends the game here."""
        return self.play.rule_end(self.place)

    def ending(self) -> tuple[str, chess.Color | None] | None:
        """Reason and winner if the game is over."""
        end = self.play.end(self.place)
        if end is not None:
            return end
        if self.rules.repetitions and self.is_repetition(self.rules.repetitions):
            return "repetition", None
        return ("50 moves", None) if 0 < self.rules.progress_limit <= self.place.clock else None

    def is_repetition(self, count: int = 3) -> bool:
        """Whether the position has occurred `count` times."""
        key = self.place.key()
        return sum(1 for place in [*self._places, self.place] if place.key() == key) >= count

    # SAN

    def san(self, move: chess.Move) -> str:
        """The move in short algebraic notation; what UCI writes with `@` stays as it is there."""
        found = move if isinstance(move, DeclaredMove) else self.find_by_text(move.uci())
        assert isinstance(found, DeclaredMove)
        self.push(found)
        sign = "#" if self.is_check() and not self.play.legal(self.place) else "+" if self.is_check() else ""
        self.pop()
        return self._algebraic_without_suffix(found) + sign

    def _algebraic_without_suffix(self, move: chess.Move, *, long: bool = False) -> str:
        assert isinstance(move, DeclaredMove)
        deed, place = move.deed, self.place
        if deed.kind == "castling":
            return "O-O" if deed.target > deed.origin else "O-O-O"
        if deed.kind in ("naming", "drop") or deed.heir is not None:
            return move.text
        takes = "x" if self.play.captures(place, deed) else ""
        promotes = f"={deed.promotes}" if deed.promotes else ""
        letter = place.pieces[deed.origin].upper()
        if letter == "P":
            rivals = [other for other in self.play.legal(place) if takes and other.target == deed.target
                      and other.promotes == deed.promotes and other.origin != deed.origin
                      and other.origin % 8 == deed.origin % 8 and place.pieces.get(other.origin, "").upper() == "P"]
            start = name_of(deed.origin) if rivals else name_of(deed.origin)[0] if takes else ""
            return f"{start}{takes}{name_of(deed.target)}{promotes}"
        if deed.kind == "drive":
            return f"K{name_of(deed.origin)}{takes or '-'}{name_of(deed.target)}"
        rivals = [other for other in self.play.legal(place) if other.target == deed.target and other.origin != deed.origin
                  and other.kind == "" and place.pieces.get(other.origin) == place.pieces[deed.origin]]
        start = name_of(deed.origin)
        if not rivals:
            start = ""
        elif all(other.origin % 8 != deed.origin % 8 for other in rivals):
            start = start[0]
        elif all(other.origin // 8 != deed.origin // 8 for other in rivals):
            start = start[1]
        return f"{letter}{start}{takes}{name_of(deed.target)}{promotes}"

    def parse_san(self, san: str) -> chess.Move:
        """Read a move in the notation of san(), its sign of check apart. Raises chess.IllegalMoveError."""
        wanted = san.rstrip("+#").replace("0-0-0", "O-O-O").replace("0-0", "O-O")
        for move in self.generate_legal_moves():
            assert isinstance(move, DeclaredMove)
            if wanted in (self._algebraic_without_suffix(move), move.text):
                return move
        raise chess.IllegalMoveError(f"illegal san: {san!r} in {self.fen()}")


def declared_board(rules: Rules, **facts: Any) -> type[DeclaredBoard]:
    """The Board class of a game."""
    facts = {"rules": rules, "play": Play(rules), "starting_fen": rules.start_fen, **facts}
    return type(f"{rules.name.title().replace('-', '')}Board", (DeclaredBoard,), facts)
