"""A position of any declared game as plain data, and its FEN."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.rules import Rules

FILES = "abcdefgh"
WHITE, BLACK = 0, 1
SIDES = (WHITE, BLACK)


def name_of(square: int) -> str:
    """`e4` for 28."""
    return FILES[square % 8] + str(square // 8 + 1)


def square_of(name: str) -> int:
    """28 for `e4`. Raises ValueError."""
    if len(name) != 2 or name[0] not in FILES or name[1] not in "12345678":
        raise ValueError(f"{name!r} is not a square")
    return FILES.index(name[0]) + 8 * (int(name[1]) - 1)


def squares_of(names: str) -> list[int]:
    """The squares of names run together."""
    return [square_of(names[start:start + 2]) for start in range(0, len(names), 2)]


def side_of(letter: str) -> int:
    """The side of a piece, by its letter."""
    return WHITE if letter.isupper() else BLACK


@dataclass(frozen=True)
class Place:
    """A position. Pieces by square, capitals for White, a1 = 0, h8 = 63, also on smaller boards."""

    pieces: dict[int, str]
    turn: int = WHITE
    rights: frozenset[int] = frozenset()  # partners that may still castle
    passed: int | None = None  # the square that a double step has passed
    clock: int = 0
    ply: int = 0
    hands: tuple[str, str] = ("", "")  # capitals, sorted
    promoted: frozenset[int] = frozenset()
    holders: tuple[int | None, int | None] = (None, None)  # of the titles
    marked: frozenset[int] = frozenset()  # squares of pieces that have held a title
    checks: tuple[int, int] = (0, 0)  # that White and Black have given

    def own(self, side: int) -> list[int]:
        """The squares of a side's pieces, a1 first."""
        return sorted(square for square, letter in self.pieces.items() if side_of(letter) == side)

    def of(self, side: int, letters: str) -> list[int]:
        """The squares of a side's pieces of these types, capitals."""
        return [square for square in self.own(side) if self.pieces[square].upper() in letters]

    def key(self) -> Hashable:
        """What tells positions apart."""
        return (frozenset(self.pieces.items()), self.turn, self.rights, self.passed, self.hands, self.promoted, self.holders,
                self.marked, self.checks)


def home(rules: Rules, side: int) -> range:
    """The first rank of a side."""
    first = 8 * (rules.ranks - 1) * side
    return range(first, first + rules.files)


def partner(rules: Rules, side: int) -> str:
    """The letter of the type that a side's king castles with."""
    white, slash, black = rules.castling_partner.partition("/")
    return black if slash and side else white


def read_fen(rules: Rules, fen: str) -> Place:
    """Read the FEN of a position that the engine has accepted. Raises ValueError, IndexError, KeyError."""
    fields = fen.split()
    seventh = fields.pop(4 if "+" in fields[4] else 6) if len(fields) == 7 else None
    board, turn, castling, passed, clock, number = fields + ["w", "-", "-", "0", "1"][len(fields) - 1:]
    hand = ""
    if rules.drops:
        board, _, hand = board.partition("[")
        hand = hand.rstrip("]-")
    pieces, promoted = _read_board(rules, board)
    side = "wb".index(turn)
    white, black = ("".join(sorted(filter(kind, hand))).upper() for kind in (str.isupper, str.islower))
    place = Place(
        pieces, side, passed=None if passed == "-" else square_of(passed), clock=int(clock), ply=2 * (int(number) - 1) + side,
        hands=(white, black), promoted=promoted)
    place = replace(place, rights=frozenset(_read_rights(rules, place, castling)))
    if rules.title_order:
        place = _read_titles(rules, place, seventh)
    if rules.checks_to_win:
        place = replace(place, checks=_read_checks(seventh, rules.checks_to_win))
    return place


def _read_board(rules: Rules, text: str) -> tuple[dict[int, str], frozenset[int]]:
    pieces: dict[int, str] = {}
    promoted = set()
    for rank, row in enumerate(reversed(text.split("/"))):
        square = 8 * rank
        for letter in row:
            if letter == "~":
                promoted.add(square - 1)
            elif letter.isdigit():
                square += int(letter)
            else:
                pieces[square] = letter
                square += 1
        if square != 8 * rank + rules.files:
            raise ValueError(f"rank {rank + 1} is not {rules.files} files long: {row!r}")
    return pieces, frozenset(promoted if rules.drops else ())


def _read_rights(rules: Rules, place: Place, text: str) -> list[int]:
    found = []
    for letter in text if rules.castling and text != "-" else "":
        side = side_of(letter)
        kings = [square for square in place.of(side, "K") if square in home(rules, side)]
        mates = [square for square in place.of(side, partner(rules, side)) if square in home(rules, side)]
        if len(kings) != 1:
            continue
        beside = {"K": [mate for mate in mates if mate > kings[0]][-1:], "Q": [mate for mate in mates if mate < kings[0]][:1]}
        found += beside.get(letter.upper()) or [mate for mate in mates if letter.upper() not in "KQ"
                                                and mate % 8 == FILES.index(letter.lower())]
    return found


def classes_of(order: str) -> list[str]:
    """The types of each class, the first in line first."""
    return order.split() if " " in order else list(order)


def _read_titles(rules: Rules, place: Place, text: str | None) -> Place:
    holders: list[int] = []
    marked: list[int] = []
    royal = "".join(piece.letter for piece in rules.pieces if piece.royal)
    for side in SIDES:
        if text is None:
            able = [kind.translate({ord(letter): None for letter in royal}) for kind in classes_of(rules.title_order)]
            held = [next(place.of(side, kind)[0] for kind in able if place.of(side, kind))]
        else:
            held = squares_of(text.split("/")[side])
        holders.append(held[0])
        marked += held
    return replace(place, holders=(holders[0], holders[1]), marked=frozenset(marked))


def _read_checks(text: str | None, limit: int) -> tuple[int, int]:
    if text is None:
        return 0, 0
    white, black = map(int, text.lstrip("+").split("+"))
    return (white, black) if text.startswith("+") else (limit - white, limit - black)


def write_fen(rules: Rules, place: Place, passed: bool) -> str:
    """The FEN. passed: whether a capture en passant is legal, so that the square is named."""
    rows = []
    for rank in reversed(range(rules.ranks)):
        row, gap = "", 0
        for square in range(8 * rank, 8 * rank + rules.files):
            if square not in place.pieces:
                gap += 1
                continue
            row += (str(gap) if gap else "") + place.pieces[square] + ("~" if square in place.promoted else "")
            gap = 0
        rows.append(row + (str(gap) if gap else ""))
    board = "/".join(rows)
    if rules.drops:
        order = sorted(rules.letters, key=lambda letter: ("QRBNP".find(letter), rules.letters.index(letter)))
        hands = ["".join(letter * Counter(hand)[letter] for letter in order) for hand in place.hands]
        board += f"[{hands[0]}{hands[1].lower()}]"
    where = name_of(place.passed) if passed and place.passed is not None else "-"
    fields = [board, "wb"[place.turn], _rights_text(rules, place), where, str(place.clock), str(place.ply // 2 + 1)]
    if rules.title_order:
        sides = []
        for side in SIDES:
            holder = place.holders[side]
            sides.append(name_of(holder or 0) + "".join(
                name_of(square) for square in sorted(place.marked) if square != holder and square in place.own(side)))
        fields.append("/".join(sides))
    if rules.checks_to_win:
        fields.append(f"+{place.checks[0]}+{place.checks[1]}")
    return " ".join(fields)


def _rights_text(rules: Rules, place: Place) -> str:
    text = ""
    for side in SIDES:
        mates = [square for square in place.of(side, partner(rules, side)) if square in home(rules, side)]
        for right in sorted((square for square in place.rights if square in home(rules, side)), reverse=True):
            king = place.of(side, "K")[0]
            outer = max(mates) if right > king else min(mates)
            letter = FILES[right % 8].upper() if right != outer else "K" if right > king else "Q"
            text += letter.lower() if side else letter
    return text or "-"
