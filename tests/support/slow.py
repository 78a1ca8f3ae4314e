"""The rules once more, in the plainest Python: a reference for the engine's bitboards.

Nothing here is taken from the engine. Variant stand in a dict by square, a1 = 0 .. h8 = 63, capitals for White; moves are
found by walking from square to square, and legality by making each move and looking at the board.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

Steps = tuple[tuple[int, int, int], ...]  # (files east, ranks forward, how often), for White; Black's are turned round
Move = tuple[int, int, str]  # from, to, letter promoted to or ""; castling is the king taking its own rook

W = ((0, 1), (1, 0), (0, -1), (-1, 0))
F = ((1, 1), (1, -1), (-1, -1), (-1, 1))


def leaps(*sizes: tuple[int, int]) -> Steps:
    """All leaps of the given sizes: (1, 2) makes a knight."""
    return tuple(sorted({(sx * x, sy * y, 1) for a, b in sizes for x, y in ((a, b), (b, a))
                         for sx in (1, -1) for sy in (1, -1)}))


def slides(directions: tuple[tuple[int, int], ...], reach: int = 7) -> Steps:
    """Slides in the given directions, up to `reach` squares."""
    return tuple((x, y, reach) for x, y in directions)


FIDE: dict[str, Steps] = {
    "N": leaps((1, 2)), "B": slides(F), "R": slides(W), "Q": slides(W + F), "K": slides(W + F, 1)}


def squares(names: str) -> frozenset[int]:
    """The squares of names run together: `a1h8`."""
    return frozenset("abcdefgh".index(names[i]) + 8 * (int(names[i + 1]) - 1) for i in range(0, len(names), 2))


def name(square: int) -> str:
    """`e4` for 28."""
    return "abcdefgh"[square % 8] + str(square // 8 + 1)


@dataclass(frozen=True)
class Variant:
    """A game: how its pieces move, which are royal, and what a capture does."""

    pieces: dict[str, Steps]
    royal: str = "K"
    pawn_step: tuple[tuple[int, int], ...] = ((0, 1),)
    pawn_capture: tuple[tuple[int, int], ...] = ((-1, 1), (1, 1))
    zone: frozenset[int] = frozenset(range(56, 64))
    promotes_to: str = "QRBN"
    double: frozenset[int] = frozenset(range(8, 16))
    castling: bool = True
    royal_safety: bool = True
    explode: bool = False
    touching_kings_check: bool = True
    files: int = 8
    ranks: int = 8

    def shifted(self, square: int, files: int, ranks: int) -> int | None:
        """The square that many files east and ranks up; None off the board."""
        x, y = square % 8 + files, square // 8 + ranks
        return y * 8 + x if 0 <= x < self.files and 0 <= y < self.ranks else None

    def turned(self, zone: frozenset[int]) -> set[int]:
        """A zone as Black sees it: the board turned by half a turn."""
        return {(self.ranks - 1 - square // 8) * 8 + self.files - 1 - square % 8 for square in zone}

    def side(self, colour: int) -> int:
        """The first square of a colour's first rank."""
        return 8 * (self.ranks - 1) if colour else 0

    def castled(self, colour: int, king: int, rook: int) -> tuple[int, int]:
        """Where king and rook go: next to the edge's file but one, on the rook's side."""
        side = self.side(colour)
        return (side + self.files - 2, side + self.files - 3) if rook > king else (side + 2, side + 3)


CHESS = Variant(FIDE)
ATOMIC = Variant(FIDE, explode=True, touching_kings_check=False)
NOCHECKATOMIC = replace(ATOMIC, royal_safety=False)


def near(a: int, b: int) -> bool:
    """Whether two squares touch."""
    return max(abs(a % 8 - b % 8), abs(a // 8 - b // 8)) == 1


@dataclass(frozen=True)
class Board:
    """A position. `rooks` are those that may still castle, `passed` the square a pawn has just leapt over."""

    variant: Variant
    pieces: dict[int, str]
    turn: int = 0
    rooks: frozenset[int] = frozenset()
    passed: int | None = None

    @staticmethod
    def read(variant: Variant, fen: str) -> Board:
        """From the first four fields of a FEN that is known to be good."""
        rows, turn, castling, passed = [*fen.split(), "w", "-", "-"][:4]
        pieces: dict[int, str] = {}
        for rank, row in enumerate(reversed(rows.split("/"))):
            file = 0
            for letter in row:
                if letter.isdigit():
                    file += int(letter)
                else:
                    pieces[rank * 8 + file] = letter
                    file += 1
        rooks = set()
        for letter in castling.replace("-", ""):
            side = variant.side(letter.islower())
            king = next(s for s in range(side, side + variant.files) if pieces.get(s) == ("k" if side else "K"))
            mine = [s for s in range(side, side + variant.files) if pieces.get(s) == ("r" if side else "R")]
            if letter in "Kk":
                rooks.add(max(s for s in mine if s > king))
            elif letter in "Qq":
                rooks.add(min(s for s in mine if s < king))
            else:
                rooks.add(side + "abcdefgh".index(letter.lower()))
        return Board(variant, pieces, "wb".index(turn), frozenset(rooks), None if passed == "-" else min(squares(passed)))

    def fen(self) -> str:
        """The first four fields, castling by rook files, en passant where it can be answered."""
        rows = []
        for rank in reversed(range(self.variant.ranks)):
            row = "".join(self.pieces.get(rank * 8 + file, ".") for file in range(self.variant.files))
            for gap in range(8, 0, -1):
                row = row.replace("." * gap, str(gap))
            rows.append(row)
        order = sorted(self.rooks, key=lambda s: (s > 7, -s))
        rights = "".join("ABCDEFGH"[s] if s < 8 else "abcdefgh"[s % 8] for s in order) or "-"
        passed = "-"
        if self.passed is not None and any(self.is_en_passant(move) for move in self.legal()):
            passed = name(self.passed)
        return f"{'/'.join(rows)} {'wb'[self.turn]} {rights} {passed}"

    def owner(self, square: int) -> int | None:
        """0 White, 1 Black, None empty."""
        letter = self.pieces.get(square)
        return None if letter is None else 0 if letter.isupper() else 1

    def reached(self, square: int) -> Iterator[int]:
        """Squares the piece there attacks: what it would capture on, whoever stands there."""
        letter, sign = self.pieces[square].upper(), -1 if self.owner(square) else 1
        steps = tuple((x, y, 1) for x, y in self.variant.pawn_capture) if letter == "P" else self.variant.pieces[letter]
        for x, y, reach in steps:
            target: int | None = square
            for _ in range(reach):
                assert target is not None
                target = self.variant.shifted(target, sign * x, sign * y)
                if target is None:
                    break
                yield target
                if target in self.pieces:
                    break

    def attacked(self, square: int, by: int) -> bool:
        """Whether a piece of side `by` attacks the square."""
        return any(square in self.reached(origin) for origin in self.pieces if self.owner(origin) == by)

    def royals(self, side: int) -> list[int]:
        """Squares of a side's royal pieces."""
        return [s for s, letter in self.pieces.items() if letter.upper() in self.variant.royal and self.owner(s) == side]

    def touching(self) -> bool:
        """Whether the kings stand on adjacent squares and so give no check."""
        return not self.variant.touching_kings_check and any(
            near(a, b) for a in self.royals(0) for b in self.royals(1))

    def in_check(self, side: int) -> bool:
        """Whether a royal piece of the side is attacked, where the game knows check."""
        if not self.variant.royal_safety or self.touching():
            return False
        return any(self.attacked(royal, 1 - side) for royal in self.royals(side))

    def pseudo_legal(self) -> Iterator[Move]:
        """All moves but castling, whatever becomes of one's royal pieces."""
        us, game = self.turn, self.variant
        sign = -1 if us else 1
        zone = game.turned(game.zone) if us else game.zone
        double = game.turned(game.double) if us else game.double
        for origin, letter in self.pieces.items():
            if self.owner(origin) != us:
                continue
            if letter.upper() != "P":
                yield from ((origin, target, "") for target in set(self.reached(origin)) if self.owner(target) != us)
                continue
            targets = [s for s in set(self.reached(origin)) if self.owner(s) == 1 - us or s == self.passed]
            for x, y in game.pawn_step:
                first = self.variant.shifted(origin, sign * x, sign * y)
                if first is None or first in self.pieces:
                    continue
                targets.append(first)
                second = self.variant.shifted(first, sign * x, sign * y)
                if origin in double and second is not None and second not in self.pieces:
                    targets.append(second)
            for target in targets:
                if target in zone:
                    yield from ((origin, target, promoted) for promoted in game.promotes_to)
                else:
                    yield origin, target, ""

    def castlings(self) -> Iterator[Move]:
        """Castling in its chess960 form, legal but for what `legal` looks at anyway."""
        us = self.turn
        for rook in self.rooks:
            if self.owner(rook) != us or self.in_check(us):
                continue
            king = self.royals(us)[0]
            king_to, rook_to = self.variant.castled(us, king, rook)
            crossed = range(min(king, king_to), max(king, king_to) + 1)
            swept = {*crossed, *range(min(rook, rook_to), max(rook, rook_to) + 1)} - {king, rook}
            if swept & set(self.pieces):
                continue
            lifted = replace(self, pieces={s: m for s, m in self.pieces.items() if s != king})
            if all(s in (king, king_to) or not lifted.with_piece(s, self.pieces[king]).in_check(us) for s in crossed):
                yield king, rook, ""

    def with_piece(self, square: int, letter: str) -> Board:
        """The board with one piece more."""
        return replace(self, pieces={**self.pieces, square: letter})

    def is_castling(self, move: Move) -> bool:
        """Whether the move is castling: nothing else goes to a piece of one's own."""
        return self.owner(move[1]) == self.turn

    def is_en_passant(self, move: Move) -> bool:
        """Whether a pawn captures on the empty square the other passed."""
        return self.pieces[move[0]] in "Pp" and move[1] == self.passed and move[1] not in self.pieces and (
            any(s == move[1] for s in self.reached(move[0])))

    def is_capture(self, move: Move) -> bool:
        """Whether the move takes a piece."""
        return self.owner(move[1]) == 1 - self.turn or self.is_en_passant(move)

    def push(self, move: Move) -> Board:
        """The board after a move."""
        origin, target, promoted = move
        us, pieces = self.turn, dict(self.pieces)
        if self.is_castling(move):
            king, rook = pieces.pop(origin), pieces.pop(target)
            king_to, rook_to = self.variant.castled(us, origin, target)
            pieces[king_to], pieces[rook_to] = king, rook
            return replace(self, pieces=pieces, turn=1 - us, passed=None,
                           rooks=frozenset(r for r in self.rooks if self.owner(r) != us))
        capture = self.is_capture(move)
        sign, passed = -1 if us else 1, None
        if self.is_en_passant(move):
            x, y = self.variant.pawn_step[0]
            beyond = self.variant.shifted(target, -sign * x, -sign * y)
            assert beyond is not None
            del pieces[beyond]
        letter = pieces.pop(origin)
        pieces[target] = (promoted.lower() if us else promoted) or letter
        if letter in "Pp" and not capture:
            for x, y in self.variant.pawn_step:
                over = self.variant.shifted(origin, sign * x, sign * y)
                if over is not None and over != target and self.variant.shifted(over, sign * x, sign * y) == target:
                    passed = over
        if capture and self.variant.explode:
            del pieces[target]
            for square in [s for s, piece in pieces.items() if near(s, target) and piece not in "Pp"]:
                del pieces[square]
        rooks = {r for r in self.rooks - {origin, target} if r in pieces}
        if letter in "Kk":
            rooks -= {r for r in rooks if self.owner(r) == us}
        after = replace(self, pieces=pieces, turn=1 - us, rooks=frozenset(), passed=passed)
        return replace(after, rooks=frozenset(r for r in rooks if after.royals(0 if r < 8 else 1)))

    def legal(self) -> list[Move]:
        """The legal moves; none where a side has lost what it may not lose."""
        us, kept = self.turn, []
        if not self.royals(0) or not self.royals(1):
            return []
        for move in [*self.pseudo_legal(), *(self.castlings() if self.variant.castling else ())]:
            after = self.push(move)
            if not after.royals(us) and self.variant.explode:
                continue  # one's own king blown up
            if after.royals(1 - us) and after.in_check(us):
                continue
            kept.append(move)
        return kept

    def texts(self) -> list[str]:
        """The legal moves in coordinate notation, castling as king takes rook, sorted."""
        return sorted(text(move) for move in self.legal())

    def perft(self, depth: int) -> int:
        """Leaves of the tree of `depth` plies."""
        if depth == 0:
            return 1
        moves = self.legal()
        return len(moves) if depth == 1 else sum(self.push(move).perft(depth - 1) for move in moves)


def text(move: Move) -> str:
    """`e7e8q`."""
    return name(move[0]) + name(move[1]) + move[2].lower()
