"""DeclaredBoard: the Board of any game, by its declaration alone."""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, Self

import chess

from variants.boards.base.pickling import MadeBoard
from variants.boards.declared.place import BLACK, SIDES, WHITE, Place, name_of, side_of
from variants.boards.declared.placed import PlacedBoard, mask_of
from variants.boards.declared.play import Deed, Play
from variants.boards.declared.walking import attacks

if TYPE_CHECKING:
    from engine.rules import Rules

NULL = ("--", "Z0", "0000", "@@@@")  # the null move in SAN, as python-chess reads it


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


class DeclaredBoard(MadeBoard, PlacedBoard):
    """A Board of any size up to eight by eight, with any pieces. Slow: every move is made to see whether it is legal.

    Everything of chess.Board works but pins, transformations and numbered start positions: these raise NotImplementedError.
    """

    def __init__(self, fen: str | None = "startpos", *, chess960: bool = False) -> None:
        self.place = Place({})
        self._places: list[Place] = []
        super().__init__(None, chess960=chess960)
        if fen is not None:
            self.set_fen(type(self).starting_fen if fen == "startpos" else fen)

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

    def find_by_text(self, uci: str) -> DeclaredMove:
        """The legal move with that text in UCI, castling in either form. Raises chess.IllegalMoveError."""
        wanted = uci.lower()
        for move in self.generate_legal_moves():
            assert isinstance(move, DeclaredMove)
            if wanted in (move.text.lower(), move.deed.text().lower()):
                return move
        raise chess.IllegalMoveError(f"illegal move: {uci!r} in {self.fen()}")

    def parse_uci(self, uci: str) -> chess.Move:
        """Read a legal move, or the null move. Raises chess.IllegalMoveError."""
        return chess.Move.null() if uci == "0000" else self.find_by_text(uci)

    def find_move(
        self, from_square: chess.Square, to_square: chess.Square, promotion: chess.PieceType | None = None
    ) -> chess.Move:
        """The legal move between two squares, the first promotion of the game without one. Raises chess.IllegalMoveError."""
        letter = chess.piece_symbol(promotion) if promotion else ""
        for move in self.generate_legal_moves():
            assert isinstance(move, DeclaredMove)
            if move.from_square == from_square and to_square in (move.to_square, move.deed.target) and (
                    not letter or letter == move.deed.promotes.lower()):
                return move
        names = chess.square_name(from_square) + chess.square_name(to_square)
        raise chess.IllegalMoveError(f"no matching legal move for {names + letter} in {self.fen()}")

    def _deed(self, move: chess.Move) -> Deed | None:
        """What a legal move does; None for the null move and for one that is not legal."""
        if isinstance(move, DeclaredMove):
            return move.deed
        try:
            return self.find_by_text(move.uci()).deed
        except chess.IllegalMoveError:
            return None

    def push(self, move: chess.Move) -> None:
        """Make a legal move or the null move. Raises chess.IllegalMoveError."""
        place = self.place
        if not move:
            after = replace(place, turn=1 - place.turn, passed=None, clock=place.clock + 1, ply=place.ply + 1)
        else:
            move = move if isinstance(move, DeclaredMove) else self.find_by_text(move.uci())
            assert isinstance(move, DeclaredMove)
            after = self.play.make(place, move.deed)
        self._places.append(place)
        self.move_stack.append(move)
        self._set(after)
        if not self.has_legal_en_passant():
            self.place = replace(self.place, passed=None)

    def pop(self) -> chess.Move:
        """Take the last move back."""
        self._set(self._places.pop())
        return self.move_stack.pop()

    def copy(self, *, stack: bool | int = True) -> Self:
        """A copy with its moves, with some of the last, or without."""
        board = type(self)(None, chess960=self.chess960)
        board._set(self.place)
        if stack:
            first = 0 if stack is True else -stack
            board._places, board.move_stack = self._places[first:], self.move_stack[first:]
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
        return move.uci()

    # Attacks

    def attacks_mask(self, square: chess.Square) -> chess.Bitboard:
        """The squares that the piece on a square attacks."""
        letter = self.place.pieces.get(square)
        return mask_of(attacks(self.rules, letter.upper(), side_of(letter), square, self.place.pieces)) if letter else 0

    def attackers_mask(
        self, color: chess.Color, square: chess.Square, occupied: chess.Bitboard | None = None
    ) -> chess.Bitboard:
        """The pieces of a side that attack a square. occupied: the squares that block their ways, if not all pieces."""
        side = WHITE if color else BLACK
        blocked = self.place.pieces if occupied is None else set(chess.scan_forward(occupied))
        return mask_of(own for own in self.place.own(side)
                       if square in attacks(self.rules, self.place.pieces[own].upper(), side, own, blocked))

    def checkers_mask(self) -> chess.Bitboard:
        """The pieces that give check."""
        if not self.is_check():
            return chess.BB_EMPTY
        masks = [self.attackers_mask(not self.turn, king) for king in self.play.royals(self.place, self.place.turn)]
        return functools.reduce(int.__or__, masks, chess.BB_EMPTY)

    def pin_mask(self, color: chess.Color, square: chess.Square) -> NoReturn:
        """Not implemented: pieces that hop or bend do not pin along lines."""
        self._refused("pins")

    def pin(self, color: chess.Color, square: chess.Square) -> NoReturn:
        """Not implemented, as pin_mask()."""
        self._refused("pins")

    def is_pinned(self, color: chess.Color, square: chess.Square) -> NoReturn:
        """Not implemented, as pin_mask()."""
        self._refused("pins")

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

    def was_into_check(self) -> bool:
        """Whether the side that has moved is in check."""
        return self.play.in_check(self.place, 1 - self.place.turn)

    def is_into_check(self, move: chess.Move) -> bool:
        """Whether what a piece can do leaves its side in check."""
        text = move.uci()
        return any(text in (deed.text(), self._move(deed).text)
                   and self.play.in_check(self.play.make(self.place, deed), self.place.turn)
                   for deed in self.play.pseudo(self.place))

    def is_capture(self, move: chess.Move) -> bool:
        """Whether a legal move captures."""
        deed = self._deed(move)
        return deed is not None and self.play.captures(self.place, deed)

    def is_en_passant(self, move: chess.Move) -> bool:
        """Whether a legal move captures in passing."""
        deed = self._deed(move)
        return deed is not None and deed.kind == "passing"

    def is_castling(self, move: chess.Move) -> bool:
        """Whether a legal move castles."""
        deed = self._deed(move)
        return deed is not None and deed.kind == "castling"

    def is_kingside_castling(self, move: chess.Move) -> bool:
        """Whether a legal move castles to the right."""
        deed = self._deed(move)
        return deed is not None and deed.kind == "castling" and deed.target > deed.origin

    def is_queenside_castling(self, move: chess.Move) -> bool:
        """Whether a legal move castles to the left."""
        deed = self._deed(move)
        return deed is not None and deed.kind == "castling" and deed.target < deed.origin

    def is_zeroing(self, move: chess.Move) -> bool:
        """Whether a legal move captures or moves a pawn, so that the clock of the 50-move rule starts again."""
        deed = self._deed(move)
        return deed is not None and self.play.make(self.place, deed).clock == 0

    def is_irreversible(self, move: chess.Move) -> bool:
        """Whether no position from before a legal move can come back after it."""
        deed = self._deed(move)
        if deed is None:
            return False
        after = self.play.make(self.place, deed)
        return (after.clock == 0 and not self.rules.drops) or after.rights != self.place.rights or (
            after.checks != self.place.checks or self.has_legal_en_passant())

    def status(self) -> chess.Status:
        """What is wrong with the position, in python-chess's words."""
        if not self.place.pieces:
            return chess.STATUS_EMPTY
        found, rules = chess.STATUS_VALID, self.rules
        last = self.play.zones.get("last", (set(), set()))
        if any(set(self.place.of(side, "P")) & last[side] for side in SIDES) and rules.pawn is not None:
            found |= chess.STATUS_PAWNS_ON_BACKRANK
        if rules.royal_safety and not (rules.kingless or rules.succession or rules.captures_explode):
            for side, status in zip(SIDES, (chess.STATUS_NO_WHITE_KING, chess.STATUS_NO_BLACK_KING), strict=True):
                found |= chess.STATUS_VALID if self.play.royals(self.place, side) else status
        if self.rule_end() is None and self.was_into_check():
            found |= chess.STATUS_OPPOSITE_CHECK
        return found

    def is_valid(self) -> bool:
        """Whether nothing is wrong with the position."""
        return self.status() == chess.STATUS_VALID

    def is_fifty_moves(self) -> bool:
        """Whether the game is drawn because nothing was captured and no pawn moved for long enough."""
        return 0 < self.rules.progress_limit <= self.place.clock and any(self.generate_legal_moves())

    def can_claim_fifty_moves(self) -> bool:
        """The same, also after a move that can be made now."""
        if self.is_fifty_moves():
            return True
        return 0 < self.rules.progress_limit == self.place.clock + 1 and any(
            not self.is_zeroing(move) for move in self.generate_legal_moves())

    def can_claim_threefold_repetition(self) -> bool:
        """Whether a game that knows repetitions is drawn by one now or after a move that can be made now."""
        if not self.rules.repetitions:
            return False
        counts = Counter(place.key() for place in [*self._places, self.place])
        if counts[self.place.key()] >= self.rules.repetitions:
            return True
        for move in self.generate_legal_moves():
            self.push(move)
            key = self.place.key()
            self.pop()
            if counts[key] + 1 >= self.rules.repetitions:
                return True
        return False

    def _transposition_key(self) -> Any:
        return self.place.key()

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
        return self._algebraic(move)

    # What python-chess builds san(), lan() and variation_san() of.

    def _algebraic(self, move: chess.Move, *, long: bool = False) -> str:
        text = self._algebraic_and_push(move, long=long)
        self.pop()
        return text

    def _algebraic_and_push(self, move: chess.Move, *, long: bool = False) -> str:
        text = self._algebraic_without_suffix(move, long=long)
        self.push(move)
        if not move or not self.is_check():
            return text
        return text + ("+" if self.play.legal(self.place) else "#")

    def _algebraic_without_suffix(self, move: chess.Move, *, long: bool = False) -> str:
        if not move:
            return NULL[0]
        move = move if isinstance(move, DeclaredMove) else self.find_by_text(move.uci())
        assert isinstance(move, DeclaredMove)
        if move.deed.kind in ("naming", "drop") or move.deed.heir is not None:
            return move.text
        return self._notation(move.deed, long)

    def _notation(self, deed: Deed, long: bool) -> str:
        place = self.place
        if deed.kind == "castling":
            return "O-O" if deed.target > deed.origin else "O-O-O"
        takes = "x" if self.play.captures(place, deed) else ""
        promotes = f"={deed.promotes}" if deed.promotes else ""
        letter = place.pieces[deed.origin].upper()
        if long and deed.kind != "drive":
            start = name_of(deed.origin) + (takes or "-")
            return f"{'' if letter == 'P' else letter}{start}{name_of(deed.target)}{promotes}"
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
        """Read a move in the notation of san() or lan(), its sign of check apart, or `--`. Raises chess.IllegalMoveError."""
        if san in NULL:
            return chess.Move.null()
        wanted = san.rstrip("+#").replace("0-0-0", "O-O-O").replace("0-0", "O-O")
        for move in self.generate_legal_moves():
            assert isinstance(move, DeclaredMove)
            if wanted in (self._algebraic_without_suffix(move), move.text, self._algebraic_without_suffix(move, long=True)):
                return move
        raise chess.IllegalMoveError(f"illegal san: {san!r} in {self.fen()}")


def declared_board(rules: Rules, **facts: Any) -> type[DeclaredBoard]:
    """The Board class of a game."""
    facts = {"uci_variant": rules.name, "letters": rules.letters, "rules": rules, "play": Play(rules),
             "starting_fen": rules.start_fen, **facts}
    return type(f"{rules.name.title().replace('-', '')}Board", (DeclaredBoard,), facts)
