"""What the Boards of the odd games share: moves that name a king, a FEN with a seventh field, endings told with a reason.

Nothing here knows a game. A game's Board is a subclass of StatefulBoard that fills in the hooks it needs.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Self

import chess
import chess.pgn
import chess.svg
import chess.variant

STARTPOS = "startpos"  # StatefulBoard() and StatefulBoard("startpos") are the array of the class
TITLE_COLOR = "#c8a000"  # the ring around a royal piece that is no king

Operand = None | str | int | float | chess.Move | Iterable[chess.Move]  # of an operation in EPD

TERMINATIONS = {
    "checkmate": chess.Termination.CHECKMATE,
    "stalemate": chess.Termination.STALEMATE,
    "repetition": chess.Termination.THREEFOLD_REPETITION,
    "50 moves": chess.Termination.FIFTY_MOVES,
}


@dataclasses.dataclass(unsafe_hash=True, repr=False)
class NamingMove(chess.Move):
    """A move that names a king: `K@d1` alone, or `K@a8,e7e5` when an ordinary move follows in the same turn.

    Alone, both squares of the move are the named one. Never equal to a plain chess.Move, and never a null move.
    """

    named: chess.Square = dataclasses.field(kw_only=True)

    @classmethod
    def naming(cls, square: chess.Square) -> Self:
        """The move that names the man on `square` and does nothing else."""
        return cls(square, square, named=square)

    @classmethod
    def before(cls, move: chess.Move, square: chess.Square) -> Self:
        """The ordinary `move`, preceded by naming the man on `square`."""
        return cls(move.from_square, move.to_square, move.promotion, named=square)

    def plain(self) -> chess.Move:
        """The ordinary move that follows the naming; the null move where none does."""
        if self.from_square == self.to_square:
            return chess.Move.null()
        return chess.Move(self.from_square, self.to_square, self.promotion)

    def uci(self) -> str:
        name = f"K@{chess.square_name(self.named)}"
        return f"{name},{self.plain().uci()}" if self.plain() else name

    def __bool__(self) -> bool:
        return True  # K@a1 has both squares zero, yet it is a move

    def __repr__(self) -> str:
        return f"NamingMove.from_uci({self.uci()!r})"

    @classmethod
    def from_uci(cls, uci: str) -> Self:
        """Reads `K@d1` and `K@a8,e7e5`, in either case of letters. Raises chess.InvalidMoveError."""
        match = re.fullmatch(r"k@([a-h][1-8])(?:,(\w+))?", uci.lower())
        if match is None:
            raise chess.InvalidMoveError(f"a king is named as in 'K@d1' or 'K@a8,e7e5', not {uci!r}")
        square = chess.parse_square(match[1])
        if match[2] is None:
            return cls.naming(square)
        move = chess.Move.from_uci(match[2])
        if not move:
            raise chess.InvalidMoveError(f"no null move after the naming of a king: {uci!r}")
        return cls.before(move, square)


def parse_uci_move(text: str) -> chess.Move:
    """Reads a move in any form the rules sheet has: `e2e4`, `e7e8q`, `K@d1`, `d1d1` for the same, `K@a8,e7e5`, `0000`.

    Letters may come in either case: python-chess turns what an engine answers to lower case.
    Raises chess.InvalidMoveError.
    """
    text = text.lower()
    if text.startswith("k@"):
        return NamingMove.from_uci(text)
    if len(text) == 4 and text[:2] == text[2:] and text[:2] in chess.SQUARE_NAMES:
        return NamingMove.naming(chess.parse_square(text[:2]))
    return chess.Move.from_uci(text)


def _split_off(pattern: str, text: str) -> tuple[str, str]:
    """What a text begins with, if that matches as whole words, and what follows."""
    match = re.match(rf"({pattern})(?:\s+|$)", text)
    return (match[1], text[match.end():]) if match else ("", text)


def describe(color: chess.Color) -> str:
    return "White" if color else "Black"


def square_list(mask: chess.Bitboard) -> str:
    return ", ".join(map(chess.square_name, chess.scan_forward(mask)))


class StatefulBoard(chess.Board):
    """A chess.Board with a state beyond six FEN fields, with draws that need no claim, and with a reason for every end.

    `state` is immutable and hashable (None where a game needs none); push saves it, pop restores it, repetition counts it.
    A game overrides the hooks below, `push` (to change `state`) and the move generation.
    """

    tbw_suffix = None
    tbz_suffix = None
    tbw_magic = None
    tbz_magic = None

    castles: ClassVar[bool] = True
    """Whether there is castling at all."""

    has_seventh_field: ClassVar[bool] = False
    """Whether the FEN has a seventh field."""

    seventh_pattern: ClassVar[str] = ""
    """What that field looks like, a regular expression: EPD may have it or not, and operations follow."""

    empty_state: ClassVar[Hashable] = None
    """The state of a board without men."""

    state: Hashable

    def __init__(self, fen: str | None = STARTPOS, *, chess960: bool = False) -> None:
        self.state = type(self).empty_state
        self._state_stack: list[Hashable] = []
        super().__init__(None, chess960=chess960)
        if fen is not None:
            self.set_fen(type(self).starting_fen if fen == STARTPOS else fen)

    # Hooks of the games.

    def default_state(self) -> Hashable:
        """The state a FEN without seventh field means; the six others are set. May raise ValueError."""
        return type(self).empty_state

    def seventh_field(self) -> str:
        """The state as the FEN's seventh field."""
        return "-"

    def set_seventh_field(self, text: str) -> None:
        """Sets `state` from the seventh field; the six others are set. Raises ValueError saying which part is wrong."""
        raise ValueError(f"{type(self).uci_variant} has no seventh field: {text!r}")

    def check_setup(self) -> None:
        """Raises ValueError, naming field and reason, where the men of a FEN cannot be those of this game."""
        for color in chess.COLORS:
            self.check_kings(color)
            self.check_pawns(color)

    def rule_end(self) -> tuple[str, chess.Color | None] | None:
        """Reason and winner where a rule of the game ends it whatever moves there might be; a draw has no winner."""
        return None

    def mate_verdict(self) -> tuple[str, chess.Color | None]:
        """Reason and winner where the side to move is in check and has no legal move."""
        return "checkmate", not self.turn

    def name_king(self, square: chess.Square) -> None:
        """Carries out the naming part of a NamingMove of the side to move, before the turn passes."""
        raise ValueError(f"no king is ever named in {type(self).uci_variant}")

    def titled(self) -> chess.Bitboard:
        """Royal pieces that are no kings: a drawing marks them."""
        return chess.BB_EMPTY

    def checked_square(self) -> chess.Square | None:
        """Where a drawing shows the check that the side to move is in."""
        return self.king(self.turn)

    def transform_state(self, f: Callable[[chess.Bitboard], chess.Bitboard]) -> None:
        """Applies a change of the board's geometry to `state`."""

    def swap_state(self) -> None:
        """Changes the sides in `state`."""

    def promotion_squares(self, color: chess.Color) -> chess.Bitboard:
        """Where a pawn of `color` promotes."""
        return chess.BB_RANK_8 if color else chess.BB_RANK_1

    def forbidden_to_pawns(self, color: chess.Color) -> chess.Bitboard:
        """Where no pawn of `color` can stand."""
        return chess.BB_BACKRANKS

    # Setting up.

    def check_kings(self, color: chess.Color) -> None:
        kings = self.kings & self.occupied_co[color]
        if not kings:
            raise ValueError(f"piece placement: {describe(color)} has no king")
        if chess.popcount(kings) > 1:
            raise ValueError(f"piece placement: {describe(color)} has more than one king ({square_list(kings)})")

    def check_pawns(self, color: chess.Color) -> None:
        wrong = self.pawns & self.occupied_co[color] & self.forbidden_to_pawns(color)
        if wrong:
            raise ValueError(f"piece placement: {describe(color)} can have no pawn on {square_list(wrong)}")

    def reset(self) -> None:
        self.set_fen(type(self).starting_fen)

    def _reset_board(self) -> None:
        self._set_board_fen(type(self).starting_fen.split()[0])

    def reset_board(self) -> None:
        super().reset_board()
        self.state = self.default_state()

    def clear_board(self) -> None:
        super().clear_board()
        self.state = type(self).empty_state

    def clear_stack(self) -> None:
        super().clear_stack()
        self._state_stack.clear()

    def set_fen(self, fen: str) -> None:
        """Reads a FEN of six fields, or seven where the game has a seventh; fields left out take their defaults.

        Raises ValueError saying which field is wrong and why; the board is then as before.
        """
        fields = fen.split()
        seventh = fields.pop() if self.has_seventh_field and len(fields) == 7 else None
        before = self.copy()
        try:
            super().set_fen(" ".join(fields))
            self.promoted &= ~self.kings  # for python-chess a promoted king would be none
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
        four = super().epd(shredder=shredder, en_passant=en_passant, promoted=promoted)
        fen = f"{four} {self.halfmove_clock} {self.fullmove_number}"
        return f"{fen} {self.seventh_field()}" if self.has_seventh_field else fen

    def epd(
        self, *, shredder: bool = False, en_passant: chess.EnPassantSpec = "legal", promoted: bool | None = None,
        **operations: Operand
    ) -> str:
        """As python-chess writes it, with the FEN's seventh field, if the game has one, before the operations."""
        fields = [super().epd(shredder=shredder, en_passant=en_passant, promoted=promoted)]
        if self.has_seventh_field:
            fields.append(self.seventh_field())
        if operations:
            fields.append(self._epd_operations(operations))
        return " ".join(fields)

    def set_epd(self, epd: str) -> dict[str, str | int | float | chess.Move | list[chess.Move] | None]:
        """Reads what epd() writes, and a FEN with or without operations; returns those.

        Clocks come from a FEN's fields or the operations hmvc and fmvn, else they are 0 and 1; a seventh field that is left out
        takes its default. Raises ValueError saying what is wrong; the board is then as before.
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

    def shredder_fen(self, *, en_passant: chess.EnPassantSpec = "legal", promoted: bool | None = None) -> str:
        return self.fen(shredder=True, en_passant=en_passant, promoted=promoted)

    # The state follows the moves and the copies.

    def push(self, move: chess.Move) -> None:
        """Makes a move; one that names a king does that first. A subclass that changes `state` does so after this."""
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
        move = super().pop()
        self.state = self._state_stack.pop()
        return move

    def copy(self, *, stack: bool | int = True) -> Self:
        board = super().copy(stack=stack)
        board.state = self.state
        if stack:
            board._state_stack = self._state_stack[-len(board.move_stack):] if board.move_stack else []
        return board

    def root(self) -> Self:
        board = super().root()
        if self._state_stack:
            board.state = self._state_stack[0]
        return board

    def apply_transform(self, f: Callable[[chess.Bitboard], chess.Bitboard]) -> None:
        super().apply_transform(f)
        self.transform_state(f)

    def apply_mirror(self) -> None:
        super().apply_mirror()
        self.swap_state()

    def _transposition_key(self) -> Hashable:
        return super()._transposition_key(), self.state

    # Moves.

    def generate_pseudo_legal_ep(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """A FEN may name an en passant square that no pawn has passed; nothing is captured there."""
        if self._valid_ep_square() is not None:
            yield from super().generate_pseudo_legal_ep(from_mask, to_mask)

    def clean_castling_rights(self) -> chess.Bitboard:
        return super().clean_castling_rights() if self.castles else chess.BB_EMPTY

    def is_castling(self, move: chess.Move) -> bool:
        return self.castles and not isinstance(move, NamingMove) and super().is_castling(move)

    def _to_chess960(self, move: chess.Move) -> chess.Move:
        """Without castling e1g1 is what it says, and a naming is no king's move."""
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

    def uci(self, move: chess.Move, *, chess960: bool | None = None) -> str:
        return move.uci() if isinstance(move, NamingMove) else super().uci(move, chess960=chess960)

    def parse_uci(self, uci: str) -> chess.Move:
        """Reads a legal move, or the null move, in any form the rules sheet has. Raises ValueError as python-chess does."""
        return self.legal_or_null(parse_uci_move(uci), uci)

    def legal_or_null(self, move: chess.Move, text: str) -> chess.Move:
        """The move in this board's own form. Raises chess.IllegalMoveError naming the text it came from."""
        if move and not isinstance(move, NamingMove):
            move = self._to_chess960(move)
            move = self._from_chess960(self.chess960, move.from_square, move.to_square, move.promotion, move.drop)
        if move and not self.is_legal(move):
            raise chess.IllegalMoveError(f"illegal move: {text!r} in {self.fen()}")
        return move

    def king_is_safe_after(self, move: chess.Move) -> bool:
        """Whether the mover's own king is unattacked after an ordinary pseudo-legal move; without a king, always.

        The men stay where they are: only the squares that the move empties and fills are looked at anew.
        """
        king = self.king(self.turn)
        if king is None:
            return True
        from_bb, to_bb = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
        captured = to_bb
        if self.is_en_passant(move):
            captured = chess.BB_SQUARES[move.to_square + (-8 if self.turn else 8)]
        occupied = self.occupied & ~from_bb & ~captured | to_bb
        square = move.to_square if move.from_square == king else king
        return not self.attackers_mask(not self.turn, square, occupied) & ~captured

    # The end of the game.

    def ending(self) -> tuple[str, chess.Color | None] | None:
        """Reason and winner if the game is over. Repetition and the 50-move rule need no claim."""
        end = self.rule_end()
        if end is not None:
            return end
        if not any(self.generate_legal_moves()):
            return self.mate_verdict() if self.is_check() else ("stalemate", None)
        if self.is_repetition(3):
            return "repetition", None
        return ("50 moves", None) if self.halfmove_clock >= 100 else None

    def end_reason(self) -> str | None:
        """Why the game is over: `checkmate`, `stalemate`, `repetition`, `50 moves` or what the game's own rule is called."""
        end = self.ending()
        return end[0] if end else None

    def outcome(self, *, claim_draw: bool = False) -> chess.Outcome | None:
        end = self.ending()
        if end is None:
            return None
        reason, winner = end
        if reason in TERMINATIONS:
            return chess.Outcome(TERMINATIONS[reason], winner)
        if winner is None:
            return chess.Outcome(chess.Termination.VARIANT_DRAW, None)
        won = winner == self.turn
        return chess.Outcome(chess.Termination.VARIANT_WIN if won else chess.Termination.VARIANT_LOSS, winner)

    def is_variant_end(self) -> bool:
        return self.rule_end() is not None

    def is_variant_win(self) -> bool:
        end = self.rule_end()
        return end is not None and end[1] == self.turn

    def is_variant_loss(self) -> bool:
        end = self.rule_end()
        return end is not None and end[1] == (not self.turn)

    def is_variant_draw(self) -> bool:
        end = self.rule_end()
        if end is None and self.mate_verdict()[1] is None and self._is_mated():
            end = self.mate_verdict()
        return end is not None and end[1] is None

    def is_checkmate(self) -> bool:
        """Whether the side to move is mated and has lost by it."""
        return self.mate_verdict()[0] == "checkmate" and self._is_mated()

    def _is_mated(self) -> bool:
        return self.rule_end() is None and self.is_check() and not any(self.generate_legal_moves())

    def has_insufficient_material(self, color: chess.Color) -> bool:
        return False  # the dead positions of FIDE chess are none here

    def is_repetition(self, count: int = 3) -> bool:
        # A position cannot come back in less than four plies: spare the replay of the game.
        return self.halfmove_clock >= 4 * (count - 1) and super().is_repetition(count)

    def status(self) -> chess.Status:
        status = super().status() & ~chess.STATUS_PAWNS_ON_BACKRANK
        if any(self.pawns & self.occupied_co[color] & self.forbidden_to_pawns(color) for color in chess.COLORS):
            status |= chess.STATUS_PAWNS_ON_BACKRANK
        return status

    def _repr_svg_(self) -> str:
        return svg(self, size=390)


def svg(board: chess.Board, **options: Any) -> str:
    """chess.svg.board with a ring around each royal piece that is no king, the last move and a check marked."""
    arrows = list(options.pop("arrows", ()))
    if isinstance(board, StatefulBoard):
        arrows += [chess.svg.Arrow(square, square, color=TITLE_COLOR) for square in chess.scan_forward(board.titled())]
    if board.move_stack:
        options.setdefault("lastmove", board.peek())
    if board.is_check():
        options.setdefault("check", board.checked_square() if isinstance(board, StatefulBoard) else board.king(board.turn))
    return chess.svg.board(board, arrows=arrows, **options)


# What chess.pgn takes for a move lacks four forms: a berse's move, a promotion to one, a move after a naming, and the naming
# that tells whom it dismisses, `Qd1++(Ke1--)`. They are put before what it knows; no such text is a move of any other game, so
# reading those does not change.
_MAN = r"[NBRQKJ]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[nbrqkjNBRQKJ])?"
_EXTRA_MOVETEXT = (
    r"[NBRQK][a-h][1-8]\+\+\([NBRQK][a-h][1-8]--\)|"
    rf"K@[a-h][1-8],(?:{_MAN}|O-O(?:-O)?|0-0(?:-0)?)|J[a-h]?[1-8]?[-x]?[a-h][1-8]|(?:[a-h]x?)?[a-h][18]=?[jJ]"
)


def register(board: type[chess.Board]) -> None:
    """Make a Board known to chess.variant.find_variant, and its moves to chess.pgn; harmless when repeated."""
    known = chess.variant.VARIANTS
    known[:] = [other for other in known if other.uci_variant != board.uci_variant] + [board]
    regex = chess.pgn.MOVETEXT_REGEX
    if not regex.pattern.startswith(_EXTRA_MOVETEXT):
        chess.pgn.MOVETEXT_REGEX = re.compile(f"{_EXTRA_MOVETEXT}|{regex.pattern}", regex.flags)
