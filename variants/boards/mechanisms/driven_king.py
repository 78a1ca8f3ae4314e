"""Driven kings: a turn may be used to move the opponent's king, two squares in a straight or diagonal line."""

from __future__ import annotations

import re
from collections.abc import Iterator

import chess

from variants.boards.base.stateful import StatefulBoard

# Two squares away in a straight or diagonal line: the squares with exactly one square between.
DRIVES = [
    sum(chess.BB_SQUARES[to] for to in chess.SQUARES if chess.square_distance(at, to) == 2 and chess.between(at, to))
    for at in chess.SQUARES
]

DRIVE_SAN = re.compile(r"K([a-h][1-8])[-x]?([a-h][1-8])[+#]?")


class DrivenKing(StatefulBoard):
    """A Board on which the opponent moves kings, too, and nobody castles.

    A drive is a plain chess.Move from the square of the opponent's king.
    """

    castles = False

    def is_drive(self, move: chess.Move) -> bool:
        """Whether the move is one of the opponent's king."""
        return bool(move) and bool(self.kings & self.occupied_co[not self.turn] & chess.BB_SQUARES[move.from_square])

    # The rule.

    def generate_drives(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """The opponent's king goes to the second square, the first being empty; it may capture a piece of its own side only."""
        for king in chess.scan_forward(self.kings & self.occupied_co[not self.turn] & from_mask):
            for to_square in chess.scan_forward(DRIVES[king] & ~self.occupied_co[self.turn] & to_mask):
                if not chess.between(king, to_square) & self.occupied:
                    yield chess.Move(king, to_square)

    def allows(self, move: chess.Move) -> bool:
        """A king must not be driven into checkmate."""
        return super().allows(move) and not (self.is_drive(move) and self._mates(move))

    def _mates(self, move: chess.Move) -> bool:
        """Whether a drive puts the king into check and leaves its owner without a reply.

        The same question is not asked of the replies. If each of them would drive a king into checkmate, the drive is legal
        and wins.
        """
        self.push(move)
        try:
            return self.is_check() and not any(self.generate_replies())
        finally:
            self.pop()

    def generate_replies(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """Moves that obey every rule but the one that a king must not be driven into checkmate."""
        for move in self.generate_pseudo_legal_moves(from_mask, to_mask):
            if not self.is_into_check(move):
                yield move

    def is_into_check(self, move: chess.Move) -> bool:
        """Whether the mover's own king would be attacked, or next to the king that it drives."""
        king = self.king(self.turn)
        if king is None or not self.is_drive(move):
            return super().is_into_check(move)  # there the other king attacks like any piece
        from_bb, to_bb = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
        if chess.BB_KING_ATTACKS[king] & to_bb:
            return True
        occupied = self.occupied & ~from_bb | to_bb
        return bool(self.attackers_mask(not self.turn, king, occupied) & ~from_bb & ~to_bb)

    def push(self, move: chess.Move) -> None:
        """Make a move, or drive the opponent's king."""
        if not self.is_drive(move):
            super().push(move)
            return
        zeroing = self.is_zeroing(move)
        super().push(chess.Move.null())  # turn, counters and the stack; then the king, which is now the mover's
        self.move_stack[-1] = move
        self._remove_piece_at(move.from_square)
        self._set_piece_at(move.to_square, chess.KING, self.turn)
        if zeroing:
            self.halfmove_clock = 0

    # What python-chess asks about moves and positions.

    def generate_pseudo_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """Moves by the way pieces go, then drives."""
        yield from super().generate_pseudo_legal_moves(from_mask, to_mask)
        yield from self.generate_drives(from_mask, to_mask)

    def is_pseudo_legal(self, move: chess.Move) -> bool:
        """Whether generate_pseudo_legal_moves yields the move."""
        from_mask, to_mask = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
        return move in self.generate_pseudo_legal_moves(from_mask, to_mask)

    def is_capture(self, move: chess.Move) -> bool:
        """Whether the move captures; a drive captures a piece of the king's own side."""
        return bool(self.occupied & chess.BB_SQUARES[move.to_square]) if self.is_drive(move) else super().is_capture(move)

    def is_zeroing(self, move: chess.Move) -> bool:
        """Whether the move sets the halfmove clock to zero."""
        return self.is_capture(move) if self.is_drive(move) else super().is_zeroing(move)

    def status(self) -> chess.Status:
        """A king may be driven to where any number of pieces check it."""
        return super().status() & ~(chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK)

    # Move text: a drive has both squares, `Ke8-e6`, as no move of the own king is written.

    def _algebraic_without_suffix(self, move: chess.Move, *, long: bool = False) -> str:
        if not self.is_drive(move):
            return super()._algebraic_without_suffix(move, long=long)
        sign = "x" if self.is_capture(move) else "-"
        return f"K{chess.square_name(move.from_square)}{sign}{chess.square_name(move.to_square)}"

    def parse_san(self, san: str) -> chess.Move:
        """Read `Ke8-e6` besides what python-chess reads."""
        match = DRIVE_SAN.fullmatch(san)
        if match:
            move = chess.Move(chess.parse_square(match[1]), chess.parse_square(match[2]))
            if self.is_drive(move):
                return self.legal_or_null(move, san)
        return super().parse_san(san)
