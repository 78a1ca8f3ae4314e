"""Setting up a position and writing it down: FEN and EPD with a seventh field, and what may stand on the board."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from typing import ClassVar

import chess

STARTPOS = "startpos"  # SetupBoard() and SetupBoard("startpos") are the start position of the class

Operand = None | str | int | float | chess.Move | Iterable[chess.Move]  # of an operation in EPD


def side_name(color: chess.Color) -> str:
    """`White` or `Black`."""
    return "White" if color else "Black"


def _square_list(mask: chess.Bitboard) -> str:
    return ", ".join(map(chess.square_name, chess.scan_forward(mask)))


def _split_off(pattern: str, text: str) -> tuple[str, str]:
    """The start of a text, if it matches as whole words, and the rest."""
    match = re.match(rf"({pattern})(?:\s+|$)", text)
    return (match[1], text[match.end():]) if match else ("", text)


class SetupBoard(chess.Board):
    """A chess.Board with a state beyond the six fields of a FEN; the seventh field writes it."""

    castles: ClassVar[bool] = True
    """Whether the game has castling."""

    has_seventh_field: ClassVar[bool] = False
    """Whether the FEN has a seventh field."""

    seventh_pattern: ClassVar[str] = ""
    """That field as a regular expression: in EPD it may be absent, and operations follow."""

    empty_state: ClassVar[Hashable] = None
    """The state of a board without pieces."""

    state: Hashable
    """Immutable; None in games that need no state."""

    def __init__(self, fen: str | None = STARTPOS, *, chess960: bool = False) -> None:
        self.state = type(self).empty_state
        super().__init__(None, chess960=chess960)
        if fen is not None:
            self.set_fen(type(self).starting_fen if fen == STARTPOS else fen)

    # Hooks of the mechanisms.

    def default_state(self) -> Hashable:
        """The state if a FEN has no seventh field; the six others are set. May raise ValueError."""
        return type(self).empty_state

    def seventh_field(self) -> str:
        """The state as the seventh field of the FEN."""
        return "-"

    def set_seventh_field(self, text: str) -> None:
        """Set `state` from the seventh field; the six others are set. Raises ValueError naming the part that is wrong."""
        raise ValueError(f"{type(self).uci_variant} has no seventh field: {text!r}")

    def forbidden_to_pawns(self, color: chess.Color) -> chess.Bitboard:
        """The squares on which no pawn of `color` can stand."""
        return chess.BB_BACKRANKS

    def check_setup(self) -> None:
        """Raise ValueError, naming field and reason, if a position of this game cannot have these pieces."""
        for color in chess.COLORS:
            self.check_kings(color)
            self.check_pawns(color)

    def check_kings(self, color: chess.Color) -> None:
        """Raise ValueError unless a side has exactly one king."""
        kings = self.kings & self.occupied_co[color]
        if not kings:
            raise ValueError(f"piece placement: {side_name(color)} has no king")
        if chess.popcount(kings) > 1:
            raise ValueError(f"piece placement: {side_name(color)} has more than one king ({_square_list(kings)})")

    def check_pawns(self, color: chess.Color) -> None:
        """Raise ValueError if a side has a pawn on a square where none can stand."""
        wrong = self.pawns & self.occupied_co[color] & self.forbidden_to_pawns(color)
        if wrong:
            raise ValueError(f"piece placement: {side_name(color)} can have no pawn on {_square_list(wrong)}")

    def status(self) -> chess.Status:
        """What is wrong with the position, in python-chess's words."""
        status = super().status() & ~chess.STATUS_PAWNS_ON_BACKRANK
        if any(self.pawns & self.occupied_co[color] & self.forbidden_to_pawns(color) for color in chess.COLORS):
            status |= chess.STATUS_PAWNS_ON_BACKRANK
        return status

    # Start position and empty board.

    def reset(self) -> None:
        """Back to the start position."""
        self.set_fen(type(self).starting_fen)

    def _reset_board(self) -> None:
        self._set_board_fen(type(self).starting_fen.split()[0])

    def reset_board(self) -> None:
        """Put the pieces of the start position on the board."""
        super().reset_board()
        self.state = self.default_state()

    def clear_board(self) -> None:
        """Remove all pieces."""
        super().clear_board()
        self.state = type(self).empty_state

    # FEN.

    def set_fen(self, fen: str) -> None:
        """Read a FEN of six fields, or seven if the game has a seventh; fields left out take their defaults.

        Raises ValueError saying which field is wrong and why; the board is then as before.
        """
        fields = fen.split()
        seventh = fields.pop() if self.has_seventh_field and len(fields) == 7 else None
        before = self.copy()
        try:
            super().set_fen(" ".join(fields))
            self.promoted &= ~self.kings  # python-chess does not take a promoted king for a king
            if not self.castles:
                self.castling_rights = chess.BB_EMPTY
            elif self.has_chess960_castling_rights():
                self.chess960 = True
            self.check_setup()
            if seventh is None:
                self.state = self.default_state()
            else:
                self.set_seventh_field(seventh)
        except ValueError:
            self.__dict__.update(before.__dict__)
            raise

    def fen(
        self, *, shredder: bool = False, en_passant: chess.EnPassantSpec = "legal", promoted: bool | None = None
    ) -> str:
        """The position as a FEN, with the seventh field if the game has one."""
        four = super().epd(shredder=shredder, en_passant=en_passant, promoted=promoted)
        fen = f"{four} {self.halfmove_clock} {self.fullmove_number}"
        return f"{fen} {self.seventh_field()}" if self.has_seventh_field else fen

    def shredder_fen(self, *, en_passant: chess.EnPassantSpec = "legal", promoted: bool | None = None) -> str:
        """The position as a FEN that names castling rooks by their files."""
        return self.fen(shredder=True, en_passant=en_passant, promoted=promoted)

    # EPD.

    def epd(
        self, *, shredder: bool = False, en_passant: chess.EnPassantSpec = "legal", promoted: bool | None = None,
        **operations: Operand
    ) -> str:
        """As python-chess writes it, with the seventh field, if the game has one, before the operations."""
        fields = [super().epd(shredder=shredder, en_passant=en_passant, promoted=promoted)]
        if self.has_seventh_field:
            fields.append(self.seventh_field())
        if operations:
            fields.append(self._epd_operations(operations))
        return " ".join(fields)

    def set_epd(self, epd: str) -> dict[str, str | int | float | chess.Move | list[chess.Move] | None]:
        """Read what epd() writes, or a FEN with or without operations; returns the operations.

        Clocks come from the fields of a FEN or from the operations hmvc and fmvn, otherwise they are 0 and 1; a missing seventh
        field takes its default. Raises ValueError saying what is wrong; the board is then as before.
        """
        four, rest = epd.strip().rstrip(";").split(None, 4), ""
        if len(four) > 4:
            rest = four.pop()
        clocks, rest = _split_off(r"\d+\s+\d+", rest)
        seventh, rest = _split_off(self.seventh_pattern, rest) if self.has_seventh_field else ("", rest)
        opcode = rest.partition(";")[0].split()[:1]
        if opcode and not re.fullmatch(r"-|[A-Za-z]\w*", opcode[0]):
            raise ValueError(f"{opcode[0]!r} is neither a field nor an operation: {epd!r}")

        def fen(operations: Mapping[str, object]) -> str:
            given = clocks or "0 1"
            half, full = (operations.get(name, field) for name, field in zip(("hmvc", "fmvn"), given.split(), strict=True))
            return " ".join([*four, *(["w", "-", "-"][len(four) - 1:]), str(half), str(full), seventh]).strip()

        operations = self._parse_epd_ops(rest, lambda: type(self)(fen({}), chess960=self.chess960)) if rest else {}
        self.set_fen(fen(operations))
        return operations
