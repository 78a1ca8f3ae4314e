"""Lopsided pawns: they march from corner to corner, one square diagonally, and capture straight ahead and sideways."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

import chess

from variants.boards.base.stateful import StatefulBoard

STEP_SAN = re.compile(r"([a-h][1-8])(?:=?([nbrqNBRQ]))?[+#]?")


def _shifted(square: chess.Square, files: int, ranks: int) -> chess.Bitboard:
    """The square so many files and ranks away, or nothing beyond the edge."""
    file, rank = chess.square_file(square) + files, chess.square_rank(square) + ranks
    return chess.BB_SQUARES[chess.square(file, rank)] if 0 <= file < 8 and 0 <= rank < 8 else chess.BB_EMPTY


# By colour and square. White steps north-west and captures to the north and to the west; Black does the reverse.
STEPS = {color: [_shifted(square, -sign, sign) for square in chess.SQUARES] for color, sign in ((True, 1), (False, -1))}
CAPTURES = {color: [_shifted(square, 0, sign) | _shifted(square, -sign, 0) for square in chess.SQUARES]
            for color, sign in ((True, 1), (False, -1))}


class CornerPawns(StatefulBoard):
    """Pawns without double step and en passant. The sides mirror each other by half a turn, and so does `mirror`."""

    zones: ClassVar[dict[chess.Color, chess.Bitboard]]
    """The squares on which the pawns of each side promote."""

    # The rule.

    def attacks_mask(self, square: chess.Square) -> chess.Bitboard:
        """The squares that the piece on `square` attacks."""
        if self.pawns & chess.BB_SQUARES[square]:
            return CAPTURES[bool(self.occupied_co[chess.WHITE] & chess.BB_SQUARES[square])][square]
        return super().attacks_mask(square)

    def attackers_mask(
        self, color: chess.Color, square: chess.Square, occupied: chess.Bitboard | None = None
    ) -> chess.Bitboard:
        """The pieces of `color` that attack `square`."""
        # A pawn attacks a square from where a pawn of the other side, standing there, would attack it.
        pawns = CAPTURES[not color][square] & self.pawns & self.occupied_co[color]
        return super().attackers_mask(color, square, occupied) & ~self.pawns | pawns

    def generate_pseudo_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """Moves of the other pieces, then of the pawns."""
        yield from super().generate_pseudo_legal_moves(from_mask & ~self.pawns, to_mask)
        for from_square in chess.scan_reversed(self.pawns & self.occupied_co[self.turn] & from_mask):
            captures = CAPTURES[self.turn][from_square] & self.occupied_co[not self.turn]
            steps = STEPS[self.turn][from_square] & ~self.occupied
            for to_square in chess.scan_reversed((captures | steps) & to_mask):
                if chess.BB_SQUARES[to_square] & self.zones[self.turn]:
                    for promotion in (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT):
                        yield chess.Move(from_square, to_square, promotion)
                else:
                    yield chess.Move(from_square, to_square)

    def generate_pseudo_legal_ep(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """There is no en passant."""
        yield from ()

    def _valid_ep_square(self) -> chess.Square | None:
        return None

    # Setting up.

    def forbidden_to_pawns(self, color: chess.Color) -> chess.Bitboard:
        """A pawn in its promotion zone would have been promoted."""
        return self.zones[color]

    def set_fen(self, fen: str) -> None:
        """Read a FEN; a square passed by a pawn means nothing."""
        super().set_fen(fen)
        self.ep_square = None

    def apply_mirror(self) -> None:
        """Exchange the sides by half a turn of the board."""
        super().apply_mirror()
        self.apply_transform(chess.flip_horizontal)

    # Move text.

    def find_move(
        self, from_square: chess.Square, to_square: chess.Square, promotion: chess.PieceType | None = None
    ) -> chess.Move:
        """The legal move between two squares; a pawn that promotes becomes a queen unless `promotion` says otherwise."""
        pawn = self.pawns & chess.BB_SQUARES[from_square]
        if promotion is None and pawn and self.zones[self.turn] & chess.BB_SQUARES[to_square]:
            promotion = chess.QUEEN
        move = chess.Move(from_square, to_square, promotion)
        return self.legal_or_null(move, move.uci())

    def parse_san(self, san: str) -> chess.Move:
        """A step changes the file, so python-chess would look for the pawn in the wrong place."""
        match = STEP_SAN.fullmatch(san)
        if match is None:
            return super().parse_san(san)
        promotion = chess.PIECE_SYMBOLS.index(match[2].lower()) if match[2] else None
        to_mask = chess.BB_SQUARES[chess.parse_square(match[1])] & ~self.occupied
        steps = self.generate_legal_moves(self.pawns & self.occupied_co[self.turn], to_mask)
        found = [move for move in steps if move.promotion == promotion]
        if not found:
            raise chess.IllegalMoveError(f"illegal san: {san!r} in {self.fen()}")
        return found[0]
