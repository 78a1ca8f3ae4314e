"""The rules of any declared game in plain Python: moves are found by walking, and legality by making them.

A second implementation beside the kernels, slow and readable: nothing of theirs is used, only the declaration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from variants.boards.declared.place import (
    BLACK,
    SIDES,
    WHITE,
    Place,
    classes_of,
    home,
    name_of,
    partner,
    side_of,
    squares_of,
)
from variants.boards.declared.walking import attacks, quiet, shifted, steps_of, walk

if TYPE_CHECKING:
    from engine.rules import Rules

End = tuple[str, bool | None]  # reason, and whether White has won, None for a draw


@dataclass(frozen=True)
class Deed:
    """What a side does in its turn. Castling goes to the partner's square; a naming and a drop begin and end on one square."""

    origin: int
    target: int
    kind: str = ""  # double, passing, castling, naming, drop, drive, or nothing special
    promotes: str = ""  # a capital
    dropped: str = ""
    heir: int | None = None

    def text(self, goal: int | None = None) -> str:
        """In UCI. goal: where a castling king goes, if its move is written so."""
        if self.kind == "naming":
            return f"K@{name_of(self.origin)}"
        if self.kind == "drop":
            return f"{self.dropped}@{name_of(self.origin)}"
        prefix = "" if self.heir is None else f"K@{name_of(self.heir)},"
        return prefix + name_of(self.origin) + name_of(self.target if goal is None else goal) + self.promotes.lower()


class Play:
    """A game's rules."""

    def __init__(self, rules: Rules):
        self.rules = rules
        self.royal_types = "".join(piece.letter for piece in rules.pieces if piece.royal)
        pawn = rules.pawn
        self.zones = {} if pawn is None else {
            "last": self._zone(pawn.promotion_zone), "double": self._zone(pawn.double_step_zone),
            "unpassed": self._zone(pawn.unpassed_zone)}
        self.goals = self._zone(rules.goal)
        self.dropping = self._zone(rules.drop_zone)
        self.goal_types = rules.letters if rules.goal_types == "*" else rules.goal_types or self.royal_types

    def _zone(self, text: str) -> tuple[set[int], set[int]]:
        white, slash, black = text.partition("/")
        ours = squares_of(white)
        turned = [8 * (self.rules.ranks - 1 - s // 8) + self.rules.files - 1 - s % 8 for s in ours]
        return set(ours), set(squares_of(black) if slash else turned)

    # Attack and check

    def royals(self, place: Place, side: int) -> list[int]:
        """The squares of a side's royal pieces."""
        found = place.of(side, self.royal_types)
        holder = place.holders[side]
        return found if holder is None or holder in found else [*found, holder]

    def attacked(self, place: Place, by: int, without: int | None = None) -> set[int]:
        """All squares that a side attacks; without: a square whose piece is thought away."""
        blocked = place.pieces.keys() - {without}
        return {target for square in place.own(by)
                for target in attacks(self.rules, place.pieces[square].upper(), by, square, blocked)}

    def attackers(self, place: Place, by: int, target: int) -> list[int]:
        """The squares from which a side attacks `target`."""
        return [square for square in place.own(by)
                if target in attacks(self.rules, place.pieces[square].upper(), by, square, place.pieces)]

    def in_check(self, place: Place, side: int) -> bool:
        """Whether a royal piece of a side is in check."""
        if not self.rules.royal_safety:
            return False
        kings = self.royals(place, side)
        enemies = self.royals(place, 1 - side)
        if not self.rules.touching_kings_check and any(self._touch(a, b) for a in kings for b in enemies):
            return False
        if not self.rules.wary_royals:
            return bool(set(kings) & self.attacked(place, 1 - side)) if kings else False
        closed = place.pieces.keys() | self.attacked(place, side)
        for king in kings:
            for giver in self.attackers(place, 1 - side, king):
                if giver not in enemies or king in attacks(self.rules, place.pieces[giver].upper(), 1 - side, giver, closed):
                    return True
        return False

    def _touch(self, a: int, b: int) -> bool:
        return any(shifted(self.rules, a, x, y) == b for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y)

    # Moves

    def pseudo(self, place: Place) -> Iterator[Deed]:
        """Everything the pieces can do, royal safety aside."""
        rules, side = self.rules, place.turn
        wary = set(self.royals(place, side)) if rules.wary_royals else set()
        threat = self.attacked(place, 1 - side) if wary else set()
        for square in place.own(side):
            letter = place.pieces[square].upper()
            if letter == "P" and rules.pawn:
                yield from self._pawn(place, square)
                continue
            blocked = place.pieces.keys() | threat if square in wary else place.pieces.keys()
            goes = {target for target in quiet(rules, letter, side, square, blocked) if target not in place.pieces}
            takes = {target for target in attacks(rules, letter, side, square, blocked)
                     if target in place.pieces and side_of(place.pieces[target]) != side}
            for target in sorted((goes | takes) - (threat if square in wary else set())):
                yield Deed(square, target)
        if rules.castling:
            yield from self._castlings(place)
        if rules.drops:
            yield from self._drops(place)
        if rules.title_order:
            yield from self._namings(place)
        if rules.driven_king:
            yield from self._drives(place)

    def _pawn(self, place: Place, square: int) -> Iterator[Deed]:
        pawn, side = self.rules.pawn, place.turn
        assert pawn is not None
        for step in steps_of(pawn.step):
            for target in walk(self.rules, step, side, square, ()):
                if target in place.pieces:
                    continue
                yield from self._arrivals(square, target, side)
                if square in self.zones["double"][side]:
                    beyond = next(iter(walk(self.rules, step, side, target, ())), None)
                    if beyond is not None and beyond not in place.pieces:
                        yield Deed(square, beyond, "double")
        for target in attacks(self.rules, "P", side, square, ()):
            if target in place.pieces and side_of(place.pieces[target]) != side:
                yield from self._arrivals(square, target, side)
            elif target == place.passed and target not in place.pieces:
                yield Deed(square, target, "passing")

    def _arrivals(self, square: int, target: int, side: int) -> Iterator[Deed]:
        if target in self.zones["last"][side] and self.rules.pawn:
            for letter in self.rules.pawn.promotes_to:
                yield Deed(square, target, promotes=letter)
        else:
            yield Deed(square, target)

    def castled(self, side: int, king: int, mate: int) -> tuple[int, int]:
        """Where king and partner go."""
        white, slash, black = self.rules.castling_files.partition("/")
        files = (black if slash and side else white) or "cd" + "".join("abcdefgh"[self.rules.files - n] for n in (2, 3))
        west, east = files[:2], files[2:]
        first = home(self.rules, side)[0]
        goal = east if mate > king else west
        return first + "abcdefgh".index(goal[0]), first + "abcdefgh".index(goal[1])

    def _castlings(self, place: Place) -> Iterator[Deed]:
        side = place.turn
        kings = [square for square in place.of(side, "K") if square in home(self.rules, side)]
        mates = [square for square in place.rights if square in home(self.rules, side)]
        if len(kings) != 1 or not mates:
            return
        king = kings[0]
        royals = self.royals(place, side)
        if self.rules.royal_safety and (king not in royals or self.in_check(place, side)):
            return
        wary = self.rules.wary_royals
        threat = self.attacked(place, 1 - side, None if wary else king) if self.rules.royal_safety else set()
        for mate in mates:
            goal, beside = self.castled(side, king, mate)
            ways = [set(range(min(a, b), max(a, b) + 1)) for a, b in ((king, goal), (mate, beside))]
            guarded = ways[0] - {king} if wary else ways[0] - {king, goal}
            if wary and mate in royals:
                guarded |= ways[1] - {mate}
            if not (ways[0] | ways[1]) - {king, mate} & place.pieces.keys() and not guarded & threat:
                yield Deed(king, mate, "castling")

    def _drops(self, place: Place) -> Iterator[Deed]:
        side = place.turn
        ends = {square for word, other in (("first", side), ("last", 1 - side)) if word in self.rules.pawn_drops
                for square in home(self.rules, other)}
        for rank in range(self.rules.ranks):
            for square in range(8 * rank, 8 * rank + self.rules.files):
                if square not in place.pieces and (square in self.dropping[side] or not self.rules.drop_zone):
                    for letter in sorted(set(place.hands[side])):
                        if letter != "P" or square not in ends:
                            yield Deed(square, square, "drop", dropped=letter)

    def _namings(self, place: Place) -> Iterator[Deed]:
        side = place.turn
        able = [square for square in place.own(side)
                if place.pieces[square].upper() != "P" and place.pieces[square].upper() not in self.royal_types]
        fresh = [square for square in able if square not in place.marked]
        if not self.in_check(place, side):
            for square in fresh or able:
                if square != place.holders[side]:
                    yield Deed(square, square, "naming")

    def _drives(self, place: Place) -> Iterator[Deed]:
        side, notation = place.turn, "nDnA" if self.rules.driven_king is True else str(self.rules.driven_king)
        own = place.of(side, "K")[0]
        for king in place.of(1 - side, "K"):
            targets = {target for step in steps_of(notation) for target in walk(self.rules, step, WHITE, king, place.pieces)}
            for target in sorted(targets):
                if target not in place.own(side) and not self._touch(own, target):
                    yield Deed(king, target, "drive")

    # Making a move

    def make(self, place: Place, deed: Deed) -> Place:
        """The position after a deed; its passed square is named whether or not somebody may capture there."""
        rules, side = self.rules, place.turn
        if deed.heir is not None:
            place = self._crowned(place, deed.heir)
        after = replace(place, pieces=dict(place.pieces), turn=1 - side, passed=None, clock=place.clock + 1, ply=place.ply + 1)
        change = {"naming": self._name, "drop": self._drop, "castling": self._castle}.get(deed.kind, self._move)
        after = change(place, after, deed)
        kings = {side: any(place.pieces[s].upper() == "K" for s in place.own(side)) for side in SIDES}
        rights = {square for square in after.rights
                  if after.pieces.get(square, "").upper() == partner(rules, int(square >= 8))}
        if rules.succession or rules.captures_explode or rules.title_order or not rules.royal_safety:
            rights = {square for square in rights if after.of(int(square >= 8), "K")}
        after = replace(after, rights=frozenset(rights))
        if rules.succession and kings[1 - side] and not after.of(1 - side, "K"):
            after = replace(after, rights=frozenset(r for r in after.rights if r not in home(rules, 1 - side)))
            after = self.crown_only(after)
        if rules.checks_to_win and self.in_check(after, 1 - side):
            given = list(place.checks)
            given[side] = min(given[side] + 1, rules.checks_to_win)
            after = replace(after, checks=(given[0], given[1]))
        return after

    def crown_only(self, place: Place) -> Place:
        """With the only heir of the side to move as its king, if it has no king and one heir."""
        if place.of(place.turn, "K") or len(self.heirs(place)) != 1:
            return place
        return self._crowned(place, self.heirs(place)[0])

    def heirs(self, place: Place) -> list[int]:
        """Who may succeed the king of the side to move."""
        return next((found for kind in classes_of(self.rules.succession) if (found := place.of(place.turn, kind))), [])

    def _crowned(self, place: Place, square: int) -> Place:
        king = "K" if side_of(place.pieces[square]) == WHITE else "k"
        return replace(place, pieces={**place.pieces, square: king})

    def _name(self, place: Place, after: Place, deed: Deed) -> Place:
        holders = list(place.holders)
        holders[place.turn] = deed.origin
        return replace(after, holders=(holders[0], holders[1]), marked=place.marked | {deed.origin})

    def _drop(self, place: Place, after: Place, deed: Deed) -> Place:
        after.pieces[deed.target] = deed.dropped if place.turn == WHITE else deed.dropped.lower()
        hands = list(place.hands)
        hands[place.turn] = hands[place.turn].replace(deed.dropped, "", 1)
        return replace(after, hands=(hands[0], hands[1]))

    def _castle(self, place: Place, after: Place, deed: Deed) -> Place:
        goal, beside = self.castled(place.turn, deed.origin, deed.target)
        king, mate = after.pieces.pop(deed.origin), after.pieces.pop(deed.target)
        after.pieces[goal], after.pieces[beside] = king, mate
        after = replace(after, rights=after.rights - set(home(self.rules, place.turn)))
        return self._carried(after, {deed.origin: goal, deed.target: beside}, set())

    def _carried(self, after: Place, journeys: dict[int, int], gone: set[int]) -> Place:
        """Marks, titles and promotions go with their pieces."""
        def moved(marks: frozenset[int]) -> frozenset[int]:
            return frozenset(journeys.get(square, square) for square in marks if square in journeys or square not in gone)

        holders = [holder if holder is None else journeys.get(holder, None if holder in gone else holder)
                   for holder in after.holders]
        return replace(after, holders=(holders[0], holders[1]), marked=moved(after.marked), promoted=moved(after.promoted))

    def _move(self, place: Place, after: Place, deed: Deed) -> Place:
        side = place.turn
        pieces = after.pieces
        moved = pieces.pop(deed.origin)
        victim = self._behind(deed.target, side) if deed.kind == "passing" else deed.target
        captured = pieces.pop(victim, None)
        mine = side_of(moved) == WHITE
        pieces[deed.target] = moved if not deed.promotes else deed.promotes if mine else deed.promotes.lower()
        pawn = moved.upper() == "P" and self.rules.pawn is not None
        if captured or pawn:
            after = replace(after, clock=0)
        if deed.kind == "double" and deed.origin not in self.zones["unpassed"][side]:
            after = replace(after, passed=self._behind(deed.target, side))
        gone = {victim} if captured else set()
        was_promoted = victim in place.promoted
        after = self._carried(after, {deed.origin: deed.target}, gone)
        after = replace(after, rights=after.rights - {deed.origin, deed.target})
        if moved.upper() == "K" and deed.kind != "drive":
            after = replace(after, rights=after.rights - set(home(self.rules, side)))
        if self.rules.drops:
            if deed.promotes:
                after = replace(after, promoted=after.promoted | {deed.target})
            if captured and self.rules.captures_to_hand:
                hands = list(after.hands)
                hands[side] = "".join(sorted(hands[side] + ("P" if was_promoted else captured.upper())))
                after = replace(after, hands=(hands[0], hands[1]))
        if self.rules.captures_explode and captured:
            for square in [deed.target, *(s for s in list(pieces) if self._touch(s, deed.target) and pieces[s].upper() != "P")]:
                pieces.pop(square, None)
        return after

    def _behind(self, square: int, side: int) -> int:
        """The square behind a pawn of a side."""
        assert self.rules.pawn is not None
        step = steps_of(self.rules.pawn.step)[0]
        sign = 1 if side else -1
        found = shifted(self.rules, square, sign * step.files, sign * step.ranks)
        assert found is not None
        return found

    # Legal moves and ends

    def legal(self, place: Place) -> list[Deed]:
        """The legal deeds; none once a rule has ended the game."""
        if self.rule_end(place):
            return []
        if self.rules.succession and not place.of(place.turn, "K"):
            return [replace(deed, heir=heir) for heir in self.heirs(place) for deed in self.legal(self._crowned(place, heir))]
        found = self._replies(place)
        if self.rules.driven_king:
            found = [deed for deed in found if deed.kind != "drive" or not self._mates(place, deed)]
        if self.rules.captures_forced:
            return [deed for deed in found if self.captures(place, deed)] or found
        return found

    def captures(self, place: Place, deed: Deed) -> bool:
        """Whether a deed captures."""
        return deed.kind == "passing" or (deed.kind in ("", "drive") and deed.target in place.pieces)

    def _replies(self, place: Place) -> list[Deed]:
        return [deed for deed in self.pseudo(place) if self._allowed(place, deed)]

    def _allowed(self, place: Place, deed: Deed) -> bool:
        after, side = self.make(place, deed), place.turn
        if self.rules.captures_explode:
            if not self.royals(after, side):
                return False
            if not self.royals(after, 1 - side):
                return True
        if self.in_check(after, side):
            return False
        return not (self.rules.checks_forbidden and self.in_check(after, 1 - side))

    def _mates(self, place: Place, deed: Deed) -> bool:
        after = self.make(place, deed)
        return self.in_check(after, after.turn) and not self._replies(after)

    def rule_end(self, place: Place) -> End | None:
        """Reason and winner if a rule ends the game, whatever moves there are."""
        rules, side = self.rules, place.turn
        end: End | None = None
        if rules.bare_king_draws and any(set(place.own(c)) <= set(place.of(c, "K")) for c in SIDES):
            end = "robado", None
        end = end or self._extinction_end(place) or (self._goal_end(place) if rules.goal else None)
        if end is None and rules.checks_to_win and place.checks[1 - side] >= rules.checks_to_win:
            end = "check limit", side == BLACK
        return end or self._king_end(place)

    def _extinction_end(self, place: Place) -> End | None:
        rules, side = self.rules, place.turn
        for each in (1 - side, side) if rules.extinction else ():
            kinds = [rules.letters] if rules.extinction == "*" else list(rules.extinction)
            if any(len(place.of(each, kind)) <= rules.extinction_count for kind in kinds):
                return "extinction", (each == WHITE) == rules.extinction_wins
        for each in (side, 1 - side) if rules.kingless else ():
            if not place.own(each):
                return "extinction", each == BLACK
        return None

    def _king_end(self, place: Place) -> End | None:
        rules, side = self.rules, place.turn
        if rules.succession:
            return None if place.of(side, "K") or self.heirs(place) else ("no heir", side == BLACK)
        if self.royal_types and not rules.kingless and not rules.title_order:
            for each in (side, 1 - side):
                if not self.royals(place, each):
                    return "explosion" if rules.captures_explode else "king captured", each == BLACK
        return None

    def _goal_end(self, place: Place) -> End | None:
        there = [bool(set(place.of(side, self.goal_types)) & self.goals[side]) for side in SIDES]
        if all(there):
            return "goal", None
        if not any(there):
            return None
        if self.rules.goal_answered and there[WHITE] and place.turn == BLACK:
            steps = [deed for king in self.royals(place, BLACK) for deed in self.pseudo(place)
                     if deed.origin == king and deed.target in self.goals[BLACK]]
            threat = self.attacked(place, WHITE)
            if any(deed.target not in threat for deed in steps):
                return None
        return "goal", there[WHITE]

    def end(self, place: Place) -> End | None:
        """Reason and winner if the position ends the game."""
        found = self.rule_end(place)
        if found or self.legal(place):
            return found
        if self.in_check(place, place.turn):
            return "checkmate", place.turn == BLACK
        winner: bool | None = {"draw": None, "win": place.turn == WHITE, "loss": place.turn == BLACK}[self.rules.stalemate]
        return "stalemate", winner
