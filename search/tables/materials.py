"""Materials: what pieces both sides have, such as KQvKR, and which of them a move may lead to."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator

from engine.errors import CommandError
from engine.rules import BLACK, TYPES, WHITE, Rules
from engine.text import Position

ORDER, WORTH = "KQJRBNP", "QJRBNKP"  # pieces in a name, and sides; other letters follow the queen


def _place(letter: str, order: str) -> tuple[int, str]:
    return (order.index(letter) if letter in order else order.index("Q"), letter)


def ordered(letters: str) -> str:
    """The pieces of a side in their usual order."""
    return "".join(sorted(letters, key=lambda letter: _place(letter, ORDER)))


def named(white: str, black: str) -> str:
    """The name of a material: the side with more or better pieces first."""
    return "v".join(sorted((ordered(white), ordered(black)),
                           key=lambda side: (-len(side), sorted(_place(letter, WORTH) for letter in side))))


def parse_material(rules: Rules, text: str, most: int) -> str:
    """The name of a material that a user wrote. Raises CommandError naming what is wrong."""
    sides = text.split("v")
    letters = rules.letters if rules.pawn is not None else rules.letters[1:]
    if len(sides) != 2 or not all(side and set(side) <= set(letters) for side in sides):
        raise CommandError(f"{text!r} is not a material of {rules.name}: write it like KQvK, with the pieces {letters}")
    if len(text) - 1 > most:
        raise CommandError(f"{text!r} has {len(text) - 1} pieces, and tables have at most {most}")
    for side in sides:
        if side.count("K") > 1:
            raise CommandError(f"{text!r} has a side with {side.count('K')} kings")
    name = named(*sides)
    if not stands(rules, name):
        raise CommandError(f"{text!r} is decided in {rules.name} before a move is made: there is nothing to compute")
    return name


def _without(letters: str, letter: str) -> str:
    return letters.replace(letter, "", 1)


def successors(rules: Rules, material: str) -> set[str]:
    """The materials that one step leads to: a piece less, a promotion, a choice of heir. An explosion is several steps."""
    found = set[str]()
    white, black = material.split("v")
    for mine, other in ((white, black), (black, white)):
        for letter in set(mine):
            rest = _without(mine, letter)
            if letter == "P" and rules.pawn is not None:
                found.update(named(rest + promoted, other) for promoted in rules.pawn.promotes_to)
            for left in _survivors(rules, rest, letter):
                found.add(named(left, other))
    return {name for name in found if stands(rules, name)} - {material}


def _survivors(rules: Rules, rest: str, gone: str) -> Iterator[str]:
    """What a side may be left with when it loses a piece."""
    royal = any(piece.royal for piece in rules.pieces if piece.letter == "K")
    if rules.succession and "K" not in rest:
        # Its king is gone, now or before: a choice of heir is open or made; a piece may be captured by the same move.
        line = [letter for letter in rules.succession if letter in rest + gone.replace("K", "")]
        if line and gone != "K":
            yield "K" + _without(rest + gone, line[0])
        elif line:
            yield rest if rest.count(line[0]) > 1 else "K" + _without(rest, line[0])
    elif gone != "K" or not royal:
        yield rest


def stands(rules: Rules, material: str) -> bool:
    """Whether a material is not decided already."""
    royal = {piece.letter for piece in rules.pieces if piece.royal}
    for letters in material.split("v"):
        pieces = letters.replace("P", "")
        if rules.title_order:
            if not set(pieces) - royal or (royal and not royal & set(pieces)):
                return False
        elif royal and not royal & set(pieces) and not rules.succession:
            return False
        if not pieces or (rules.bare_king_draws and letters == "K"):
            return False
        if rules.succession and "K" not in pieces and not _choice(rules, pieces):
            return False
    return True


def _choice(rules: Rules, pieces: str) -> bool:
    """Whether a side without king has several pieces that may succeed it."""
    line = [letter for letter in rules.succession if letter in pieces]
    return bool(line) and pieces.count(line[0]) > 1


def plan(rules: Rules, wanted: Iterable[str]) -> list[str]:
    """These materials and all that they lead to, each after those it leads to."""
    done: dict[str, None] = {}

    def add(name: str) -> None:
        if name in done:
            return
        for lesser in sorted(successors(rules, name)):
            add(lesser)
        done[name] = None

    for name in wanted:
        add(name)
    return list(done)


def materials_of(rules: Rules, pieces: int) -> list[str]:
    """All materials of that many pieces that a game may come to, those without pawns first."""
    letters = rules.letters if rules.pawn is not None else rules.letters[1:]
    must_have_king = bool(rules.succession) or any(piece.royal and piece.letter == "K" for piece in rules.pieces)
    found = set[str]()
    for first in range(1, pieces):
        for white in itertools.combinations_with_replacement(letters, first):
            for black in itertools.combinations_with_replacement(letters, pieces - first):
                kings = Counter(white)["K"], Counter(black)["K"]
                if max(kings) > 1 or (must_have_king and min(kings) < 1):
                    continue
                name = named("".join(white), "".join(black))
                if stands(rules, name):
                    found.add(name)
    return sorted(found, key=lambda name: (name.count("P"), [_place(letter, WORTH) for letter in name.replace("v", "")]))


def material_of(rules: Rules, pos: Position) -> str:
    """The name of the material on the board."""
    sides = ["".join(letter * (int(pos[TYPES + index]) & int(pos[side])).bit_count()
                     for index, letter in enumerate(rules.letters)) for side in (WHITE, BLACK)]
    return named(*sides)
