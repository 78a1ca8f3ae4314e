"""Succession: a captured king is succeeded by a piece of its side, which becomes king where it stands.

With one heir the succession is part of the capture. With a choice of heirs it is part of the next move: until then the side to
move has no king on the board, and its legal moves are NamingMoves, `K@a8,e7e5`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Self

import chess

from variants.boards.base.ending import End
from variants.boards.base.naming import NamingMove
from variants.boards.base.setup import side_name
from variants.boards.base.stateful import StatefulBoard
from variants.boards.mechanisms.no_royal_safety import NoRoyalSafety

NAMING_SAN = re.compile(r"K@([a-h][1-8]),(.+)")


class Succession(NoRoyalSafety, StatefulBoard):
    """A Board on which kings are captured and succeeded."""

    succession: ClassVar[tuple[chess.PieceType, ...]] = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
    """The types that can ascend. The heirs of a side are its pieces of the first of these types that it still has."""

    # The rule.

    def heirs(self, color: chess.Color) -> chess.Bitboard:
        """The pieces that may ascend."""
        for kind in self.succession:
            if heirs := self.pieces_mask(kind, color):
                return heirs
        return chess.BB_EMPTY

    def throne_is_empty(self) -> bool:
        """Whether the side to move has no king: it has to name one with its move, or has lost."""
        return not self.kings & self.occupied_co[self.turn]

    def name_king(self, square: chess.Square) -> None:
        """The piece on `square` becomes king; from now on it moves as one."""
        self._set_piece_at(square, chess.KING, self.turn)

    def rule_end(self) -> End | None:
        """A side whose king was captured has lost if nobody can ascend."""
        return ("no heir", not self.turn) if self.throne_is_empty() and not self.heirs(self.turn) else None

    def _succeed(self) -> None:
        """If the side to move has no king: it may no longer castle, and a single heir ascends at once."""
        if self.throne_is_empty():
            self.castling_rights &= ~(chess.BB_RANK_1 if self.turn else chess.BB_RANK_8)
            heirs = self.heirs(self.turn)
            if chess.popcount(heirs) == 1:
                self.name_king(chess.lsb(heirs))

    def push(self, move: chess.Move) -> None:
        """Make a move. Without a name while the throne is empty, it names the heir on the lowest square."""
        move = self._named(move)
        super().push(move)
        if move:
            self._succeed()

    def _named(self, move: chess.Move) -> chess.Move:
        """The move, with the name of the first heir if it lacks one."""
        if move and not isinstance(move, NamingMove) and self.throne_is_empty():
            return NamingMove.before(move, self._first_heir())
        return move

    def _first_heir(self) -> chess.Square:
        heirs = self.heirs(self.turn)
        if not heirs:
            raise chess.IllegalMoveError(f"{side_name(self.turn)} has nobody to ascend in {self.fen()}")
        return chess.lsb(heirs)

    def _with_king_at(self, square: chess.Square) -> Self:
        board = self.copy(stack=False)
        board.name_king(square)
        return board

    # Move generation: the moves of each heir's reign.

    def generate_pseudo_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """All moves; while the throne is empty, each move under each heir."""
        if not self.throne_is_empty():
            yield from super().generate_pseudo_legal_moves(from_mask, to_mask)
            return
        for heir in chess.scan_forward(self.heirs(self.turn)):
            for move in self._with_king_at(heir).generate_pseudo_legal_moves(from_mask, to_mask):
                yield NamingMove.before(move, heir)

    def generate_pseudo_legal_ep(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """Captures en passant; while the throne is empty, under each heir."""
        if not self.throne_is_empty():
            yield from super().generate_pseudo_legal_ep(from_mask, to_mask)
        elif self._valid_ep_square() is not None:
            yield from filter(self.is_en_passant, self.generate_pseudo_legal_moves(from_mask, to_mask))

    def is_pseudo_legal(self, move: chess.Move) -> bool:
        """Whether generate_pseudo_legal_moves yields the move."""
        if self.throne_is_empty() or isinstance(move, NamingMove):
            from_mask, to_mask = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
            return move in self.generate_pseudo_legal_moves(from_mask, to_mask)
        return super().is_pseudo_legal(move)

    # Setting up.

    def set_fen(self, fen: str) -> None:
        """Read a FEN. A side to move without a king, and with one heir, gets its king."""
        super().set_fen(fen)
        self._succeed()

    def check_kings(self, color: chess.Color) -> None:
        """The side to move may have no king: it was captured just now."""
        if color != self.turn or not self.throne_is_empty():
            super().check_kings(color)

    def status(self) -> chess.Status:
        """Without a king the side to move has to choose one, or has lost."""
        status = super().status()
        if self.throne_is_empty() and chess.popcount(self.heirs(self.turn)) != 1:
            status &= ~(chess.STATUS_NO_WHITE_KING if self.turn else chess.STATUS_NO_BLACK_KING)
        return status

    # Move text.

    def legal_or_null(self, move: chess.Move, text: str) -> chess.Move:
        """As in StatefulBoard; a move that lacks a name names the first heir."""
        return super().legal_or_null(self._named(move), text)

    def find_move(
        self, from_square: chess.Square, to_square: chess.Square, promotion: chess.PieceType | None = None
    ) -> chess.Move:
        """The legal move between two squares, under the first heir if there is a choice."""
        if not self.throne_is_empty():
            return super().find_move(from_square, to_square, promotion)
        heir = self._first_heir()
        return NamingMove.before(self._with_king_at(heir).find_move(from_square, to_square, promotion), heir)

    def _algebraic_without_suffix(self, move: chess.Move, *, long: bool = False) -> str:
        """`K@a8,e5`: who ascends, then the move as it is written under that king."""
        if not isinstance(move, NamingMove):
            return super()._algebraic_without_suffix(move, long=long)
        board = self._with_king_at(move.named)
        return f"K@{chess.square_name(move.named)},{board._algebraic_without_suffix(move.plain(), long=long)}"

    def parse_san(self, san: str) -> chess.Move:
        """Read `K@a8,e5`, or a plain move, which names the first heir if there is a choice."""
        match = NAMING_SAN.fullmatch(san)
        if match is None and not self.throne_is_empty():
            return super().parse_san(san)
        if match and not (self.throne_is_empty() and self.heirs(self.turn) & chess.BB_SQUARES[chess.parse_square(match[1])]):
            raise chess.IllegalMoveError(f"{match[1]} cannot ascend: {san!r} in {self.fen()}")
        heir = chess.parse_square(match[1]) if match else self._first_heir()
        move = self._with_king_at(heir).parse_san(match[2] if match else san)
        return NamingMove.before(move, heir) if move else move
