"""Wary royal pieces: they neither enter nor cross attacked squares, and give check only along lines that they could travel.

What a side attacks is plain geometry: no matter who is royal or pinned.
"""

from __future__ import annotations

from collections.abc import Iterator

import chess

from variants.boards.base.naming import NamingMove
from variants.boards.base.stateful import StatefulBoard


class WaryRoyals(StatefulBoard):
    """A Board on which any piece may be royal, or several. A subclass says which."""

    def royals_mask(self, color: chess.Color) -> chess.Bitboard:
        """The royal pieces of a side."""
        raise NotImplementedError

    # Attack and check.

    def attacked_mask(self, color: chess.Color) -> chess.Bitboard:
        """All squares that a side attacks, those of its own pieces included."""
        attacked = chess.BB_EMPTY
        for square in chess.scan_reversed(self.occupied_co[color]):
            attacked |= self.attacks_mask(square)
        return attacked

    def checkers_of(self, color: chess.Color) -> chess.Bitboard:
        """The pieces that give check to any royal piece of `color`."""
        checkers = chess.BB_EMPTY
        for royal in chess.scan_reversed(self.royals_mask(color)):
            checkers |= self.checkers_of_square(color, royal)
        return checkers

    def checkers_of_square(self, color: chess.Color, square: chess.Square) -> chess.Bitboard:
        """The enemy pieces that would give check to a royal piece of `color` on `square`.

        An enemy royal piece does so only if it could cross the squares in between, that is, if `color` attacks none of them. A
        leaper crosses nothing, and neither does a piece next to its target.
        """
        attackers = self.attackers_mask(not color, square)
        checkers = attackers & ~self.royals_mask(not color)
        for royal in chess.scan_reversed(attackers & ~checkers):
            crossed = chess.scan_reversed(chess.between(royal, square))
            if not any(self.is_attacked_by(color, step) for step in crossed):
                checkers |= chess.BB_SQUARES[royal]
        return checkers

    def checkers_mask(self) -> chess.Bitboard:
        """The pieces that give check to the side to move."""
        return self.checkers_of(self.turn)

    def was_into_check(self) -> bool:
        """Whether the side that has moved is in check."""
        return bool(self.checkers_of(not self.turn))

    def is_into_check(self, move: chess.Move) -> bool:
        """Whether the mover is in check after the move."""
        self.push(move)
        try:
            return self.was_into_check()
        finally:
            self.pop()

    def checked_square(self) -> chess.Square | None:
        """The royal piece of the side to move that is in check; of two, the one on the lower square."""
        for royal in chess.scan_forward(self.royals_mask(self.turn)):
            if self.checkers_of_square(self.turn, royal):
                return royal
        return None

    # Moves of royal pieces.

    def generate_pseudo_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """Moves of the common pieces, then of the royal ones, then castling."""
        royals = self.royals_mask(self.turn)
        yield from super().generate_pseudo_legal_moves(from_mask & ~royals, to_mask)
        if royals & from_mask:
            attacked = self.attacked_mask(not self.turn)
            for from_square in chess.scan_reversed(royals & from_mask):
                for to_square in chess.scan_reversed(self._royal_targets(from_square, attacked) & to_mask):
                    yield chess.Move(from_square, to_square)
            if royals & self.kings & from_mask:
                yield from self.generate_castling_moves(from_mask, to_mask)

    def _royal_targets(self, square: chess.Square, attacked: chess.Bitboard) -> chess.Bitboard:
        """Where the royal piece on `square` may go: neither onto nor across a square of `attacked`."""
        targets = self.attacks_mask(square) & ~self.occupied_co[self.turn] & ~attacked
        for target in chess.scan_reversed(targets):
            if chess.between(square, target) & attacked:
                targets &= ~chess.BB_SQUARES[target]
        return targets

    def is_pseudo_legal(self, move: chess.Move) -> bool:
        """Whether generate_pseudo_legal_moves yields the move."""
        if not super().is_pseudo_legal(move):
            return False
        from_mask, to_mask = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
        if from_mask & self.royals_mask(self.turn) and not self.is_castling(move):
            return bool(self._royal_targets(move.from_square, self.attacked_mask(not self.turn)) & to_mask)
        return True

    # Castling.

    def generate_castling_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """All legal castlings, of a king that is royal. Attack is judged in the position before the move."""
        backrank = chess.BB_RANK_1 if self.turn == chess.WHITE else chess.BB_RANK_8
        kings = self.kings & self.royals_mask(self.turn) & backrank & from_mask
        rooks = self.clean_castling_rights() & backrank & to_mask
        if not kings or not rooks or self.is_check():
            return
        king = chess.lsb(kings)
        attacked = self.attacked_mask(not self.turn)
        for rook in chess.scan_reversed(rooks):
            king_to, rook_to = self._castled(king, rook)
            king_path = chess.between(king, king_to) | chess.BB_SQUARES[king_to]
            rook_path = chess.between(rook, rook_to) | chess.BB_SQUARES[rook_to]
            others = self.occupied & ~chess.BB_SQUARES[king] & ~chess.BB_SQUARES[rook]
            royal_path = king_path
            if self.royals_mask(self.turn) & chess.BB_SQUARES[rook]:
                royal_path |= rook_path
            if not others & (king_path | rook_path) and not attacked & royal_path:
                move = self._from_chess960(self.chess960, king, rook)
                if not self.is_into_check(move):
                    yield move

    def _castled(self, king: chess.Square, rook: chess.Square) -> tuple[chess.Square, chess.Square]:
        """Where king and rook stand after castling."""
        rank = chess.square_rank(king)
        files = (2, 3) if rook < king else (6, 5)
        return chess.square(files[0], rank), chess.square(files[1], rank)

    # Legal moves. Most moves can expose nothing, so few have to be made on the board.

    def generate_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """The pseudo-legal moves after which no royal piece of the mover is in check."""
        if self.is_variant_end():
            return
        doubtful = chess.BB_ALL if self.is_check() else self.royals_mask(self.turn) | self._exposing_mask()
        for move in self.generate_pseudo_legal_moves(from_mask, to_mask):
            known_legal = isinstance(move, NamingMove) or self.is_castling(move)  # their generators yield legal ones only
            safe = not chess.BB_SQUARES[move.from_square] & doubtful and not self.is_en_passant(move)
            if known_legal or safe or self.allows(move):
                yield move

    def _exposing_mask(self) -> chess.Bitboard:
        """Squares whose piece may, by leaving, let in a check by a slider.

        A move clears at most two squares of a line (en passant does), so a line with three pieces on it stays closed. If an
        enemy royal piece looks along a line, any piece may be the one that guards it from crossing.
        """
        exposing = chess.BB_EMPTY
        enemies = self.occupied_co[not self.turn]
        for royal in chess.scan_reversed(self.royals_mask(self.turn)):
            snipers = chess.BB_DIAG_ATTACKS[royal][0] & (self.bishops | self.queens)
            snipers |= (chess.BB_RANK_ATTACKS[royal][0] | chess.BB_FILE_ATTACKS[royal][0]) & (self.rooks | self.queens)
            for sniper in chess.scan_reversed(snipers & enemies):
                line = chess.between(royal, sniper)
                if chess.popcount(line & self.occupied) <= 2:
                    if chess.BB_SQUARES[sniper] & self.royals_mask(not self.turn):
                        return chess.BB_ALL
                    exposing |= line
        return exposing
