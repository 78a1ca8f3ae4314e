"""The numbers of elementary endings, by name and by key; endings.py says what they mean.

The files variants/endings/NAME.json and, for the numbers of pairs (ending_pairs.py), NAME.npz are written by
`kingmaker endings`.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

import variants
from engine.core.bits import squares
from engine.rules import BLACK, MAX_TYPES, TYPES, WHITE, Rules
from engine.rules.geometry import LIGHT, WORD
from search.eval.files import TunedError, read_file

KNOWN = variants.FOLDER / "endings"
ENDING_PIECES = 5  # pieces on the board, kings and pawns with them: endings with more are not looked for
PLAIN, LIGHT_BOUND, DARK_BOUND = range(3)  # variants of a type; of pawns that walk aslant, the first: one that never promotes
VARIANTS = 3
_PIECE = re.compile("[A-Z][12]?")
KINGS = 10 * 64  # places of two royal pieces, one of them in the triangle a1 d1 d4
BESIDE = 36  # distances in files and ranks, the greater first

GROUPS = {  # features, one of each group is found: (how many, what they tell apart)
    "turn": (2, "the first side to move, the second"),
    "apart": (8, "king's steps between the royal pieces"),
    "second_out": (7, "the second's royal piece: files and ranks from the middle"),
    "first_out": (7, "the first's"),
    "corner": (15, "files and ranks from it to the nearest corner, of the first's colour where the first is bound to one"),
    "hunters": (16, "king's steps from the second's royal piece to the first's other pieces, together"),
    "helper": (8, "king's steps from it to the nearest piece of its own"),
    "walked": (8, "steps the furthest pawn has walked"),
    "second_goal": (8, "king's steps from the second's royal piece to where that pawn promotes"),
    "first_goal": (8, "from the first's"),
    "race": (12, "what the second lacks to reach it in time: steps + 5"),
    "free": (9, "safe squares the second's royal piece may go to"),
    "loose": (8, "attacked and not guarded: the first has such a piece, the second has; + 4 where the second is to move"),
    "first_title": (MAX_TYPES, "type of the first's royal piece"),
    "second_title": (MAX_TYPES, "of the second's"),
    # Finer ones, for endings that these do not tell well enough
    "kings": (2 * KINGS, "where both royal pieces stand, without pawns: the second's in a triangle; + KINGS by colour"),
    "hunter_at": (MAX_TYPES * BESIDE, "a piece of the first's, seen from the second's royal piece, by type"),
    "helper_at": (BESIDE, "a piece of the second's, seen from its royal piece"),
    "helper_from": (BESIDE, "the same, seen from the first's royal piece"),
    "pair_at": (BESIDE, "and seen from a piece of the first's"),
}
COARSE = 15  # groups of which each position has exactly one feature
_SIZES = [size for size, _ in GROUPS.values()]
STARTS = [1 + sum(_SIZES[:n]) for n in range(len(_SIZES))]  # feature 0 is none, and worth nothing
(TURN_OF, APART, SECOND_OUT, FIRST_OUT, CORNER, HUNTERS, HELPER, WALKED_BY, SECOND_GOAL, FIRST_GOAL, RACE, FREE, LOOSE,
 FIRST_TITLE, SECOND_TITLE, KINGS_AT, HUNTER_AT, HELPER_AT, HELPER_FROM, PAIR_AT) = STARTS
SLOTS = COARSE + 12  # features found in a position at most
LEAST, GREATEST, CONSTANT, BEND, PAIRS = range(5)
FIRST_FEATURE = 5
STATES, TITLED_STATES = 2, 4
PAIR_STEP = 2  # centipawns that a number of a pair stands for in the file
MIXED = 90.0  # per cent of positions with one outcome, below which an ending's value is bent: half a chance is worth a fifth
ROW = FIRST_FEATURE + 1 + sum(_SIZES)


_random = np.random.Generator(np.random.PCG64(20261121))
TOUCHING = " touching"  # behind the name of an ending where explosions do not reach kings that stand side by side
TOUCHING_KEY = int(_random.integers(0, 1 << 64, dtype=np.uint64))
KEYS = _random.integers(0, 1 << 64, (2, MAX_TYPES, VARIANTS), np.uint64)  # first or second side, type, variant


def spellings(rules: Rules, name: str) -> list[str]:
    """An ending's name with its variants written as digits, `KB1P2vK`, and that of its mirror image, in order."""
    pawn = rules.traits.pawn
    if "P" in name and pawn is not None and pawn.lopsided:
        return [name]  # left and right are not alike
    pieces, touching = name.removesuffix(TOUCHING), name[len(name.removesuffix(TOUCHING)):]
    mirrored = (_PIECE.findall(side) for side in pieces.translate(str.maketrans("12", "21")).split("v"))
    return sorted({name, "v".join("".join(sorted(side, key=lambda each: (pieces.index(each[0]), each[1:] or "3")))
                         for side in mirrored)
                   + touching})


def letters_of(side: str) -> str:
    """The pieces of one side of a name, without their variants."""
    return "".join(letter for letter in side.removesuffix(TOUCHING) if letter.isalpha())


def pieces_of(name: str) -> int:
    """How many pieces an ending has."""
    return sum(len(letters_of(side)) for side in name.split("v"))


def key_of(rules: Rules, name: str) -> int:
    """The key of an ending by name, as material_key() finds it; int64."""
    key = TOUCHING_KEY if name.endswith(TOUCHING) else 0
    for side, pieces in enumerate(name.removesuffix(TOUCHING).split("v")):
        for letter, digit in itertools.zip_longest(pieces, pieces[1:], fillvalue=""):
            if letter.isdigit():
                continue
            variant = int(digit) if digit.isdigit() else PLAIN
            key += int(KEYS[side, rules.letters.index(letter), variant])
    return int(np.uint64(key % (1 << 64)).astype(np.int64))


def name_of(rules: Rules, pos: np.ndarray, first: int) -> str:
    """The name of the ending on the board, without regard to whether it is known; first: the colour named first."""
    sides = []
    for colour in (first, 1 - first):
        own, letters = int(pos[WHITE + colour]), []
        for index, letter in sorted(enumerate(rules.letters), key=lambda item: (item[1] != "K", item[0] == 0, -item[0])):
            there = int(pos[TYPES + index]) & own
            if index and rules.traits.pieces[index - 1].bound:
                light = int(LIGHT)
                letters += [f"{letter}1"] * (there & light).bit_count() + [f"{letter}2"] * (there & ~light).bit_count()
                continue
            if index == 0 and rules.traits.pawn is not None and rules.traits.pawn.straight:
                edges = [int(rules.traits.geometry.west_edge), int(rules.traits.geometry.east_edge)]
                to_light, to_dark = there & edges[colour], there & edges[1 - colour]
                letters += ["P1"] * to_light.bit_count() + ["P2"] * to_dark.bit_count()
                there &= ~(to_light | to_dark)
            if index == 0 and rules.traits.pawn is not None and rules.traits.pawn.lopsided:
                stuck = there & int(rules.traits.pawn.stuck[colour])
                letters += ["P1"] * stuck.bit_count()
                there &= ~stuck
            letters += [letter] * there.bit_count()
        sides.append("".join(letters))
    touching = False
    if rules.captures_explode and rules.traits.king is not None:
        white, black = (next(squares(int(pos[rules.traits.king.word]) & int(pos[side]))) for side in (WHITE, BLACK))
        touching = int(rules.traits.geometry.king_attacks[white]) >> black & 1 != 0
    return "v".join(sides) + (TOUCHING if touching else "")


def known_path(rules: Rules) -> Path:
    """Where the endings of a game are kept."""
    return KNOWN / f"{rules.name}.json"


def states_of(rules: Rules) -> int:
    """How many states of an ending have numbers of pairs of their own (ending_pairs.py)."""
    return TITLED_STATES if rules.traits.titles else STATES


def read_endings(rules: Rules) -> dict[str, dict[str, Any]]:
    """The endings of a game by name, empty where there are none. Raises TunedError.

    Those with numbers of pairs have them under "pairs": int8[pairs, states, WORD, WORD].
    """
    found = read_file(known_path(rules)).get("endings", {})
    if not isinstance(found, dict):
        raise TunedError(f"{str(known_path(rules))!r} holds no endings")
    path = known_path(rules).with_suffix(".npz")
    if path.exists():
        try:
            with np.load(path) as pairs:
                for name in pairs:
                    found[name]["pairs"] = pairs[name]
                    if pairs[name].shape != (math.comb(pieces_of(name), 2), states_of(rules), WORD, WORD):
                        raise ValueError(f"{name} has {pairs[name].shape}")
        except (OSError, ValueError, KeyError, BadZipFile) as error:
            raise TunedError(f"{str(path)!r} holds no pairs of {rules.name}: {error!r}") from None
    return found


def known_ending(rules: Rules, pos: np.ndarray) -> str | None:
    """What is known of the ending on the board, as a line to read; None where nothing is. Raises TunedError."""
    if (int(pos[WHITE]) | int(pos[BLACK])).bit_count() > ENDING_PIECES:
        return None
    endings = read_endings(rules)
    for first, side in enumerate(("White", "Black")):
        name = name_of(rules, pos, first)
        for spelled in spellings(rules, name):
            if spelled in endings:
                won, drawn, lost = endings[spelled]["shares"]
                source = f"{endings[spelled]['played']} games" if "played" in endings[spelled] else "its table"
                return f"{spelled}, known from {source}: {won} % won, {drawn} % drawn, {lost} % lost for {side}"
    return None


def lone_scales(rules: Rules) -> dict[int, int]:
    """What an advantage against a lone royal piece is worth, in 64ths, by cell of SCALES. Raises TunedError."""
    found = read_file(known_path(rules)).get("lone", {})
    try:
        return {int(number): int(scale) for number, scale in found.items()}
    except (AttributeError, TypeError, ValueError) as error:
        raise TunedError(f"{str(known_path(rules))!r} holds no scales of {rules.name}: {error!r}") from None


def _rows(rules: Rules, endings: dict[str, dict[str, Any]]) -> Iterator[tuple[set[int], np.ndarray]]:
    """(keys, int64[ROW]) of every ending: its own and that of its mirror image."""
    for name, ending in endings.items():
        row = np.zeros(ROW, np.int64)
        row[LEAST], row[GREATEST], row[CONSTANT] = ending["least"], ending["greatest"], ending["constant"]
        if max(ending["shares"]) < MIXED:
            row[BEND] = 5 * max(abs(ending["least"]), abs(ending["greatest"])) // 4
        for (group, (size, _)), start in zip(GROUPS.items(), STARTS, strict=True):
            numbers = ending.get(group, ())
            first = FIRST_FEATURE + start
            if isinstance(numbers, dict):  # by feature, where most have none
                row[[first + int(number) for number in numbers]] = list(numbers.values())
                assert max(map(int, numbers)) < size, (name, group)
            else:
                row[first:first + len(numbers)] = numbers
                assert len(numbers) <= size, (name, group)
        yield {key_of(rules, spelled) for spelled in spellings(rules, name)}, row


def ending_numbers(rules: Rules, endings: dict[str, dict[str, Any]] | None = None) -> np.ndarray:
    """int64[...]: what stands in a game's weights from ENDINGS on. Raises TunedError naming the file and what is wrong.

    endings: by name; default: those in the game's file.
    """
    if endings is None:
        endings = read_endings(rules)
    try:
        rows = list(_rows(rules, endings))
    except (KeyError, TypeError, ValueError, AssertionError) as error:
        raise TunedError(f"{str(known_path(rules))!r} holds no endings of {rules.name}: {error!r}") from None
    places = sorted((key, number) for number, (keys, _) in enumerate(rows) for key in keys)
    keys = [key for key, _ in places]
    assert len(set(keys)) == len(keys), "two endings have one key"
    parts = [np.array([len(keys), *keys, *(number for _, number in places)], np.int64), *(row for _, row in rows)]
    ahead = len(rows) * ROW  # numbers from the row to where the next pairs go
    for (_, row), ending in zip(rows, endings.values(), strict=True):
        if "pairs" in ending:
            row[PAIRS] = ahead
            parts.append(ending["pairs"].astype(np.int64).ravel() * PAIR_STEP)
            ahead += len(parts[-1])
        ahead -= ROW
    return np.concatenate(parts)
