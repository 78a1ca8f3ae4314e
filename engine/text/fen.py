"""Positions as text: FEN with a seventh field, and a board to look at."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.core.bits import bitboard, squares
from engine.core.legality import in_check_kernel, settle_kernel
from engine.core.mechanisms.succession import crown_kernel
from engine.core.position import Position
from engine.errors import FenError
from engine.rules import BLACK, CASTLING, CLOCK, EP, PLY, ROYAL, TURN, TYPES, WHITE, Rules
from engine.rules.geometry import STRIDE, WORD
from engine.rules.words import HAND_BITS
from engine.squares import FILES, parse_square, square_name
from engine.text.seventh import SIDES, read_seventh, write_seventh

MAX_CLOCK, MAX_MOVE_NUMBER = 10_000, 100_000  # more is neither read nor written


def parse_fen(rules: Rules, fen: str) -> Position:
    """Read a FEN. Missing fields have their defaults, castling rights without king and rook in place are ignored.

    Returns: a new position, uint64[words], layout in engine/core/position.py.
    Raises: FenError with field and text.
    Source: PGN standard 16.1.3, X-FEN and Shredder-FEN for the castling field.
    >>> from variants import find
    >>> to_fen(find("atomic"), parse_fen(find("atomic"), "4k3/8/8/8/8/8/8/4K3 w"))
    '4k3/8/8/8/8/8/8/4K3 w - - 0 1'
    """
    pos = _read(rules, fen)
    _check_turn(rules, pos)
    settle_kernel(rules, pos)
    return pos


def start_position(rules: Rules) -> Position:
    """The start position with key 0, which is enough for counting: nothing is compiled."""
    return _read(rules, rules.start_fen)


def _read(rules: Rules, fen: str) -> Position:
    if len(fen) > 400:
        raise FenError(f"FEN of {len(fen)} characters: {fen[:40]!r}...")
    given = fen.split()
    if not given:
        raise FenError("FEN is empty")
    if len(given) > 7:
        raise FenError(f"FEN has {len(given)} fields, seven at most: {given[7]!r}")
    seventh = given.pop(4 if "+" in given[4] else 6) if len(given) == 7 else None
    board, turn, castling, passed, clock, number = given + ["w", "-", "-", "0", "1"][len(given) - 1:]
    pos = np.zeros(rules.traits.words, np.uint64)
    _read_board(rules, pos, _read_hands(rules, pos, board))
    if turn not in ("w", "b"):
        raise FenError(f"side to move {turn!r} is neither w nor b")
    pos[TURN] = turn == "b"
    _read_castling(rules, pos, castling)
    _read_en_passant(rules, pos, passed)
    pos[CLOCK] = _number("half-move clock", clock, MAX_CLOCK)
    pos[PLY] = 2 * (max(1, _number("move number", number, MAX_MOVE_NUMBER)) - 1) + int(pos[TURN])
    _check_pieces(rules, pos)
    read_seventh(rules, pos, seventh)
    return pos


def _number(what: str, text: str, most: int) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 8 or int(text) > most:
        raise FenError(f"{what} {text!r} is not an integer from 0 to {most}")
    return int(text)


def _read_board(rules: Rules, pos: Position, text: str) -> None:
    geometry = rules.traits.geometry
    ranks = text.split("/")
    if len(ranks) != geometry.ranks:
        plural = "" if len(ranks) == 1 else "s"
        raise FenError(f"the board has {len(ranks)} rank{plural} instead of {geometry.ranks}: {text!r}")
    for rank, row in enumerate(reversed(ranks)):
        file = 0
        for before, letter in zip(" " + row, row, strict=False):
            if letter == "~":  # the piece before came from promotion
                if not _may_be_promoted(rules, before):
                    raise FenError(f"rank {rank + 1} has '~' behind no piece that comes from promotion: {row!r}")
                if rules.drops and file <= geometry.files:
                    pos[ROYAL] |= np.uint64(1 << (rank * STRIDE + file - 1))
                continue
            if letter in "12345678":
                file += int(letter)
                continue
            index = _type_of(rules, letter)
            if index is None:
                raise FenError(f"rank {rank + 1} has an unknown piece {letter!r}: {row!r}")
            if file < geometry.files:
                bit = np.uint64(1 << (rank * STRIDE + file))
                pos[WHITE if letter.isupper() else BLACK] |= bit
                pos[TYPES + index] |= bit
            file += 1
        if file != geometry.files:
            raise FenError(f"rank {rank + 1} has {file} files: {row!r}")


def _read_hands(rules: Rules, pos: Position, text: str) -> str:
    """Set the pieces in hand, written behind the board in brackets or as one rank more; returns the board."""
    traits = rules.traits
    if not traits.drops:
        return text
    board, bracket, hands = text.partition("[")
    if bracket and not hands.endswith("]"):
        raise FenError(f"pieces in hand {'[' + hands!r} do not end in ']'")
    if not bracket and text.count("/") == traits.geometry.ranks:
        board, _, hands = text.rpartition("/")
    for letter in hands.rstrip("]-"):
        index = _type_of(rules, letter)
        if index is None or (index and traits.pieces[index - 1].royal):
            raise FenError(f"no {letter!r} can be in hand: {hands!r}")
        word = traits.hand_words[0 if letter.isupper() else 1]
        if hands.count(letter) >= 1 << HAND_BITS:
            raise FenError(f"more than {(1 << HAND_BITS) - 1} {letter!r} in hand")
        pos[word] += np.uint64(1 << index * HAND_BITS)
    return board


def hand_of(rules: Rules, pos: Position, colour: int) -> str:
    """The pieces a side has in hand, capitals: types other than Q R B N P as declared, then those in this order; maybe none."""
    if not rules.drops:
        return ""
    word = int(pos[rules.traits.hand_words[colour]])
    order = sorted(range(len(rules.letters)), key=lambda index: ("QRBNP".find(rules.letters[index]), index))
    return "".join(rules.letters[index] * (word >> index * HAND_BITS & (1 << HAND_BITS) - 1) for index in order)


def _type_of(rules: Rules, letter: str) -> int | None:
    """The number of the piece type of a letter; None if there is none."""
    name = rules.letter_aliases.get(letter.upper(), letter.upper())
    index = rules.letters.find(name) if letter.isascii() else -1
    return None if index < 0 or (index == 0 and rules.pawn is None) else index


def _may_be_promoted(rules: Rules, letter: str) -> bool:
    """Whether a letter is that of a piece other than a pawn or a royal one."""
    index = _type_of(rules, letter) or 0
    return index > 0 and not rules.traits.pieces[index - 1].royal


def _read_castling(rules: Rules, pos: Position, text: str) -> None:
    if text == "-":
        return
    traits = rules.traits
    for letter in text:
        if letter.upper() not in "KQABCDEFGH" or len(text) > 4:
            raise FenError(f"castling rights {text!r} are not made of KQkq or rook files")
        if traits.king is None or traits.rooks is None or not traits.castling:
            continue
        colour = 0 if letter.isupper() else 1
        own = int(pos[WHITE + colour]) & int(traits.geometry.first_rank[colour])
        kings = list(squares(int(pos[traits.king.word]) & own))
        if len(kings) == 1:
            rooks = list(squares(int(pos[traits.rooks[colour].word]) & own))
            pos[CASTLING] |= np.uint64(bitboard(_castling_rooks(letter.upper(), kings[0], rooks)))


def _castling_rooks(letter: str, king: int, rooks: list[int]) -> list[int]:
    """The rook that a castling right names, among those on the king's rank, from the a file; empty if it is not there."""
    if letter == "K":
        return [rook for rook in rooks if rook > king][-1:]
    if letter == "Q":
        return [rook for rook in rooks if rook < king][:1]
    return [rook for rook in rooks if rook % STRIDE == "ABCDEFGH".index(letter)]


def _read_en_passant(rules: Rules, pos: Position, text: str) -> None:
    """Set the square if the board allows it: an enemy pawn stands just beyond, the square and the pawn's start are empty.

    Nor may that start be one from which a double step passes no square.
    """
    if text == "-":
        return
    square = parse_square(text)
    if square is None:
        raise FenError(f"en passant square {text!r} is not a square")
    pawn = rules.traits.pawn
    if pawn is None or not pawn.doubles:
        return
    us = int(pos[TURN])
    shift = int(pawn.steps[0].shift[us ^ 1])
    start, landed = (square - shift) % WORD, (square + shift) % WORD
    occupied = int(pos[WHITE] | pos[BLACK])
    theirs = int(pos[WHITE + (us ^ 1)] & pos[TYPES])
    starts = int(pawn.double[us ^ 1]) & ~(0 if pawn.unpassed is None else int(pawn.unpassed[us ^ 1]))
    if starts >> start & 1 and theirs >> landed & 1 and not (occupied >> start | occupied >> square) & 1:
        pos[EP] = np.uint64(1 << square)


def _check_pieces(rules: Rules, pos: Position) -> None:
    """Check that pawns and kings can be where they are. A side to move without king whose heir is certain gets it here."""
    traits = rules.traits
    for colour, side in enumerate(SIDES):
        own = int(pos[WHITE + colour])
        _check_pawns(rules, pos, colour)
        kings = (int(pos[traits.king.word]) & own).bit_count() if traits.king else 0
        if kings > 1:
            raise FenError(f"{side} has {kings} kings")
        if any(int(pos[piece.word]) & own for piece in traits.royals) or not traits.royals:
            continue
        if traits.succession:
            if colour != int(pos[TURN]):
                raise FenError(f"{side} has no king and is not to move")
            crown_kernel(rules, pos)
        elif traits.royal_safety and not traits.captures_explode and not traits.kingless:
            raise FenError(f"{side} has no king")
    if traits.captures_explode and traits.king and not int(pos[traits.king.word]):
        raise FenError("no king on the board")


def _check_pawns(rules: Rules, pos: Position, colour: int) -> None:
    pawn = rules.traits.pawn
    wrong = int(pos[TYPES]) & int(pos[WHITE + colour]) & pawn.nowhere[colour] if pawn else 0
    if rules.drops:
        wrong &= ~int(rules.traits.droppable[colour, 1])
    if pawn and wrong:
        square = next(squares(wrong))
        why = "would have promoted" if int(pawn.zone[colour]) >> square & 1 else "cannot have come"
        raise FenError(f"{SIDES[colour]} has a pawn on {square_name(square)}, where it {why}")


def _check_turn(rules: Rules, pos: Position) -> None:
    """Check that the side that is not to move is not in check, unless a king is missing and the game over."""
    royal = 0
    for piece in rules.traits.royals:
        royal |= int(pos[piece.word])
    over = rules.traits.royals and not rules.kingless and not all(royal & int(pos[WHITE + colour]) for colour in (0, 1))
    other = int(pos[TURN]) ^ 1
    if not over and in_check_kernel(rules, pos, np.uint64(other)):
        raise FenError(f"{'Black' if other else 'White'} is in check and not to move")


def to_fen(rules: Rules, pos: Position, shredder: bool = False) -> str:
    """The FEN of a position; castling as KQkq, or as rook files if that is ambiguous (X-FEN) or if `shredder`."""
    board = board_field(rules, lambda square: letter_at(rules, pos, square) + _promoted(rules, pos, square))
    if rules.drops:
        board += f"[{hand_of(rules, pos, 0)}{hand_of(rules, pos, 1).lower()}]"
    passed = square_name(next(squares(pos[EP]))) if pos[EP] else "-"
    clock, number = min(int(pos[CLOCK]), MAX_CLOCK), min(int(pos[PLY]) // 2 + 1, MAX_MOVE_NUMBER)
    return (f"{board} {'b' if pos[TURN] else 'w'} {_castling_text(rules, pos, shredder)} {passed} {clock} {number}"
            f"{write_seventh(rules, pos)}")


def board_field(rules: Rules, letter_of: Callable[[int], str]) -> str:
    """The first field of a FEN, from the letter of each square; no letter means an empty square."""
    rows = []
    for rank in _ranks_from_the_top(rules):
        row, gap = "", 0
        for square in rank:
            letter = letter_of(square)
            if letter:
                row += (str(gap) if gap else "") + letter
            gap = 0 if letter else gap + 1
        rows.append(row + (str(gap) if gap else ""))
    return "/".join(rows)


def _promoted(rules: Rules, pos: Position, square: int) -> str:
    """`~` behind a piece that came from promotion, if it matters."""
    return "~" if rules.drops and int(pos[ROYAL]) >> square & 1 else ""


def letter_at(rules: Rules, pos: Position, square: int) -> str:
    """The FEN letter of the piece on a square; empty if there is none."""
    bit = 1 << square
    for index, letter in enumerate(rules.letters):
        if int(pos[TYPES + index]) & bit:
            return letter if int(pos[WHITE]) & bit else letter.lower()
    return ""


def _castling_text(rules: Rules, pos: Position, shredder: bool) -> str:
    text, traits = "", rules.traits
    for colour in (0, 1):
        own = int(pos[WHITE + colour])
        rights = sorted(squares(int(pos[CASTLING]) & own), reverse=True)
        if not rights or traits.king is None or traits.rooks is None:
            continue
        king = next(squares(int(pos[traits.king.word]) & own))
        rooks = list(squares(int(pos[traits.rooks[colour].word]) & own & int(traits.geometry.first_rank[colour])))
        for rook in rights:
            outer = max(rooks) if rook > king else min(rooks)
            letter = "ABCDEFGH"[rook % STRIDE] if shredder or rook != outer else "K" if rook > king else "Q"
            text += letter.lower() if colour else letter
    return text or "-"


def board_text(rules: Rules, pos: Position) -> str:
    """A board to look at, White at the bottom."""
    files = rules.traits.geometry.files
    line = " +" + "---+" * files
    rows = [line]
    for rank in _ranks_from_the_top(rules):
        cells = (letter_at(rules, pos, square) or " " for square in rank)
        rows += [" | " + " | ".join(cells) + f" | {rank[0] // STRIDE + 1}", line]
    return "\n".join([*rows, "   " + "   ".join(FILES[:files])])


def _ranks_from_the_top(rules: Rules) -> list[range]:
    """The squares of each rank, in the order of a FEN."""
    geometry = rules.traits.geometry
    return [range(rank * STRIDE, rank * STRIDE + geometry.files) for rank in reversed(range(geometry.ranks))]
