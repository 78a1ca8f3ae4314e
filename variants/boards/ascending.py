"""Ascending the Throne: kings are captured, and a piece of the captured side becomes king where it stands.

Source: the rules sheet after the inventor, T. H. Jones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Self

import chess

from variants.boards.common import NamingMove, StatefulBoard, describe

NAMING_SAN = re.compile(r"K@([a-h][1-8]),(.+)")


class AscendingBoard(StatefulBoard):
    """There is no check. With one heir the succession is part of the capture; with a choice, of the next move.

    Until the choice is made the side to move has no king on the board, and its legal moves are NamingMoves, `K@a8,e7e5`.
    """

    aliases = ["Ascending the Throne", "ascending"]  # noqa: RUF012
    uci_variant = "ascending"
    xboard_variant = "ascending"

    # Succession.

    def heirs(self, color: chess.Color) -> chess.Bitboard:
        """Who may ascend: the men of the highest rank there is, in the order queen, rook, bishop, knight; never a pawn."""
        for men in (self.queens, self.rooks, self.bishops, self.knights):
            if men & self.occupied_co[color]:
                return men & self.occupied_co[color]
        return chess.BB_EMPTY

    def throne_is_empty(self) -> bool:
        """Whether the side to move has no king: it has to name one with its move, or has lost."""
        return not self.kings & self.occupied_co[self.turn]

    def name_king(self, square: chess.Square) -> None:
        """The man on `square` becomes king; from now on it moves as one."""
        self._set_piece_at(square, chess.KING, self.turn)

    def _with_king_at(self, square: chess.Square) -> Self:
        board = self.copy(stack=False)
        board.name_king(square)
        return board

    def _first_heir(self) -> chess.Square:
        """The heir that a move without a name is taken to name."""
        heirs = self.heirs(self.turn)
        if not heirs:
            raise chess.IllegalMoveError(f"{describe(self.turn)} has nobody to ascend in {self.fen()}")
        return chess.lsb(heirs)

    def _succeed(self) -> None:
        """If the side to move is without a king: its castling has ended, and a single heir ascends at once."""
        if self.throne_is_empty():
            self.castling_rights &= ~(chess.BB_RANK_1 if self.turn else chess.BB_RANK_8)
            heirs = self.heirs(self.turn)
            if chess.popcount(heirs) == 1:
                self.name_king(chess.lsb(heirs))

    def push(self, move: chess.Move) -> None:
        """A move without a name, made while the throne is empty, names the heir on the lowest square."""
        if move and not isinstance(move, NamingMove) and self.throne_is_empty():
            move = NamingMove.before(move, self._first_heir())
        super().push(move)
        if move:
            self._succeed()

    def set_fen(self, fen: str) -> None:
        super().set_fen(fen)
        self._succeed()

    def check_kings(self, color: chess.Color) -> None:
        """The side to move may be without a king: it was captured just now."""
        if color != self.turn or not self.throne_is_empty():
            super().check_kings(color)

    # Moves. No square is ever forbidden to a king.

    def checkers_mask(self) -> chess.Bitboard:
        return chess.BB_EMPTY

    def gives_check(self, move: chess.Move) -> bool:
        return False

    def is_into_check(self, move: chess.Move) -> bool:
        return False

    def was_into_check(self) -> bool:
        return False

    def pin_mask(self, color: chess.Color, square: chess.Square) -> chess.Bitboard:
        return chess.BB_ALL

    def _attacked_for_king(self, path: chess.Bitboard, occupied: chess.Bitboard) -> bool:
        return False

    def generate_pseudo_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        if not self.throne_is_empty():
            yield from super().generate_pseudo_legal_moves(from_mask, to_mask)
            return
        for heir in chess.scan_forward(self.heirs(self.turn)):
            for move in self._with_king_at(heir).generate_pseudo_legal_moves(from_mask, to_mask):
                yield NamingMove.before(move, heir)

    def is_pseudo_legal(self, move: chess.Move) -> bool:
        if self.throne_is_empty() or isinstance(move, NamingMove):
            from_mask, to_mask = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
            return move in self.generate_pseudo_legal_moves(from_mask, to_mask)
        return super().is_pseudo_legal(move)

    def generate_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        return self.generate_pseudo_legal_moves(from_mask, to_mask)

    def generate_legal_ep(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        if not self.throne_is_empty():
            yield from super().generate_legal_ep(from_mask, to_mask)
        elif self._valid_ep_square() is not None:
            yield from filter(self.is_en_passant, self.generate_legal_moves(from_mask, to_mask))

    # The end, and what may be on the board.

    def rule_end(self) -> tuple[str, chess.Color | None] | None:
        """A side whose king was captured with nobody to ascend has lost."""
        return ("no heir", not self.turn) if self.throne_is_empty() and not self.heirs(self.turn) else None

    def status(self) -> chess.Status:
        """Without a king the side to move is waiting for its choice, or has lost."""
        status = super().status()
        if self.throne_is_empty() and chess.popcount(self.heirs(self.turn)) != 1:
            status &= ~(chess.STATUS_NO_WHITE_KING if self.turn else chess.STATUS_NO_BLACK_KING)
        return status

    # Text.

    def legal_or_null(self, move: chess.Move, text: str) -> chess.Move:
        if move and not isinstance(move, NamingMove) and self.throne_is_empty():
            move = NamingMove.before(move, self._first_heir())
        return super().legal_or_null(move, text)

    def find_move(
        self, from_square: chess.Square, to_square: chess.Square, promotion: chess.PieceType | None = None
    ) -> chess.Move:
        if not self.throne_is_empty():
            return super().find_move(from_square, to_square, promotion)
        heir = self._first_heir()
        return NamingMove.before(self._with_king_at(heir).find_move(from_square, to_square, promotion), heir)

    def _algebraic_without_suffix(self, move: chess.Move, *, long: bool = False) -> str:
        """`K@a8,e5`: who ascends, then the move as it is written once he has."""
        if not isinstance(move, NamingMove):
            return super()._algebraic_without_suffix(move, long=long)
        board = self._with_king_at(move.named)
        return f"K@{chess.square_name(move.named)},{board._algebraic_without_suffix(move.plain(), long=long)}"

    def parse_san(self, san: str) -> chess.Move:
        match = NAMING_SAN.fullmatch(san)
        if match is None and not self.throne_is_empty():
            return super().parse_san(san)
        if match and not (self.throne_is_empty() and self.heirs(self.turn) & chess.BB_SQUARES[chess.parse_square(match[1])]):
            raise chess.IllegalMoveError(f"{match[1]} cannot ascend: {san!r} in {self.fen()}")
        heir = chess.parse_square(match[1]) if match else self._first_heir()
        move = self._with_king_at(heir).parse_san(match[2] if match else san)
        return NamingMove.before(move, heir) if move else move
