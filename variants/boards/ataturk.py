"""Ataturk Chess: on a turn a side may name another piece its king instead of moving. By Ralph Betza, 2003.

The title goes round: nobody holds it twice before all have held it. Whoever holds it is royal, that is, may neither
enter nor cross a square the other side attacks, and gives check only along lines it could travel itself. Warm Spit
Chess, which has a king as well as a travelling title, is built on this board.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar, NamedTuple

import chess

from variants.boards.common import NamingMove, StatefulBoard, describe

# `Qd1++` or `Qd1++(Ke1--)`; the pluses may be missing, as chess.pgn takes them for a comment on the move.
NAMING_SAN = re.compile(
    r"(?P<piece>[NBRQK])(?P<square>[a-h][1-8])(?P<pluses>\+\+)?"
    r"(?:\((?P<old_piece>[NBRQK])(?P<old_square>[a-h][1-8])--\))?[+#]?"
)


class Title(NamedTuple):
    """Who is, and who has been, the royal piece of one side."""

    holder: chess.Square | None = None
    """The square of the piece that holds the title; None only on boards that are no position of the game."""

    held: chess.Bitboard = chess.BB_EMPTY
    """The squares of all the side's pieces that hold it or have held it."""

    def moved(self, journeys: Mapping[chess.Square, chess.Square]) -> Title:
        """The title after its own side's pieces went from the keys of `journeys` to the values."""
        held = 0
        for square in chess.scan_forward(self.held):
            held |= chess.BB_SQUARES[journeys.get(square, square)]
        return Title(None if self.holder is None else journeys.get(self.holder, self.holder), held)

    def without(self, square: chess.Square) -> Title:
        """The title after the piece on `square` left the board."""
        return Title(None if self.holder == square else self.holder, self.held & ~chess.BB_SQUARES[square])

    def given_to(self, square: chess.Square) -> Title:
        """The title after the piece on `square` was named; whoever held it keeps his mark."""
        return Title(square, self.held | chess.BB_SQUARES[square])

    def transformed(self, f: Callable[[chess.Bitboard], chess.Bitboard]) -> Title:
        """The title after the board was turned or mirrored."""
        return Title(None if self.holder is None else chess.msb(f(chess.BB_SQUARES[self.holder])), f(self.held))

    def text(self) -> str:
        """This side's half of the seventh field: the holder, then the others in board order."""
        if self.holder is None:
            return "-"
        others = chess.SquareSet(self.held & ~chess.BB_SQUARES[self.holder])
        return "".join(chess.SQUARE_NAMES[square] for square in [self.holder, *others])


class AtaturkBoard(StatefulBoard):
    """Ataturk Chess. Naming a king is `K@d1` in UCI, `Qd1++` in SAN.

    >>> board = AtaturkBoard()
    >>> board.push_san("Qd1++")
    NamingMove.from_uci('K@d1')
    >>> board.fen()
    'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 1 1 d1e1/e8'
    """

    aliases = ["Ataturk", "Ataturk Chess", "Atatürk Chess"]  # noqa: RUF012
    uci_variant = "ataturk"
    xboard_variant = "ataturk"
    starting_fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 e1/e8"
    has_seventh_field = True
    seventh_pattern = r"\S*/\S*"
    empty_state: ClassVar[tuple[Title, Title]] = (Title(), Title())

    state: tuple[Title, Title]
    """One title per side, indexed by color: Black's first."""

    # Who is royal

    def royals_mask(self, color: chess.Color) -> chess.Bitboard:
        """The royal pieces of a side: here the one that holds the title."""
        holder = self.state[color].holder
        return chess.BB_EMPTY if holder is None else chess.BB_SQUARES[holder]

    def title_candidates(self, color: chess.Color) -> chess.Bitboard:
        """The pieces among which a side's title goes round: all but the pawns."""
        return self.occupied_co[color] & ~self.pawns

    def default_holder(self, color: chess.Color) -> chess.Square | None:
        """Who holds the title where the FEN does not say: the king, or else the most valuable piece on the lowest square."""
        candidates = self.title_candidates(color)
        for men in (self.kings, self.queens, self.rooks, self.bishops, self.knights):
            if men & candidates:
                return chess.lsb(men & candidates)
        return None

    def titled(self) -> chess.Bitboard:
        return (self.royals_mask(chess.WHITE) | self.royals_mask(chess.BLACK)) & ~self.kings

    def checked_square(self) -> chess.Square | None:
        """The royal piece of the side to move that stands in check, of two the one on the lower square."""
        for royal in chess.scan_forward(self.royals_mask(self.turn)):
            if self._checkers_of_square(self.turn, royal):
                return royal
        return None

    # Attack and check

    def attacked_mask(self, color: chess.Color) -> chess.Bitboard:
        """All squares a side attacks by plain geometry: no matter who is royal or pinned, its own men's squares included."""
        attacked = chess.BB_EMPTY
        for square in chess.scan_reversed(self.occupied_co[color]):
            attacked |= self.attacks_mask(square)
        return attacked

    def _checkers_of(self, color: chess.Color) -> chess.Bitboard:
        """The men that give check to any royal piece of `color`."""
        checkers = chess.BB_EMPTY
        for royal in chess.scan_reversed(self.royals_mask(color)):
            checkers |= self._checkers_of_square(color, royal)
        return checkers

    def _checkers_of_square(self, color: chess.Color, square: chess.Square) -> chess.Bitboard:
        """The enemy men that would give check to a royal piece of `color` on `square`.

        An enemy royal piece does so only if it could cross the squares in between, that is, if `color` attacks none of
        them. A leaper crosses nothing, and neither does a piece right next to its target.
        """
        attackers = self.attackers_mask(not color, square)
        checkers = attackers & ~self.royals_mask(not color)
        for royal in chess.scan_reversed(attackers & ~checkers):
            crossed = chess.scan_reversed(chess.between(royal, square))
            if not any(self.is_attacked_by(color, step) for step in crossed):
                checkers |= chess.BB_SQUARES[royal]
        return checkers

    def checkers_mask(self) -> chess.Bitboard:
        return self._checkers_of(self.turn)

    def was_into_check(self) -> bool:
        return bool(self._checkers_of(not self.turn))

    def is_into_check(self, move: chess.Move) -> bool:
        self.push(move)
        try:
            return self.was_into_check()
        finally:
            self.pop()

    # Move generation

    def generate_pseudo_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        royals = self.royals_mask(self.turn)
        yield from super().generate_pseudo_legal_moves(from_mask & ~royals, to_mask)
        if royals & from_mask:
            attacked = self.attacked_mask(not self.turn)
            for from_square in chess.scan_reversed(royals & from_mask):
                for to_square in chess.scan_reversed(self._royal_targets(from_square, attacked) & to_mask):
                    yield chess.Move(from_square, to_square)
            if royals & self.kings & from_mask:
                yield from self.generate_castling_moves(from_mask, to_mask)
        yield from self.generate_namings(from_mask, to_mask)

    def _royal_targets(self, square: chess.Square, attacked: chess.Bitboard) -> chess.Bitboard:
        """Where the royal piece on `square` may go: neither onto nor across a square of `attacked`."""
        targets = self.attacks_mask(square) & ~self.occupied_co[self.turn] & ~attacked
        for target in chess.scan_reversed(targets):
            if chess.between(square, target) & attacked:
                targets &= ~chess.BB_SQUARES[target]
        return targets

    def generate_namings(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[NamingMove]:
        """All legal overthrows: not while in check, not into check, and nobody twice before everybody once."""
        title = self.state[self.turn]
        candidates = self.title_candidates(self.turn)
        if candidates & ~title.held:
            candidates &= ~title.held
        elif title.holder is not None:
            candidates &= ~chess.BB_SQUARES[title.holder]
        candidates &= from_mask & to_mask
        if candidates and not self.is_check():
            for square in chess.scan_reversed(candidates):
                if not self._checkers_of_square(self.turn, square):
                    yield NamingMove.naming(square)

    def generate_castling_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """All legal castlings, of a king who is royal. Attack is judged on the position before the move."""
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

    def generate_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        if self.is_variant_end():
            return
        doubtful = chess.BB_ALL if self.is_check() else self.royals_mask(self.turn) | self._exposing_mask()
        for move in self.generate_pseudo_legal_moves(from_mask, to_mask):
            known_legal = isinstance(move, NamingMove) or self.is_castling(move)  # their generators see to it
            safe = not chess.BB_SQUARES[move.from_square] & doubtful and not self.is_en_passant(move)
            if known_legal or safe or not self.is_into_check(move):
                yield move

    def _exposing_mask(self) -> chess.Bitboard:
        """Squares whose man may, by leaving, let in a check by a slider; only these moves have to be tried out.

        A move clears at most two squares of a line (en passant does), so a line with three men on it stays closed. When an
        enemy royal piece looks along a line, any man may be the one that guards it from crossing.
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

    def is_pseudo_legal(self, move: chess.Move) -> bool:
        from_mask, to_mask = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
        if isinstance(move, NamingMove):
            return move in self.generate_namings(from_mask, to_mask)
        if not super().is_pseudo_legal(move):
            return False
        if from_mask & self.royals_mask(self.turn) and not self.is_castling(move):
            return bool(self._royal_targets(move.from_square, self.attacked_mask(not self.turn)) & to_mask)
        return True

    # Making moves

    def push(self, move: chess.Move) -> None:
        mover = self.turn
        if not move or isinstance(move, NamingMove):
            super().push(move)
            return
        own, other = self.state[mover].moved(self._journeys(move)), self.state[not mover].without(move.to_square)
        super().push(move)
        self._set_titles(mover, own, other)

    def name_king(self, square: chess.Square) -> None:
        self._set_titles(self.turn, self.state[self.turn].given_to(square), self.state[not self.turn])

    def _set_titles(self, color: chess.Color, own: Title, other: Title) -> None:
        self.state = (other, own) if color == chess.WHITE else (own, other)

    def _journeys(self, move: chess.Move) -> dict[chess.Square, chess.Square]:
        """From where to where the mover's own men go: one man, or king and rook."""
        if not self.is_castling(move):
            return {move.from_square: move.to_square}
        move = self._to_chess960(move)
        king_to, rook_to = self._castled(move.from_square, move.to_square)
        return {move.from_square: king_to, move.to_square: rook_to}

    # Move text

    def _algebraic_without_suffix(self, move: chess.Move, *, long: bool = False) -> str:
        if not isinstance(move, NamingMove):
            return super()._algebraic_without_suffix(move, long=long)
        san = f"{self._man_text(move.named)}++"
        holder = self.state[self.turn].holder
        return f"{san}({self._man_text(holder)}--)" if long and holder is not None else san

    def _man_text(self, square: chess.Square) -> str:
        man = self.piece_type_at(square)
        if man is None:
            raise chess.IllegalMoveError(f"nobody to be named on {chess.square_name(square)} in {self.fen()}")
        return chess.piece_symbol(man).upper() + chess.square_name(square)

    def parse_san(self, san: str) -> chess.Move:
        """Reads `Qd1++`, `Qd1++(Ke1--)` and `K@d1` besides what python-chess reads."""
        if san.startswith("K@"):
            return self.legal_or_null(NamingMove.from_uci(san.rstrip("+#")), san)
        match = NAMING_SAN.fullmatch(san)
        if match is None:
            return super().parse_san(san)
        square = chess.parse_square(match["square"])
        if not (match["pluses"] or self.occupied_co[self.turn] & chess.BB_SQUARES[square]):
            return super().parse_san(san)  # an ordinary move: only a naming has a target that holds an own man
        holder = self.state[self.turn].holder
        old = match["old_piece"] and match["old_piece"] + match["old_square"]
        if self.piece_type_at(square) is None or self._man_text(square) != match["piece"] + match["square"]:
            raise chess.IllegalMoveError(f"illegal san: {san!r} names a man that is not there, in {self.fen()}")
        if old and (holder is None or self._man_text(holder) != old):
            raise chess.IllegalMoveError(f"illegal san: {san!r} dismisses a man who does not hold the title, in {self.fen()}")
        return self.legal_or_null(NamingMove.naming(square), san)

    # Setting up, and the seventh field

    def check_setup(self) -> None:
        super().check_setup()
        for color in chess.COLORS:
            if self.default_holder(color) is None:
                raise ValueError(f"piece placement: {describe(color)} has no piece to hold the title")

    def check_kings(self, color: chess.Color) -> None:
        """A side may have lost its king piece, but never has two."""
        if self.kings & self.occupied_co[color]:
            super().check_kings(color)

    def default_state(self) -> tuple[Title, Title]:
        black, white = self.default_holder(chess.BLACK), self.default_holder(chess.WHITE)
        return Title() if black is None else Title().given_to(black), Title() if white is None else Title().given_to(white)

    def seventh_field(self) -> str:
        return f"{self.state[chess.WHITE].text()}/{self.state[chess.BLACK].text()}"

    def set_seventh_field(self, text: str) -> None:
        halves = text.split("/")
        if len(halves) != 2:
            raise ValueError(f"titles: White's and Black's squares as in 'd1e1/e8', not {text!r}")
        white, black = halves
        self.state = self._read_title(chess.BLACK, black), self._read_title(chess.WHITE, white)

    def _read_title(self, color: chess.Color, text: str) -> Title:
        title = Title()
        names = [text[start:start + 2] for start in range(0, len(text), 2)]
        for name in reversed(names):  # the holder comes first: he is the last one named
            if name not in chess.SQUARE_NAMES:
                raise ValueError(f"titles: {name!r} in {text!r} is no square")
            square = chess.parse_square(name)
            problem = self._why_no_holder(color, square)
            if problem:
                raise ValueError(f"titles: {describe(color)}'s {text!r} names {name}, {problem}")
            if title.held & chess.BB_SQUARES[square]:
                raise ValueError(f"titles: {describe(color)}'s {text!r} names {name} twice")
            title = title.given_to(square)
        if title.holder is None:
            raise ValueError(f"titles: {describe(color)}'s part is empty; it begins with the square of the title's holder")
        return title

    def _why_no_holder(self, color: chess.Color, square: chess.Square) -> str | None:
        """What keeps the man on a square from ever holding a side's title, in words; None if nothing does."""
        mask = chess.BB_SQUARES[square]
        if not self.occupied & mask:
            return "which is empty"
        if not self.occupied_co[color] & mask:
            return "a man of the other side"
        if self.pawns & mask:
            return "a pawn"
        if not self.title_candidates(color) & mask:
            return "a king, who never holds this title"
        return None

    def transform_state(self, f: Callable[[chess.Bitboard], chess.Bitboard]) -> None:
        self.state = self.state[0].transformed(f), self.state[1].transformed(f)

    def swap_state(self) -> None:
        self.state = self.state[1], self.state[0]

    def set_piece_at(self, square: chess.Square, piece: chess.Piece | None, promoted: bool = False) -> None:
        super().set_piece_at(square, piece, promoted)
        self._mend_titles()

    def remove_piece_at(self, square: chess.Square) -> chess.Piece | None:
        piece = super().remove_piece_at(square)
        self._mend_titles()
        return piece

    def set_board_fen(self, fen: str) -> None:
        super().set_board_fen(fen)
        self.state = self.default_state()

    def set_piece_map(self, pieces: Mapping[chess.Square, chess.Piece]) -> None:
        super().set_piece_map(pieces)
        self.state = self.default_state()

    def set_chess960_pos(self, scharnagl: int) -> None:
        super().set_chess960_pos(scharnagl)
        self.state = self.default_state()

    def _mend_titles(self) -> None:
        """After a man was put or taken by hand: marks stay where a piece is, a vacant title goes to its default holder."""
        mended = []
        for color, default in zip((chess.BLACK, chess.WHITE), self.default_state(), strict=True):
            holder, held = self.state[color].holder, self.state[color].held & self.title_candidates(color)
            vacant = holder is None or not held & chess.BB_SQUARES[holder]
            mended.append(default._replace(held=default.held | held) if vacant else Title(holder, held))
        self.state = mended[0], mended[1]

    def status(self) -> chess.Status:
        """As in chess, with the holders of the titles for kings; guards that leave can uncover any number of checks."""
        meant_for_kings = chess.STATUS_NO_WHITE_KING | chess.STATUS_NO_BLACK_KING
        checks = chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK
        status = super().status() & ~(meant_for_kings | checks)
        if self.state[chess.WHITE].holder is None:
            status |= chess.STATUS_NO_WHITE_KING
        if self.state[chess.BLACK].holder is None:
            status |= chess.STATUS_NO_BLACK_KING
        return status
