"""Madness of Kings: the opponent may move one's king, two squares in a straight or diagonal line.

MadKingsBoard is the mechanism with orthodox pawns, CornerPawnsBoard adds pawns that march from corner to corner, and
MadnessBoard, MadnessLeganBoard and MadnessFideBoard are the games from the arrays of Diamond chess, Legan's chess and
orthodox chess. Source: the rules sheet after the inventor, A.-R. Sibahi.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

import chess

from variants.boards.common import StatefulBoard

# Two squares away in a straight or diagonal line: the squares that have exactly one square between.
MAD_LEAPS = [
    sum(chess.BB_SQUARES[to] for to in chess.SQUARES if chess.square_distance(at, to) == 2 and chess.between(at, to))
    for at in chess.SQUARES
]

MAD_SAN = re.compile(r"K([a-h][1-8])[-x]?([a-h][1-8])[+#]?")


class MadKingsBoard(StatefulBoard):
    """Kings that the other side may move too. There is no castling.

    A move of the opponent's king is a plain chess.Move from that king's square.
    """

    castles = False

    def is_mad(self, move: chess.Move) -> bool:
        """Whether the move is one of the opponent's king."""
        return bool(move) and bool(self.kings & self.occupied_co[not self.turn] & chess.BB_SQUARES[move.from_square])

    # Moves by the way men go.

    def generate_mad_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """The opponent's king goes to the second square, the first being empty; it may capture a man of its own side only."""
        for king in chess.scan_forward(self.kings & self.occupied_co[not self.turn] & from_mask):
            for to_square in chess.scan_forward(MAD_LEAPS[king] & ~self.occupied_co[self.turn] & to_mask):
                if not chess.between(king, to_square) & self.occupied:
                    yield chess.Move(king, to_square)

    def generate_pseudo_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        yield from super().generate_pseudo_legal_moves(from_mask, to_mask)
        yield from self.generate_mad_moves(from_mask, to_mask)

    def is_pseudo_legal(self, move: chess.Move) -> bool:
        from_mask, to_mask = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
        return move in self.generate_pseudo_legal_moves(from_mask, to_mask)

    # Legal moves.

    def king_is_safe_after(self, move: chess.Move) -> bool:
        """Whether the mover's own king is then out of check and apart from the other king."""
        king = self.king(self.turn)
        if king is None or not self.is_mad(move):
            return super().king_is_safe_after(move)  # there the other king attacks like any man
        from_bb, to_bb = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
        if chess.BB_KING_ATTACKS[king] & to_bb:
            return False
        occupied = self.occupied & ~from_bb | to_bb
        return not self.attackers_mask(not self.turn, king, occupied) & ~from_bb & ~to_bb

    def generate_replies(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """Moves by every rule but the one that a king must not be moved into checkmate."""
        for move in self.generate_pseudo_legal_moves(from_mask, to_mask):
            if self.king_is_safe_after(move):
                yield move

    def generate_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        for move in self.generate_replies(from_mask, to_mask):
            if not (self.is_mad(move) and self._moves_into_mate(move)):
                yield move

    def _moves_into_mate(self, move: chess.Move) -> bool:
        """Whether the king so moved would be in check and its owner without any reply.

        The replies are not asked this question again. Should all of them fail it, the move stands, and it has won.
        """
        self.push(move)
        try:
            return self.is_check() and not any(self.generate_replies())
        finally:
            self.pop()

    def is_into_check(self, move: chess.Move) -> bool:
        return not self.king_is_safe_after(move)

    def is_legal(self, move: chess.Move) -> bool:
        return move in self.generate_legal_moves(chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square])

    def is_capture(self, move: chess.Move) -> bool:
        return bool(self.occupied & chess.BB_SQUARES[move.to_square]) if self.is_mad(move) else super().is_capture(move)

    def is_zeroing(self, move: chess.Move) -> bool:
        return self.is_capture(move) if self.is_mad(move) else super().is_zeroing(move)

    def push(self, move: chess.Move) -> None:
        if not self.is_mad(move):
            super().push(move)
            return
        zeroing = self.is_zeroing(move)
        super().push(chess.Move.null())  # turn, counters and the stack; then the king, which is now the mover's
        self.move_stack[-1] = move
        self._remove_piece_at(move.from_square)
        self._set_piece_at(move.to_square, chess.KING, self.turn)
        if zeroing:
            self.halfmove_clock = 0

    def status(self) -> chess.Status:
        """A king may be put where any number of men check it."""
        return super().status() & ~(chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK)

    # Text: the opponent's king moves with its letter and both squares, `Ke8-e6`, which no move of the own king is written as.

    def _algebraic_without_suffix(self, move: chess.Move, *, long: bool = False) -> str:
        if not self.is_mad(move):
            return super()._algebraic_without_suffix(move, long=long)
        sign = "x" if self.is_capture(move) else "-"
        return f"K{chess.square_name(move.from_square)}{sign}{chess.square_name(move.to_square)}"

    def parse_san(self, san: str) -> chess.Move:
        match = MAD_SAN.fullmatch(san)
        if match:
            move = chess.Move(chess.parse_square(match[1]), chess.parse_square(match[2]))
            if self.is_mad(move):
                return self.legal_or_null(move, san)
        return super().parse_san(san)


def _pawn_tables(color: chess.Color) -> tuple[list[chess.Bitboard], list[chess.Bitboard]]:
    """Steps and attacks of a corner pawn from each square: White north-west, capturing north or west; Black the reverse."""
    steps, attacks = [], []
    sign = 1 if color else -1

    def at(file: int, rank: int) -> chess.Bitboard:
        return chess.BB_SQUARES[chess.square(file, rank)] if 0 <= file < 8 and 0 <= rank < 8 else chess.BB_EMPTY

    for square in chess.SQUARES:
        file, rank = chess.square_file(square), chess.square_rank(square)
        upward, sideward = at(file, rank + sign), at(file - sign, rank)
        steps.append(at(file - sign, rank + sign))
        attacks.append(upward | sideward)
    return steps, attacks


PAWN_TABLES = {color: _pawn_tables(color) for color in chess.COLORS}
PAWN_STEPS = {color: PAWN_TABLES[color][0] for color in chess.COLORS}
PAWN_ATTACKS = {color: PAWN_TABLES[color][1] for color in chess.COLORS}

PAWN_STEP_SAN = re.compile(r"([a-h][1-8])(?:=?([nbrqNBRQ]))?[+#]?")


class CornerPawnsBoard(MadKingsBoard):
    """Pawns that march from corner to corner: one square diagonally, captures straight. No double step, no en passant.

    The board's symmetry between the sides is a half turn, and that is what `mirror` does here.
    """

    zones: ClassVar[dict[chess.Color, chess.Bitboard]]
    """Where the pawns of each side promote."""

    def promotion_squares(self, color: chess.Color) -> chess.Bitboard:
        return type(self).zones[color]

    def forbidden_to_pawns(self, color: chess.Color) -> chess.Bitboard:
        return type(self).zones[color]

    def set_fen(self, fen: str) -> None:
        super().set_fen(fen)
        self.ep_square = None

    def apply_mirror(self) -> None:
        super().apply_mirror()
        self.apply_transform(chess.flip_horizontal)

    def attacks_mask(self, square: chess.Square) -> chess.Bitboard:
        if self.pawns & chess.BB_SQUARES[square]:
            return PAWN_ATTACKS[bool(self.occupied_co[chess.WHITE] & chess.BB_SQUARES[square])][square]
        return super().attacks_mask(square)

    def attackers_mask(
        self, color: chess.Color, square: chess.Square, occupied: chess.Bitboard | None = None
    ) -> chess.Bitboard:
        # A pawn attacks the square from where one of the other side, standing there, would attack it.
        pawns = PAWN_ATTACKS[not color][square] & self.pawns & self.occupied_co[color]
        return super().attackers_mask(color, square, occupied) & ~self.pawns | pawns

    def generate_pseudo_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        yield from super().generate_pseudo_legal_moves(from_mask & ~self.pawns, to_mask)
        theirs = self.occupied_co[not self.turn]
        zone = self.promotion_squares(self.turn)
        for from_square in chess.scan_reversed(self.pawns & self.occupied_co[self.turn] & from_mask):
            captures = PAWN_ATTACKS[self.turn][from_square] & theirs
            steps = PAWN_STEPS[self.turn][from_square] & ~self.occupied
            for to_square in chess.scan_reversed((captures | steps) & to_mask):
                if chess.BB_SQUARES[to_square] & zone:
                    for promotion in (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT):
                        yield chess.Move(from_square, to_square, promotion)
                else:
                    yield chess.Move(from_square, to_square)

    def generate_pseudo_legal_ep(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        yield from ()

    def _valid_ep_square(self) -> chess.Square | None:
        return None

    def find_move(
        self, from_square: chess.Square, to_square: chess.Square, promotion: chess.PieceType | None = None
    ) -> chess.Move:
        """The legal move between two squares; a pawn that promotes becomes a queen unless told otherwise."""
        pawn = self.pawns & chess.BB_SQUARES[from_square]
        if promotion is None and pawn and self.promotion_squares(self.turn) & chess.BB_SQUARES[to_square]:
            promotion = chess.QUEEN
        move = chess.Move(from_square, to_square, promotion)
        return self.legal_or_null(move, move.uci())

    def _pawn_steps_to(self, square: chess.Square) -> Iterator[chess.Move]:
        pawns = self.pawns & self.occupied_co[self.turn]
        return self.generate_legal_moves(pawns, chess.BB_SQUARES[square] & ~self.occupied)

    def parse_san(self, san: str) -> chess.Move:
        match = PAWN_STEP_SAN.fullmatch(san)
        if match is None:
            return super().parse_san(san)
        # A pawn's step changes the file, so python-chess would look for the pawn in the wrong place.
        promotion = chess.PIECE_SYMBOLS.index(match[2].lower()) if match[2] else None
        found = [move for move in self._pawn_steps_to(chess.parse_square(match[1])) if move.promotion == promotion]
        if not found:
            raise chess.IllegalMoveError(f"illegal san: {san!r} in {self.fen()}")
        return found[0]


class MadnessBoard(CornerPawnsBoard):
    """Madness of Kings from the array of Diamond chess; pawns promote all along the two far edges."""

    aliases = ["Madness of Kings", "madness", "madness-diamond"]  # noqa: RUF012
    uci_variant = "madness"
    xboard_variant = "madness"
    starting_fen = "krbp4/rqnp4/nbpp4/pppp4/4PPPP/4PPBN/4PNQR/4PBRK w - - 0 1"
    zones: ClassVar = {
        chess.WHITE: chess.BB_FILE_A | chess.BB_RANK_8,
        chess.BLACK: chess.BB_FILE_H | chess.BB_RANK_1,
    }


class MadnessLeganBoard(CornerPawnsBoard):
    """Pawns promote on the seven squares around the corner in front of them; elsewhere on the edge they stand still."""

    aliases = ["Madness of Kings (Legan)", "madness-legan", "madness_legan"]  # noqa: RUF012
    uci_variant = "madness-legan"
    xboard_variant = "madness-legan"
    starting_fen = "knbrp3/bqpp4/npp5/rp1p3P/p3P1PR/5PPN/4PPQB/3PRBNK w - - 0 1"
    zones: ClassVar = {
        chess.WHITE: chess.SquareSet([chess.A5, chess.A6, chess.A7, chess.A8, chess.B8, chess.C8, chess.D8]).mask,
        chess.BLACK: chess.SquareSet([chess.H4, chess.H3, chess.H2, chess.H1, chess.G1, chess.F1, chess.E1]).mask,
    }


class MadnessFideBoard(MadKingsBoard):
    """Any array whose pawns go the orthodox way can be given as a FEN."""

    aliases = ["Madness of Kings (FIDE)", "madness-fide", "madness_fide"]  # noqa: RUF012
    uci_variant = "madness-fide"
    xboard_variant = "madness-fide"
    starting_fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"
