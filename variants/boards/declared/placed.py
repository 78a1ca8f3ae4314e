"""PlacedBoard: a Place in the form of a chess.Board: its attributes, setting it up and writing it down."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

import chess

from variants.boards.base.drawing import DrawnBoard
from variants.boards.base.ending import EndingBoard
from variants.boards.declared.place import BLACK, FILES, SIDES, WHITE, Place, home, partner, read_fen, side_of, write_fen
from variants.boards.declared.play import Play

if TYPE_CHECKING:
    from engine.rules import Rules

MASKS = {"p": "pawns", "n": "knights", "b": "bishops", "r": "rooks", "q": "queens", "k": "kings"}
CLOCKS = r"\d+\s+\d+"
SEVENTH = r"(?:[a-h][1-8])+/(?:[a-h][1-8])+|\+?\d+\+\d+"  # titles, or counted checks

Operand = None | str | int | float | chess.Move | Iterable[chess.Move]  # of an operation in EPD


def mask_of(squares: Iterable[chess.Square]) -> chess.Bitboard:
    """Squares as a bitboard."""
    return sum(1 << square for square in set(squares))


class PlacedBoard(DrawnBoard, EndingBoard):
    """What a Board of a declared game shows of its position. Bitboards have the types of pieces that python-chess knows."""

    rules: ClassVar[Rules]
    letters: ClassVar[str]
    """Capitals of all types of pieces, for readers of PGN."""
    play: ClassVar[Play]
    starting_fen: ClassVar[str]
    place: Place
    _places: list[Place]

    def _set(self, place: Place) -> None:
        self.place = place
        for letter, name in MASKS.items():
            setattr(self, name, mask_of(square for square, own in place.pieces.items() if own.lower() == letter))
        self.occupied_co = [mask_of(place.own(BLACK)), mask_of(place.own(WHITE))]
        self.occupied = self.occupied_co[0] | self.occupied_co[1]

    def _refused(self, what: str) -> NoReturn:
        raise NotImplementedError(f"the Board of {self.rules.name} has no {what}")

    # Attributes of python-chess

    @property
    def turn(self) -> chess.Color:
        """Who is to move."""
        return self.place.turn == WHITE

    @turn.setter
    def turn(self, color: chess.Color) -> None:
        side = WHITE if color else BLACK
        self.place = replace(self.place, turn=side, ply=self.place.ply // 2 * 2 + side)

    @property
    def castling_rights(self) -> chess.Bitboard:
        """The partners that may still castle."""
        return mask_of(self.place.rights)

    @castling_rights.setter
    def castling_rights(self, mask: chess.Bitboard) -> None:
        self.place = replace(self.place, rights=frozenset(chess.scan_forward(mask)))

    @property
    def ep_square(self) -> chess.Square | None:
        """The square that a double step has passed."""
        return self.place.passed

    @ep_square.setter
    def ep_square(self, square: chess.Square | None) -> None:
        self.place = replace(self.place, passed=square)

    @property
    def halfmove_clock(self) -> int:
        """Plies since the last capture or move of a pawn."""
        return self.place.clock

    @halfmove_clock.setter
    def halfmove_clock(self, plies: int) -> None:
        self.place = replace(self.place, clock=plies)

    @property
    def fullmove_number(self) -> int:
        """The number of the move, from 1."""
        return self.place.ply // 2 + 1

    @fullmove_number.setter
    def fullmove_number(self, number: int) -> None:
        self.place = replace(self.place, ply=2 * (number - 1) + self.place.turn)

    @property
    def promoted(self) -> chess.Bitboard:
        """Pieces that were pawns, in games with drops."""
        return mask_of(self.place.promoted)

    @promoted.setter
    def promoted(self, mask: chess.Bitboard) -> None:
        self.place = replace(self.place, promoted=frozenset(chess.scan_forward(mask)))

    # Setting up

    def clear_board(self) -> None:
        """Remove all pieces."""
        self._set(Place({}))
        self.clear_stack()

    def clear(self) -> None:
        """Remove all pieces."""
        self.clear_board()

    def clear_stack(self) -> None:
        """Forget the moves that led here."""
        self._places = []
        self.move_stack = []

    def reset(self) -> None:
        """Back to the start position."""
        self.set_fen(type(self).starting_fen)

    def reset_board(self) -> None:
        """Back to the start position."""
        self.reset()

    def set_fen(self, fen: str) -> None:
        """Read a FEN. Raises ValueError."""
        place = self._read(fen)
        self.clear_stack()
        self._set(self.play.crown_only(place) if self.rules.succession else place)

    def _read(self, fen: str) -> Place:
        try:
            return read_fen(self.rules, fen)
        except (IndexError, KeyError, StopIteration) as error:
            raise ValueError(f"no FEN of {self.rules.name}: {fen!r}") from error

    def set_epd(self, epd: str) -> dict[str, str | int | float | chess.Move | list[chess.Move] | None]:
        """Read what epd() writes, or a FEN with or without operations; returns the operations. Raises ValueError."""
        four, rest = epd.strip().rstrip(";").split(None, 4), ""
        if len(four) > 4:
            rest = four.pop()
        found = re.match(rf"({CLOCKS})?\s*({SEVENTH})?\s*({CLOCKS})?(?:\s+|$)", rest)
        first, seventh, second = found.groups("") if found else ("", "", "")
        rest = rest[found.end():] if found else rest

        def fen(operations: Mapping[str, object]) -> str:
            clocks = (operations.get(name, field) for name, field in zip(
                ("hmvc", "fmvn"), (first or second or "0 1").split(), strict=True))
            return " ".join([*four, *["w", "-", "-"][len(four) - 1:], *map(str, clocks), seventh]).strip()

        operations = self._parse_epd_ops(rest, lambda: type(self)(fen({}), chess960=self.chess960)) if rest else {}
        self.set_fen(fen(operations))
        return operations

    def set_board_fen(self, fen: str) -> None:
        """Set the pieces by the first field of a FEN; titles and hands take their defaults. Raises ValueError."""
        place, now = self._read(f"{fen} {'wb'[self.place.turn]}"), self.place
        self.clear_stack()
        self._set(replace(place, ply=now.ply, clock=now.clock, rights=self._kept(place.pieces)))

    def set_piece_map(self, pieces: Mapping[chess.Square, chess.Piece]) -> None:
        """Set all pieces, of the types that python-chess knows. Raises ValueError."""
        letters = {self._square(square): self._letter(piece) for square, piece in pieces.items()}
        self.set_board_fen(write_fen(self.rules, Place(letters, holders=self.place.holders), False).split()[0])

    def set_piece_at(self, square: chess.Square, piece: chess.Piece | None, promoted: bool = False) -> None:
        """Put a piece of a type that python-chess knows on a square, or nothing. Raises ValueError."""
        pieces = {own: letter for own, letter in self.place.pieces.items() if own != self._square(square)}
        if piece is not None:
            pieces[square] = self._letter(piece)
        for side, holder in zip(SIDES, self.place.holders, strict=True):
            if holder == square and (square not in pieces or side_of(pieces[square]) != side):
                owner = ("White", "Black")[side]
                raise ValueError(f"{chess.square_name(square)} has the royal piece of {owner}, which must stay")
        marks = self.place.promoted - {square} | ({square} if promoted and piece is not None and self.rules.drops else set())
        self.clear_stack()
        self._set(replace(self.place, pieces=pieces, promoted=frozenset(marks), passed=None, rights=self._kept(pieces),
                          marked=frozenset(own for own in self.place.marked if own in pieces)))

    def remove_piece_at(self, square: chess.Square) -> chess.Piece | None:
        """Empty a square; returns the piece, if python-chess knows its type. Raises ValueError."""
        piece = self.piece_at(square)
        self.set_piece_at(square, None)
        return piece

    def _square(self, square: chess.Square) -> chess.Square:
        if square % 8 >= self.rules.files or square // 8 >= self.rules.ranks:
            raise ValueError(f"{chess.square_name(square)} is not on the board of {self.rules.name}")
        return square

    def _letter(self, piece: chess.Piece) -> str:
        if piece.symbol().upper() not in self.rules.letters:
            raise ValueError(f"{piece.symbol()!r} is no piece of {self.rules.name}")
        return piece.symbol()

    def _kept(self, pieces: Mapping[int, str]) -> frozenset[int]:
        """The rights to castle that such pieces leave."""
        found = set()
        for side in SIDES:
            letters = {square: pieces[square] for square in home(self.rules, side)
                       if square in pieces and side_of(pieces[square]) == side}
            if any(letter.upper() == "K" for letter in letters.values()):
                mate = partner(self.rules, side)
                found |= {square for square in self.place.rights if letters.get(square, "").upper() == mate}
        return frozenset(found)

    def apply_mirror(self) -> None:
        """Swap the sides: ranks upside down, colours exchanged."""
        place = self.place

        def turned(square: int) -> int:
            return square % 8 + 8 * (self.rules.ranks - 1 - square // 8)

        def all_turned(squares: Iterable[int]) -> frozenset[int]:
            return frozenset(map(turned, squares))

        white, black = (None if holder is None else turned(holder) for holder in place.holders)
        pieces = {turned(square): letter.swapcase() for square, letter in place.pieces.items()}
        self.place = replace(place, rights=all_turned(place.rights))
        self.clear_stack()
        self._set(replace(
            place, pieces=pieces, turn=1 - place.turn, ply=place.ply // 2 * 2 + 1 - place.turn, rights=self._kept(pieces),
            passed=None if place.passed is None else turned(place.passed), hands=(place.hands[1], place.hands[0]),
            promoted=all_turned(place.promoted), holders=(black, white), marked=all_turned(place.marked),
            checks=(place.checks[1], place.checks[0])))

    def mirror(self) -> Self:
        """A copy with the sides swapped."""
        board = self.copy(stack=False)
        board.apply_mirror()
        return board

    def apply_transform(self, f: Callable[[chess.Bitboard], chess.Bitboard]) -> NoReturn:
        """Not implemented: other symmetries than mirror() have no meaning for every board and every piece."""
        self._refused("transformations but mirror()")

    def transform(self, f: Callable[[chess.Bitboard], chess.Bitboard]) -> NoReturn:
        """Not implemented, as apply_transform()."""
        self.apply_transform(f)

    def set_chess960_pos(self, scharnagl: int) -> NoReturn:
        """Not implemented: the numbers are of orthodox chess."""
        self._refused("numbered start positions")

    def chess960_pos(self, **options: Any) -> None:
        """None: the numbers are of orthodox chess."""

    # Writing down

    def fen(self, *, shredder: bool = False, en_passant: chess.EnPassantSpec = "legal", promoted: bool | None = None) -> str:
        """The position as the engine writes it, too."""
        fields = write_fen(self.rules, self.place, self.has_legal_en_passant()).split()
        if shredder:
            fields[2] = self.castling_shredder_fen()
        return " ".join(fields)

    def shredder_fen(self, *, en_passant: chess.EnPassantSpec = "legal", promoted: bool | None = None) -> str:
        """The FEN that names castling partners by their files."""
        return self.fen(shredder=True)

    def epd(
        self, *, shredder: bool = False, en_passant: chess.EnPassantSpec = "legal", promoted: bool | None = None,
        **operations: Operand
    ) -> str:
        """The FEN without clocks, and the operations."""
        fields = self.fen(shredder=shredder).split()
        words = [*fields[:4], *fields[6:]]
        return " ".join([*words, self._epd_operations(operations)] if operations else words)

    def board_fen(self, *, promoted: bool | None = False) -> str:
        """The pieces as the first field of a FEN."""
        return write_fen(self.rules, self.place, False).split()[0].partition("[")[0]

    def castling_xfen(self) -> str:
        """The third field of the FEN."""
        return write_fen(self.rules, self.place, False).split()[2]

    def castling_shredder_fen(self) -> str:
        """The same with partners named by their files."""
        letters = [FILES[square % 8].upper() if square in home(self.rules, WHITE) else FILES[square % 8]
                   for side in SIDES for square in sorted(self.place.rights, reverse=True) if square in home(self.rules, side)]
        return "".join(letters) or "-"

    def set_castling_fen(self, castling_fen: str) -> None:
        """Set the rights to castle as the third field of a FEN does. Raises ValueError."""
        fields = self.fen().split()
        place = self._read(" ".join([*fields[:2], castling_fen, *fields[3:]]))
        self.clear_stack()
        self.place = replace(self.place, rights=place.rights)

    def clean_castling_rights(self) -> chess.Bitboard:
        """The partners that may still castle."""
        return self.castling_rights

    def _castles(self, color: chess.Color, east: bool) -> bool:
        side = WHITE if color else BLACK
        kings = [square for square in self.place.of(side, "K") if square in home(self.rules, side)]
        return any((square > kings[0]) == east for square in self.place.rights if kings and square in home(self.rules, side))

    def has_kingside_castling_rights(self, color: chess.Color) -> bool:
        """Whether a side may still castle to the right of its king."""
        return self._castles(color, True)

    def has_queenside_castling_rights(self, color: chess.Color) -> bool:
        """Whether a side may still castle to the left of its king."""
        return self._castles(color, False)

    def has_castling_rights(self, color: chess.Color) -> bool:
        """Whether a side may still castle."""
        return self._castles(color, True) or self._castles(color, False)

    def has_chess960_castling_rights(self) -> bool:
        """Whether castling is written as in Chess960; _move() sees itself where it must be king takes partner."""
        return self.chess960

    def has_legal_en_passant(self) -> bool:
        """Whether a pawn may capture in passing."""
        return self.place.passed is not None and any(deed.kind == "passing" for deed in self.play.legal(self.place))

    has_pseudo_legal_en_passant = has_legal_en_passant

    def piece_at(self, square: chess.Square) -> chess.Piece | None:
        """The piece on a square, if python-chess knows its type."""
        letter = self.place.pieces.get(square)
        return chess.Piece.from_symbol(letter) if letter and letter.lower() in MASKS else None

    def piece_type_at(self, square: chess.Square) -> chess.PieceType | None:
        """The type of the piece on a square, if python-chess knows it."""
        piece = self.piece_at(square)
        return piece.piece_type if piece else None

    def color_at(self, square: chess.Square) -> chess.Color | None:
        """Whose piece is on a square."""
        letter = self.place.pieces.get(square)
        return side_of(letter) == WHITE if letter else None

    def piece_map(self, *, mask: chess.Bitboard = chess.BB_ALL) -> dict[chess.Square, chess.Piece]:
        """The pieces of the types that python-chess knows."""
        return {square: piece for square in self.place.pieces if mask >> square & 1 and (piece := self.piece_at(square))}

    # Drawings

    def standing(self) -> dict[chess.Square, str]:
        """Letters of all pieces, capitals for White."""
        return self.place.pieces

    def shape(self) -> tuple[int, int]:
        """Files and ranks."""
        return self.rules.files, self.rules.ranks

    def titled(self) -> chess.Bitboard:
        """Royal pieces that are not kings."""
        return mask_of(square for square in self.place.holders if square is not None and self.place.pieces[square] not in "Kk")

    def checked_square(self) -> chess.Square | None:
        """The square on which to show that the side to move is in check."""
        royals = self.play.royals(self.place, self.place.turn)
        return royals[0] if royals else None

    def __str__(self) -> str:
        rows = [" ".join(self.place.pieces.get(8 * rank + file, ".") for file in range(self.rules.files))
                for rank in reversed(range(self.rules.ranks))]
        return "\n".join(rows)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.fen()!r})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, PlacedBoard) and self.fen() == other.fen()

    __hash__ = None  # type: ignore[assignment]
