"""StatefulBoard, from which every Board of a game beyond python-chess's own is made.

Nothing here knows a game. A mechanism overrides hooks: those of SetupBoard, EndingBoard and DrawnBoard, and the ones below.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Self

import chess

from variants.boards.base.drawing import DrawnBoard
from variants.boards.base.ending import EndingBoard
from variants.boards.base.naming import NamingMove, parse_uci_move
from variants.boards.base.setup import STARTPOS, SetupBoard


class StatefulBoard(SetupBoard, EndingBoard, DrawnBoard):
    """A chess.Board with a state beyond six FEN fields, with draws that need no claim, and with a reason for every end.

    push saves `state`, pop restores it, and repetition counts it. A move is legal if it is pseudo-legal and every mechanism
    allows it.
    """

    tbw_suffix = None
    tbz_suffix = None
    tbw_magic = None
    tbz_magic = None

    def __init__(self, fen: str | None = STARTPOS, *, chess960: bool = False) -> None:
        self._state_stack: list[Hashable] = []
        super().__init__(fen, chess960=chess960)

    # Hooks of the mechanisms.

    def allows(self, move: chess.Move) -> bool:
        """Whether a pseudo-legal move is legal. Each mechanism adds its own condition."""
        return not self.is_into_check(move)

    def name_king(self, square: chess.Square) -> None:
        """Do the naming part of a NamingMove of the side to move, before the turn passes."""
        raise ValueError(f"no king is ever named in {type(self).uci_variant}")

    def transform_state(self, f: Callable[[chess.Bitboard], chess.Bitboard]) -> None:
        """Apply a change of the board's geometry to `state`."""

    def swap_state(self) -> None:
        """Exchange the sides in `state`."""

    # The state follows the moves and the copies.

    def push(self, move: chess.Move) -> None:
        """Make a move; a NamingMove names first. A mechanism changes `state` after this."""
        self._state_stack.append(self.state)
        if isinstance(move, NamingMove):
            before = chess._BoardState(self)
            self.name_king(move.named)
            super().push(move.plain())
            self._stack[-1] = before
            self.move_stack[-1] = move
        else:
            super().push(move)

    def pop(self) -> chess.Move:
        """Take the last move back."""
        move = super().pop()
        self.state = self._state_stack.pop()
        return move

    def clear_stack(self) -> None:
        """Forget the moves that led here."""
        super().clear_stack()
        self._state_stack.clear()

    def copy(self, *, stack: bool | int = True) -> Self:
        """A copy, with all moves that led here, with the last `stack` of them, or with none."""
        board = super().copy(stack=stack)
        board.state = self.state
        if stack:
            board._state_stack = self._state_stack[-len(board.move_stack):] if board.move_stack else []
        return board

    def root(self) -> Self:
        """The first position of the stack."""
        board = super().root()
        if self._state_stack:
            board.state = self._state_stack[0]
        return board

    def apply_transform(self, f: Callable[[chess.Bitboard], chess.Bitboard]) -> None:
        """Turn or mirror the board."""
        super().apply_transform(f)
        self.transform_state(f)

    def apply_mirror(self) -> None:
        """Exchange the sides."""
        super().apply_mirror()
        self.swap_state()

    def _transposition_key(self) -> Hashable:
        return super()._transposition_key(), self.state

    # Legal moves.

    def generate_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """The pseudo-legal moves that every mechanism allows; none once a rule has ended the game."""
        if not self.is_variant_end():
            yield from filter(self.allows, self.generate_pseudo_legal_moves(from_mask, to_mask))

    def generate_legal_ep(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """The legal captures en passant."""
        if not self.is_variant_end():
            yield from filter(self.allows, self.generate_pseudo_legal_ep(from_mask, to_mask))

    def generate_pseudo_legal_ep(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """Captures en passant. A FEN may name a square that no pawn has passed; nothing is captured there."""
        if self._valid_ep_square() is not None:
            yield from super().generate_pseudo_legal_ep(from_mask, to_mask)

    def is_legal(self, move: chess.Move) -> bool:
        """Whether a move may be played here."""
        return not self.is_variant_end() and self.is_pseudo_legal(move) and self.allows(move)

    def is_into_check(self, move: chess.Move) -> bool:
        """Whether a pseudo-legal move leaves the mover's own king attacked; without a king, never.

        The pieces stay where they are: only the squares that the move empties and fills are considered anew.
        """
        king = self.king(self.turn)
        if king is None:
            return False
        if self.is_castling(move):
            return super().is_into_check(move)
        from_bb, to_bb = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
        captured = to_bb
        if self.is_en_passant(move):
            captured = chess.BB_SQUARES[move.to_square + (-8 if self.turn else 8)]
        occupied = self.occupied & ~from_bb & ~captured | to_bb
        square = move.to_square if move.from_square == king else king
        return bool(self.attackers_mask(not self.turn, square, occupied) & ~captured)

    # Castling.

    def clean_castling_rights(self) -> chess.Bitboard:
        """The rooks that may still castle."""
        return super().clean_castling_rights() if self.castles else chess.BB_EMPTY

    def is_castling(self, move: chess.Move) -> bool:
        """Whether the move castles."""
        return self.castles and not isinstance(move, NamingMove) and super().is_castling(move)

    def _to_chess960(self, move: chess.Move) -> chess.Move:
        """Without castling e1g1 is an ordinary move, and so is a naming that has a king's squares."""
        return super()._to_chess960(move) if self.castles and not isinstance(move, NamingMove) else move

    def _from_chess960(
        self,
        chess960: bool,
        from_square: chess.Square,
        to_square: chess.Square,
        promotion: chess.PieceType | None = None,
        drop: chess.PieceType | None = None,
    ) -> chess.Move:
        return super()._from_chess960(chess960 or not self.castles, from_square, to_square, promotion, drop)

    # Move text.

    def uci(self, move: chess.Move, *, chess960: bool | None = None) -> str:
        """The move in UCI."""
        return move.uci() if isinstance(move, NamingMove) else super().uci(move, chess960=chess960)

    def parse_uci(self, uci: str) -> chess.Move:
        """Read a legal move, or the null move, in any form that a game has. Raises ValueError as python-chess does."""
        return self.legal_or_null(parse_uci_move(uci), uci)

    def legal_or_null(self, move: chess.Move, text: str) -> chess.Move:
        """The move in this board's own form. Raises chess.IllegalMoveError naming the text that it came from."""
        if move and not isinstance(move, NamingMove):
            move = self._to_chess960(move)
            move = self._from_chess960(self.chess960, move.from_square, move.to_square, move.promotion, move.drop)
        if move and not self.is_legal(move):
            raise chess.IllegalMoveError(f"illegal move: {text!r} in {self.fen()}")
        return move
