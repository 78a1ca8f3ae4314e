"""Shatar, the chess of Mongolia: a berse for the queen, checks with names, mates that only draw.

The Board keeps a berse as python-chess's QUEEN and writes it `J`. Source: the rules sheet after Bodlaender's page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

import chess

from variants.boards.common import StatefulBoard, parse_uci_move

ARRAY = "rnbjkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBJKBNR"
AFTER_D4 = "rnbjkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBJKBNR"
OBLIGATORY = {(ARRAY, chess.WHITE): chess.Move(chess.D2, chess.D4), (AFTER_D4, chess.BLACK): chess.Move(chess.D7, chess.D5)}
MARKS = ("-", "w", "b", "wb")

TO_BERSE = str.maketrans("Qq", "Jj")
FROM_BERSE = str.maketrans("Jj", "Qq")


def berse_steps(square: chess.Square) -> chess.Bitboard:
    """The diagonal half of a berse's move: one square."""
    return chess.BB_KING_ATTACKS[square] & chess.BB_DIAG_ATTACKS[square][0]


class ShatarBoard(StatefulBoard):
    """Mongolian chess. `state` holds the sides whose present series of checks has had a shak in it."""

    aliases = ["Shatar", "Mongolian chess"]  # noqa: RUF012
    uci_variant = "shatar"
    xboard_variant = "shatar"
    starting_fen = f"{ARRAY} w - - 0 1 -"
    castles = False
    has_seventh_field = True
    seventh_pattern = "|".join(MARKS)
    empty_state: ClassVar[frozenset[chess.Color]] = frozenset()
    state: frozenset[chess.Color]

    # Text: a berse is a J.

    def board_fen(self, *, promoted: bool | None = False) -> str:
        return super().board_fen(promoted=promoted).translate(TO_BERSE)

    def _set_board_fen(self, fen: str) -> None:
        super()._set_board_fen(fen.translate(FROM_BERSE))

    def __str__(self) -> str:
        return super().__str__().translate(TO_BERSE)

    def seventh_field(self) -> str:
        return ("w" if chess.WHITE in self.state else "") + ("b" if chess.BLACK in self.state else "") or "-"

    def set_seventh_field(self, text: str) -> None:
        if text not in MARKS:
            raise ValueError(f"marks of the check series: one of {', '.join(MARKS)}, not {text!r}")
        self.state = frozenset(color for color, letter in ((chess.WHITE, "w"), (chess.BLACK, "b")) if letter in text)

    def swap_state(self) -> None:
        self.state = frozenset(not color for color in self.state)

    def uci(self, move: chess.Move, *, chess960: bool | None = None) -> str:
        return super().uci(move, chess960=chess960).translate(TO_BERSE)

    def parse_uci(self, uci: str) -> chess.Move:
        return self.legal_or_null(parse_uci_move(uci.translate(FROM_BERSE)), uci)

    def _algebraic_without_suffix(self, move: chess.Move, *, long: bool = False) -> str:
        return super()._algebraic_without_suffix(move, long=long).translate(TO_BERSE)

    def parse_san(self, san: str) -> chess.Move:
        """Reads J or Q for the berse; as pawns promote to nothing else, the promotion may be left out."""
        text = san.translate(FROM_BERSE)
        if re.fullmatch(r"(?:[a-h][1-8]?[-x]?)?[a-h][18][+#]?", text):
            try:
                return super().parse_san(text)
            except chess.IllegalMoveError:
                text = re.sub(r"([18])([+#]?)$", r"\1=Q\2", text)
        return super().parse_san(text)

    # How men move.

    def attacks_mask(self, square: chess.Square) -> chess.Bitboard:
        """A berse moves as a rook or one square diagonally."""
        if not self.queens & chess.BB_SQUARES[square]:
            return super().attacks_mask(square)
        return (
            berse_steps(square)
            | chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & self.occupied]
            | chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & self.occupied]
        )

    def attackers_mask(
        self, color: chess.Color, square: chess.Square, occupied: chess.Bitboard | None = None
    ) -> chess.Bitboard:
        # Of what a queen attacks, a berse lacks the diagonal squares further off than one.
        far = chess.BB_DIAG_ATTACKS[square][0] & ~chess.BB_KING_ATTACKS[square]
        return super().attackers_mask(color, square, occupied) & ~(far & self.queens)

    def pin_mask(self, color: chess.Color, square: chess.Square) -> chess.Bitboard:
        """As in chess, a berse pinning as a rook does."""
        king, man = self.king(color), chess.BB_SQUARES[square]
        if king is None or king == square:
            return chess.BB_ALL
        line = chess.ray(king, square)
        pinning = self.attackers_mask(not color, king, self.occupied & ~man) & line & ~man
        if not pinning or not chess.between(king, chess.msb(pinning)) & man:
            return chess.BB_ALL
        return line

    def generate_pseudo_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """Pawns promote to a berse only, and only d2 and d7 have the double step."""
        for move in super().generate_pseudo_legal_moves(from_mask, to_mask):
            if move.promotion not in (None, chess.QUEEN):
                continue
            if abs(move.to_square - move.from_square) == 16 and self.pawns & chess.BB_SQUARES[move.from_square]:
                if move.from_square not in (chess.D2, chess.D7):
                    continue
            yield move

    def _valid_ep_square(self) -> chess.Square | None:
        square = super()._valid_ep_square()
        return square if square in (chess.D3, chess.D6) else None

    # Legal moves.

    def is_legal(self, move: chess.Move) -> bool:
        return move in self.generate_legal_moves(chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square])

    def is_into_check(self, move: chess.Move) -> bool:
        return not self.king_is_safe_after(move)

    def generate_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """1. d2d4 d7d5 is obligatory; no move may expose the own king or mate by knights alone."""
        if self.is_variant_end():
            return
        obligatory = self._obligatory_move()
        for move in self.generate_pseudo_legal_moves(from_mask, to_mask):
            if obligatory is None or move == obligatory:
                if self.king_is_safe_after(move) and not self._is_knight_mate(move):
                    yield move

    def generate_legal_ep(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        if not self.is_variant_end():
            for move in self.generate_pseudo_legal_ep(from_mask, to_mask):
                if self.king_is_safe_after(move) and not self._is_knight_mate(move):
                    yield move

    def _obligatory_move(self) -> chess.Move | None:
        if self.occupied & (chess.BB_RANK_1 | chess.BB_RANK_8) != chess.BB_RANK_1 | chess.BB_RANK_8:
            return None  # spares the text comparison nearly always
        return OBLIGATORY.get((self.board_fen(), self.turn))

    def _is_knight_mate(self, move: chess.Move) -> bool:
        """Whether a move that leaves its own king safe gives check by knights alone and leaves no legal reply.

        A reply that mates by a knight in turn is none, so this asks itself again. A capture that bares the king ends the game
        and is no mate.
        """
        king = self.king(not self.turn)
        if king is None:
            return False
        knights = self.knights & self.occupied_co[self.turn]
        if knights & chess.BB_SQUARES[move.from_square]:
            knights ^= chess.BB_SQUARES[move.from_square] | chess.BB_SQUARES[move.to_square]
        if not knights & chess.BB_KNIGHT_ATTACKS[king]:
            return False
        self.push(move)
        try:
            by_knights_alone = not self.checkers_mask() & ~self.knights
            return by_knights_alone and not self.is_variant_end() and not any(self.generate_legal_moves())
        finally:
            self.pop()

    def push(self, move: chess.Move) -> None:
        """After the move, the mover's mark: set by a shak, kept by another check, cleared by a move without check."""
        mover = self.turn
        super().push(move)
        checkers = self.checkers_mask()
        if not checkers:
            self.state -= {mover}
        elif checkers & self.shak_givers():
            self.state |= {mover}

    def shak_givers(self) -> chess.Bitboard:
        """Berses, rooks and knights: their check is a shak, a bishop's a tuk, a pawn's a zod."""
        return self.queens | self.rooks | self.knights

    # The end.

    def rule_end(self) -> tuple[str, chess.Color | None] | None:
        """Robado: the game is drawn as soon as a side has nothing but its king."""
        bare = any(not self.occupied_co[color] & ~self.kings for color in chess.COLORS)
        return ("robado", None) if bare else None

    def mate_verdict(self) -> tuple[str, chess.Color | None]:
        """A mate wins only if the series of checks that ends with it had a shak; otherwise it is niol, a draw."""
        return super().mate_verdict() if (not self.turn) in self.state else ("niol", None)
