"""A rotating title: instead of moving, a side may give the title to another of its pieces.

No piece holds it twice before all have held it. The holder is royal, and wary.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

import chess

from variants.boards.base.naming import NamingMove
from variants.boards.base.setup import side_name
from variants.boards.mechanisms.title import Title
from variants.boards.mechanisms.wary_royals import WaryRoyals

# `Qd1++` or `Qd1++(Ke1--)`; the pluses may be missing, because chess.pgn takes them for a comment on the move.
NAMING_SAN = re.compile(
    r"(?P<piece>[NBRQK])(?P<square>[a-h][1-8])(?P<pluses>\+\+)?"
    r"(?:\((?P<old_piece>[NBRQK])(?P<old_square>[a-h][1-8])--\))?[+#]?"
)


class RotatingTitle(WaryRoyals):
    """A Board with one title per side. Naming a holder is `K@d1` in UCI, `Qd1++` in SAN."""

    has_seventh_field = True
    seventh_pattern = r"\S*/\S*"
    empty_state: ClassVar[tuple[Title, Title]] = (Title(), Title())

    state: tuple[Title, Title]
    """One title per side, indexed by color: Black's first."""

    king_is_royal: ClassVar[bool] = False
    """Whether the king is royal without the title. It then never holds it, and a side has exactly one king."""

    # Who is royal, and who can be.

    def royals_mask(self, color: chess.Color) -> chess.Bitboard:
        """The holder of the title, and the king if it is royal."""
        holder = self.state[color].holder
        royals = chess.BB_EMPTY if holder is None else chess.BB_SQUARES[holder]
        return royals | self.kings & self.occupied_co[color] if self.king_is_royal else royals

    def title_candidates(self, color: chess.Color) -> chess.Bitboard:
        """The pieces that can hold a side's title: all but the pawns and a royal king."""
        pieces = self.occupied_co[color] & ~self.pawns
        return pieces & ~self.kings if self.king_is_royal else pieces

    def default_holder(self, color: chess.Color) -> chess.Square | None:
        """Who holds the title if the FEN does not say: the king, or else the most valuable piece on the lowest square."""
        candidates = self.title_candidates(color)
        for pieces in (self.kings, self.queens, self.rooks, self.bishops, self.knights):
            if pieces & candidates:
                return chess.lsb(pieces & candidates)
        return None

    def titled(self) -> chess.Bitboard:
        """The royal pieces that are not kings."""
        return (self.royals_mask(chess.WHITE) | self.royals_mask(chess.BLACK)) & ~self.kings

    # Naming.

    def generate_namings(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[NamingMove]:
        """All legal namings: not while in check, not into check, and no piece twice before all have held the title."""
        title = self.state[self.turn]
        candidates = self.title_candidates(self.turn)
        if candidates & ~title.held:
            candidates &= ~title.held
        elif title.holder is not None:
            candidates &= ~chess.BB_SQUARES[title.holder]
        candidates &= from_mask & to_mask
        if candidates and not self.is_check():
            for square in chess.scan_reversed(candidates):
                if not self.checkers_of_square(self.turn, square):
                    yield NamingMove.naming(square)

    def name_king(self, square: chess.Square) -> None:
        """Give the title of the side to move to the piece on `square`."""
        self._set_titles(self.turn, self.state[self.turn].given_to(square), self.state[not self.turn])

    def push(self, move: chess.Move) -> None:
        """Make a move; titles and marks travel with their pieces and vanish with captured ones."""
        mover = self.turn
        if not move or isinstance(move, NamingMove):
            super().push(move)
            return
        own, other = self.state[mover].moved(self._journeys(move)), self.state[not mover].without(move.to_square)
        super().push(move)
        self._set_titles(mover, own, other)

    def _set_titles(self, color: chess.Color, own: Title, other: Title) -> None:
        self.state = (other, own) if color == chess.WHITE else (own, other)

    def _journeys(self, move: chess.Move) -> dict[chess.Square, chess.Square]:
        """From where to where the mover's own pieces go: one piece, or king and rook."""
        if not self.is_castling(move):
            return {move.from_square: move.to_square}
        move = self._to_chess960(move)
        king_to, rook_to = self._castled(move.from_square, move.to_square)
        return {move.from_square: king_to, move.to_square: rook_to}

    def generate_pseudo_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """Moves, then namings."""
        yield from super().generate_pseudo_legal_moves(from_mask, to_mask)
        yield from self.generate_namings(from_mask, to_mask)

    def is_pseudo_legal(self, move: chess.Move) -> bool:
        """Whether generate_pseudo_legal_moves yields the move."""
        if isinstance(move, NamingMove):
            return move in self.generate_namings(chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square])
        return super().is_pseudo_legal(move)

    # Setting up.

    def check_setup(self) -> None:
        """As in chess; and a piece of each side must be able to hold the title."""
        super().check_setup()
        for color in chess.COLORS:
            if self.default_holder(color) is None:
                raise ValueError(f"piece placement: {side_name(color)} has no piece to hold the title")

    def check_kings(self, color: chess.Color) -> None:
        """A side may have lost a king that is not royal, but never has two."""
        if self.king_is_royal or self.kings & self.occupied_co[color]:
            super().check_kings(color)

    def status(self) -> chess.Status:
        """As in chess, with holders of titles for kings; guards that leave can uncover any number of checks."""
        status = super().status() & ~(chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK)
        for color, missing in ((chess.WHITE, chess.STATUS_NO_WHITE_KING), (chess.BLACK, chess.STATUS_NO_BLACK_KING)):
            if not self.king_is_royal:
                status &= ~missing
            if self.state[color].holder is None:
                status |= missing
        return status

    def default_state(self) -> tuple[Title, Title]:
        """Titles of the default holders, which nobody has held before."""
        black, white = self.default_holder(chess.BLACK), self.default_holder(chess.WHITE)
        return Title() if black is None else Title().given_to(black), Title() if white is None else Title().given_to(white)

    def set_piece_at(self, square: chess.Square, piece: chess.Piece | None, promoted: bool = False) -> None:
        """Put a piece on a square."""
        super().set_piece_at(square, piece, promoted)
        self._mend_titles()

    def remove_piece_at(self, square: chess.Square) -> chess.Piece | None:
        """Take a piece from its square."""
        piece = super().remove_piece_at(square)
        self._mend_titles()
        return piece

    def _mend_titles(self) -> None:
        """After a piece was put or taken by hand: marks stay with pieces, a vacant title goes to its default holder."""
        mended = []
        for color, default in zip((chess.BLACK, chess.WHITE), self.default_state(), strict=True):
            holder, held = self.state[color].holder, self.state[color].held & self.title_candidates(color)
            vacant = holder is None or not held & chess.BB_SQUARES[holder]
            mended.append(default._replace(held=default.held | held) if vacant else Title(holder, held))
        self.state = mended[0], mended[1]

    def set_board_fen(self, fen: str) -> None:
        """Set the pieces from the first field of a FEN; the titles are the default ones."""
        super().set_board_fen(fen)
        self.state = self.default_state()

    def set_piece_map(self, pieces: Mapping[chess.Square, chess.Piece]) -> None:
        """Set the pieces; the titles are the default ones."""
        super().set_piece_map(pieces)
        self.state = self.default_state()

    def set_chess960_pos(self, scharnagl: int) -> None:
        """Set a start position of Chess960; the titles are the default ones."""
        super().set_chess960_pos(scharnagl)
        self.state = self.default_state()

    def transform_state(self, f: Callable[[chess.Bitboard], chess.Bitboard]) -> None:
        """Turn or mirror the titles."""
        self.state = self.state[0].transformed(f), self.state[1].transformed(f)

    def swap_state(self) -> None:
        """Exchange the sides."""
        self.state = self.state[1], self.state[0]

    # The seventh field.

    def seventh_field(self) -> str:
        """White's and Black's holders, each with those that have held the title: `d1e1/e8`."""
        return f"{self.state[chess.WHITE].text()}/{self.state[chess.BLACK].text()}"

    def set_seventh_field(self, text: str) -> None:
        """Read that field. Raises ValueError."""
        halves = text.split("/")
        if len(halves) != 2:
            raise ValueError(f"titles: White's and Black's squares as in 'd1e1/e8', not {text!r}")
        white, black = halves
        self.state = self._read_title(chess.BLACK, black), self._read_title(chess.WHITE, white)

    def _read_title(self, color: chess.Color, text: str) -> Title:
        title = Title()
        names = [text[start:start + 2] for start in range(0, len(text), 2)]
        for name in reversed(names):  # the holder comes first: it was named last
            if name not in chess.SQUARE_NAMES:
                raise ValueError(f"titles: {name!r} in {text!r} is not a square")
            square = chess.parse_square(name)
            problem = self._why_no_holder(color, square)
            if problem:
                raise ValueError(f"titles: {side_name(color)}'s {text!r} names {name}, {problem}")
            if title.held & chess.BB_SQUARES[square]:
                raise ValueError(f"titles: {side_name(color)}'s {text!r} names {name} twice")
            title = title.given_to(square)
        if title.holder is None:
            raise ValueError(f"titles: {side_name(color)}'s part is empty; it begins with the square of the title's holder")
        return title

    def _why_no_holder(self, color: chess.Color, square: chess.Square) -> str | None:
        """Why the piece on a square can never hold a side's title; None if it can."""
        mask = chess.BB_SQUARES[square]
        if not self.occupied & mask:
            return "which is empty"
        if not self.occupied_co[color] & mask:
            return "a piece of the other side"
        if self.pawns & mask:
            return "a pawn"
        if not self.title_candidates(color) & mask:
            return "a king, which never holds this title"
        return None

    # Move text.

    def _algebraic_without_suffix(self, move: chess.Move, *, long: bool = False) -> str:
        if not isinstance(move, NamingMove):
            return super()._algebraic_without_suffix(move, long=long)
        san = f"{self._piece_text(move.named)}++"
        holder = self.state[self.turn].holder
        return f"{san}({self._piece_text(holder)}--)" if long and holder is not None else san

    def _piece_text(self, square: chess.Square) -> str:
        piece = self.piece_type_at(square)
        if piece is None:
            raise chess.IllegalMoveError(f"no piece to be named on {chess.square_name(square)} in {self.fen()}")
        return chess.piece_symbol(piece).upper() + chess.square_name(square)

    def parse_san(self, san: str) -> chess.Move:
        """Read `Qd1++`, `Qd1++(Ke1--)` and `K@d1` besides what python-chess reads."""
        if san.startswith("K@"):
            return self.legal_or_null(NamingMove.from_uci(san.rstrip("+#")), san)
        match = NAMING_SAN.fullmatch(san)
        if match is None:
            return super().parse_san(san)
        square = chess.parse_square(match["square"])
        if not (match["pluses"] or self.occupied_co[self.turn] & chess.BB_SQUARES[square]):
            return super().parse_san(san)  # an ordinary move: only a naming goes to a square of an own piece
        holder = self.state[self.turn].holder
        old = match["old_piece"] and match["old_piece"] + match["old_square"]
        if self.piece_type_at(square) is None or self._piece_text(square) != match["piece"] + match["square"]:
            raise chess.IllegalMoveError(f"illegal san: {san!r} names a piece that is not there, in {self.fen()}")
        if old and (holder is None or self._piece_text(holder) != old):
            raise chess.IllegalMoveError(f"illegal san: {san!r} dismisses a piece without the title, in {self.fen()}")
        return self.legal_or_null(NamingMove.naming(square), san)
