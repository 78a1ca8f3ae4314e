"""The features of the evaluation, and the weights of each game: one row, made from its declaration or tuned.

    int64 weights    the features of GROUPS, packed, one after the other: the evaluation is the sum of those found
                     EXCHANGE + type   value in exchanges, centipawns        STAGE + type   share of the middlegame
                     UNITS + type      weight of an attack next to the enemy king
                     WALKED + colour * 64 + square   steps that a pawn there has walked; 5 is a step before promotion
                     SCALES + cell     factor of an advantage if little is left to win with, in 64ths
                     ENDINGS ...       elementary endings, known exactly (endings.py)

Packed means middlegame + (endgame << 32), so that one addition does both. The weights are an argument of the kernels, so
tuning compiles nothing. Tuned weights are in variants/tuned/NAME.json, written by `kingmaker tune`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

import variants
from engine.rules import MAX_TYPES, Rules, Worth
from engine.rules.geometry import LARGEST, STRIDE, WORD
from engine.rules.movers import Mover
from search.eval.files import TunedError, read_file
from search.eval.known import ending_numbers, lone_scales
from search.params import PARAMS

TUNED = variants.FOLDER / "tuned"
ROYAL_VALUE = 20_000  # in exchanges; more than all else together
FULL_STAGE = 1 << 12
REACH = 32  # a piece with as many squares or more counts as one with the most below
STEPS = 8  # of a pawn, and of a king over the board
KING_DANGERS = 64


@dataclass(frozen=True)
class Group:
    """Features of one kind. size: how many, for each type of piece if `by_type`; term: the line of `eval` that sums them."""

    name: str
    size: int
    term: str
    meaning: str
    by_type: bool = False

    @property
    def features(self) -> int:
        """How many features it has, those of all types together."""
        return self.size * (MAX_TYPES if self.by_type else 1)


GROUPS = (
    Group("squares", WORD, "pieces", "a piece of a type on a square, seen from its side", True),
    Group("mobility", REACH, "mobility", "by the number of squares that a piece of a type may go to", True),
    Group("passed", STEPS, "passed pawns", "no enemy pawn can stop or capture it: by steps walked"),
    Group("passed_guarded", STEPS, "passed pawns", "and an own pawn guards it"),
    Group("passed_free", STEPS, "passed pawns", "and its next square is empty and not attacked"),
    Group("passed_enemy_king", STEPS, "passed pawns", "three steps walked or more: by the distance of the enemy king"),
    Group("passed_own_king", STEPS, "passed pawns", "the same: by the distance of the own king"),
    Group("isolated", 2, "pawns", "no own pawn on the adjacent files: with an enemy pawn ahead on its file, without"),
    Group("doubled", 1, "pawns", "an own pawn ahead on its file"),
    Group("supported", STEPS, "pawns", "guarded by a pawn: by steps walked"),
    Group("phalanx", STEPS, "pawns", "a pawn next to it on its rank: by steps walked"),
    Group("pair", 1, "pieces", "two pieces of a type or more", True),
    Group("open_file", 2, "mobility", "a piece that moves as a rook on a file without own pawns, without any pawns"),
    Group("king_danger", KING_DANGERS, "attack", "by the weighted sum of attacks on the squares around the enemy king"),
    Group("weak_squares", 10, "attack", "squares around the enemy king that are attacked and guarded by royal pieces at most"),
    Group("check", 1, "attack", "safe checks by a piece of a type, at most 3", True),
    Group("attackers", 8, "attack", "pieces that attack a square around the enemy king"),
    Group("flank", 16, "attack", "squares attacked on the files around the enemy king, in its half and a rank more"),
    Group("flank_twice", 8, "attack", "those of them attacked by two pieces"),
    Group("flank_defended", 16, "attack", "squares that the king's side attacks on those files"),
    Group("shelter", 9, "king", "own pawns next to the king"),
    Group("king_cover", 32, "king", "the first own pawn on each of its three files: files to the edge * 8 + its rank, 0: none"),
    Group("storm", 32, "king", "the first enemy pawn there: files to the edge * 8 + its rank"),
    Group("storm_blocked", 8, "king", "instead, if an own pawn stands right before it: its rank"),
    Group("king_file", 2, "king", "the king on a file without own pawns, without any pawns"),
    Group("explosion_neighbours", 9, "king", "own pieces, not pawns, next to a king that explosions reach"),
    Group("explosion_targets", 9, "attack", "attacked pieces next to an enemy king that explosions reach"),
    Group("royal_mobility", 16, "king", "safe squares that a royal piece may go to"),
    Group("threat_by_pawn", 1, "threats", "an enemy piece of a type attacked by a pawn", True),
    Group("threat_by_lesser", 1, "threats", "attacked by a piece of a lesser type", True),
    Group("hanging", 1, "threats", "attacked and not guarded", True),
    Group("threat_by_push", 1, "threats", "attacked by a pawn after a safe step", True),
    Group("outpost", 2, "pieces", "in the enemy's half, no pawn can ever attack it: not guarded by a pawn, guarded", True),
    Group("title", 1, "king", "the title held by a piece of a type", True),
    Group("heirs", 9, "king", "number of pieces that may succeed the king at once"),
    Group("heir", 1, "king", "the type of the next in line", True),
    Group("drives", 9, "attack", "squares to which the enemy king can be driven"),
    Group("drive_hit", 9, "attack", "those of them that are attacked"),
    Group("drive_prey", 1, "attack", "an enemy piece of a type on one of them", True),
    Group("series", 1, "attack", "a counting check in the current series"),
    Group("lone_king_centre", 7, "attack", "a royal piece left alone: by its distance from the centre"),
    Group("lone_king_distance", STEPS, "attack", "and by the distance between the royal pieces"),
    Group("rights", 3, "king", "castling rights"),
    Group("move", 1, "to move", "being to move"),
)

START: dict[str, int] = {}
for _group in GROUPS:
    START[_group.name] = sum(group.features for group in GROUPS[:len(START)])
(SQUARES, MOBILITY, PASSED, PASSED_GUARDED, PASSED_FREE, PASSED_ENEMY_KING, PASSED_OWN_KING, ISOLATED, DOUBLED, SUPPORTED,
 PHALANX, PAIR, OPEN_FILE, KING_DANGER, WEAK_SQUARES, CHECK, ATTACKERS, FLANK, FLANK_TWICE, FLANK_DEFENDED, SHELTER, KING_COVER,
 STORM, STORM_BLOCKED, KING_FILE, EXPLOSION_NEIGHBOURS, EXPLOSION_TARGETS, ROYAL_MOBILITY, THREAT_BY_PAWN, THREAT_BY_LESSER,
 HANGING, THREAT_BY_PUSH, OUTPOST, TITLE, HEIRS, HEIR, DRIVES, DRIVE_HIT, DRIVE_PREY, SERIES, LONE_KING_CENTRE,
 LONE_KING_DISTANCE, RIGHTS, MOVE) = START.values()
FEATURES = sum(group.features for group in GROUPS)


def greatest(name: str) -> int:
    """The greatest number that a group of features distinguishes; greater ones count as that."""
    return next(group.size for group in GROUPS if group.name == name) - 1


EXCHANGE = FEATURES
STAGE = EXCHANGE + MAX_TYPES
UNITS = STAGE + MAX_TYPES
BEST_PROMOTION = UNITS + MAX_TYPES  # value of the best piece that a pawn may promote to
WALKED = BEST_PROMOTION + 1
SCALES = WALKED + 2 * WORD
CELLS = 48  # pawns of the better side, 0 .. 3, * 12 + its lead in pieces, 0 .. 3, * 3 + pieces of the other, 0 .. 2
ENDINGS = SCALES + CELLS  # elementary endings: endings.py
WEIGHTS = ENDINGS + 1  # length of a row without any
# steps of the lead in pieces, in shares of the middlegame: about a knight, a rook, more
LEADS = (150, 260, 380)


# Packed scores

def packed(middlegame: float, endgame: float) -> int:
    """Two scores in one integer."""
    return round(middlegame) + (round(endgame) << 32)


def middlegame(score: int) -> int:
    """The first half of a packed score."""
    return (score + (1 << 31)) % (1 << 32) - (1 << 31)


def endgame(score: int) -> int:
    """The second half of a packed score."""
    return (score + (1 << 31)) >> 32


# The weights of a game before it is tuned

def average_moves(rules: Rules, mover: Mover) -> float:
    """Squares that a piece reaches, averaged over the board, if each square that it slides over is empty in 7 of 10 cases."""
    geometry, total = rules.traits.geometry, 0.0
    for square in geometry.squares:
        leaps = 0 if mover.leaps is None else int(mover.leaps[0, square])
        total += leaps.bit_count()
        if mover.rays is not None:
            total += sum(0.7 ** n for ray in mover.rays[0, square] for n in range(int((ray < WORD).sum())))
        for slides, limit, straight in ((mover.rook, mover.rook_limit, True), (mover.bishop, mover.bishop_limit, False)):
            if not slides:
                continue
            reach = -1 if limit is None else int(limit[0, square])
            for files, ranks in ((1, 0), (0, 1), (-1, 0), (0, -1)) if straight else ((1, 1), (-1, 1), (1, -1), (-1, -1)):
                chance = 1.0
                for target in geometry.way(square, files, ranks, LARGEST):
                    if not reach >> target & 1:
                        break
                    total += chance
                    chance *= 0.7
    return total / len(geometry.squares)


def worth_of(rules: Rules, letter: str) -> Worth:
    """The declared value of a piece, or a guess from its average mobility."""
    if letter in rules.values:
        return rules.values[letter]
    if letter in ("P", "_"):
        return Worth((85, 110), ranks=((0, 0, 2, 6, 14, 30, 60, 0), (0, 0, 4, 12, 25, 50, 90, 0)),
                     files=((-4, -2, 0, 6, 6, 0, -2, -4), (0,) * 8))
    mover = next(piece for piece in rules.traits.pieces if piece.letter == letter)
    if mover.royal and rules.traits.one_king and rules.traits.pawn is not None and rules.traits.pawn.lopsided:
        return Worth((0, 0), centre=(-10, 8))
    if mover.royal and rules.traits.one_king:
        return Worth((0, 0), ranks=((15, 0, -20, -35, -45, -50, -55, -60), (-15, -5, 0, 5, 10, 10, 5, 0)), centre=(-6, 12))
    value = round(57 * average_moves(rules, mover) + 10)
    return Worth((value, value), centre=(4, 4))


def steps_walked(rules: Rules) -> list[int]:
    """For each square, the steps that a white pawn there has walked: 5 a step before promotion, 0 if it never promotes."""
    pawn = rules.traits.pawn
    walked = [0] * WORD
    if pawn is None:
        return walked
    reached, left = int(pawn.zone[0]), 5
    while left >= 0:
        before = 0
        for square in rules.traits.geometry.squares:
            for step in pawn.steps:
                goal = (square + int(step.shift[0])) % WORD
                if int(step.source[0]) >> square & 1 and reached >> goal & 1 and not reached >> square & 1:
                    before |= 1 << square
                    walked[square] = left
        if not before:
            break
        reached |= before
        left -= 1
    return walked


def seen_by_black(rules: Rules, square: int) -> int:
    """The square that is to Black what `square` is to White.

    Its mirror image, or turned if pawns know left from right, or the same if both sides run the same way.
    """
    geometry, pawn = rules.traits.geometry, rules.traits.pawn
    if rules.traits.sides_run_alike:
        return square
    return geometry.opposite(square) if pawn is not None and pawn.lopsided else geometry.mirrored(square)


def start_features(rules: Rules) -> np.ndarray:
    """float64[FEATURES, 2]: middlegame and endgame weights of a game that is not tuned, centipawns."""
    found = np.zeros((FEATURES, 2))
    traits, geometry = rules.traits, rules.traits.geometry
    movers = {mover.index: mover for mover in traits.pieces}
    walked = steps_walked(rules)
    for index, letter in enumerate(rules.letters):
        worth, mover = worth_of(rules, letter), movers.get(index)
        for square in geometry.squares:
            rank, file = divmod(square, STRIDE)
            centre = min(file, geometry.last_file - file, rank, geometry.last_rank - rank)
            if letter == "P" and traits.pawn is not None:
                rank = 1 + max(0, walked[square])
            found[SQUARES + index * WORD + square] = [
                worth.value[s] + worth.ranks[s][rank] + worth.files[s][file] + worth.centre[s] * centre for s in (0, 1)]
        if mover is not None and not mover.royal:
            reach = max(1.0, average_moves(rules, mover))
            found[MOBILITY + index * REACH:MOBILITY + (index + 1) * REACH] = 26 / reach * np.arange(REACH)[:, None]
    steps = np.arange(STEPS)
    found[PASSED:PASSED + STEPS] = np.stack([3 * steps**2, 6 * steps**2], 1)
    found[ISOLATED:ISOLATED + 2] = -10
    units = np.arange(KING_DANGERS)
    danger = np.minimum(units**2 * (40 if traits.captures_explode else 22) / 128, 500)
    found[KING_DANGER:KING_DANGER + KING_DANGERS] = danger[:, None]
    if not traits.captures_explode:
        found[SHELTER:SHELTER + 9] = 12 * np.arange(9)[:, None]
    found[LONE_KING_CENTRE:LONE_KING_CENTRE + 7] = 40 * np.arange(7)[:, None]
    found[LONE_KING_DISTANCE:LONE_KING_DISTANCE + STEPS] = 30 * (7 - steps)[:, None]
    found[MOVE] = 12
    return found


def start_values(rules: Rules) -> dict[str, int]:
    """Values of the pieces that are not royal in exchanges, centipawns by letter."""
    royal = {mover.letter for mover in rules.traits.pieces if mover.royal}
    return {letter: sum(worth_of(rules, letter).value) // 2 for letter in rules.letters if letter not in royal}


# The row of weights

def weights_of(rules: Rules) -> np.ndarray:
    """int64[WEIGHTS + ...] of a game, tuned if it is; made once, read only. Raises TunedError."""
    return _weights_of(rules)


def fitted_weights(rules: Rules) -> np.ndarray:
    """int64[WEIGHTS]: the same without the elementary endings. Raises TunedError."""
    tuned = read_tuned(rules)
    return make_weights(rules, start_features(rules), start_values(rules)) if tuned is None else make_weights(rules, *tuned)


@functools.lru_cache(maxsize=64)
def _weights_of(rules: Rules) -> np.ndarray:
    found = fitted_weights(rules)
    for number, scale in lone_scales(rules).items():  # not fitted to games: the players could not win these endings
        found[SCALES + number] = scale
    return np.concatenate([found[:ENDINGS], ending_numbers(rules)])


def make_weights(rules: Rules, features: np.ndarray, values: dict[str, int], scales: np.ndarray | None = None) -> np.ndarray:
    """int64[WEIGHTS]. features: float[FEATURES, 2]; values: centipawns by letter; scales: int[CELLS], 64ths."""
    weights = np.zeros(WEIGHTS, np.int64)
    traits = rules.traits
    whole = np.round(features).astype(np.int64)
    weights[:FEATURES] = whole[:, 0] + (whole[:, 1] << 32)
    walked = steps_walked(rules)
    for square in traits.geometry.squares:
        weights[WALKED + square] = weights[WALKED + WORD + seen_by_black(rules, square)] = walked[square]
    royal = {mover.letter for mover in traits.pieces if mover.royal}
    for index, letter in enumerate(rules.letters):
        weights[EXCHANGE + index] = ROYAL_VALUE if letter in royal else values[letter]
        if letter not in royal and index:
            weights[UNITS + index] = max(1, round(start_values(rules)[letter] / 160))
    if traits.pawn is not None:
        weights[BEST_PROMOTION] = max(weights[EXCHANGE + index] for index in traits.pawn.promotions)
    _stages(rules, weights)
    weights[SCALES:SCALES + CELLS] = 64 if scales is None else scales
    return weights


def _stages(rules: Rules, weights: np.ndarray) -> None:
    """Shares of the middlegame: the pieces of the start position, without pawns and royal pieces, sum up to FULL_STAGE.

    They follow the declared values, so that tuning does not change the meaning of its own weights.
    """
    placement = rules.start_fen.split()[0].upper()
    values = {letter: value for letter, value in start_values(rules).items() if letter != "P"}
    total = sum(values.get(letter, 0) for letter in placement)
    for index, letter in enumerate(rules.letters):
        weights[STAGE + index] = values.get(letter, 0) * FULL_STAGE // max(1, total)


def params_of(rules: Rules) -> np.ndarray:
    """int32[len(PARAMS)], a fresh array: the search's parameters of a game, tuned if they are. Raises TunedError."""
    return PARAMS.array(**_params_of(rules))


@functools.lru_cache(maxsize=64)
def _params_of(rules: Rules) -> dict[str, int]:
    path = TUNED / f"{rules.name}.json"
    try:
        found = {str(name): int(value) for name, value in read_file(path).get("params", {}).items()}
        PARAMS.array(**found)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise TunedError(f"{str(path)!r} holds no numbers of the search: {error}") from None
    return found


# Tuned numbers on disk

def read_tuned(rules: Rules) -> tuple[np.ndarray, dict[str, int], np.ndarray] | None:
    """(features, values, scales) as tuned, None if they are not. Raises TunedError naming the file and what is wrong.

    A file may hold numbers of the search alone.
    """
    path = TUNED / f"{rules.name}.json"
    found = read_file(path)
    if not {"features", "values", "scales"} & found.keys():
        return None
    try:
        return _features(rules, found["features"]), {k: int(v) for k, v in found["values"].items()}, np.array(
            found["scales"], np.int64).reshape(CELLS)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise TunedError(f"{str(path)!r} holds no weights of {rules.name}: {error!r}") from None


def _features(rules: Rules, written: dict[str, Any]) -> np.ndarray:
    features = np.zeros((FEATURES, 2))
    for group in GROUPS:
        for label, pair in written.get(group.name, {}).items():
            first = START[group.name] + (rules.letters.index(label) * group.size if group.by_type else 0)
            features[first:first + group.size] = np.array(pair, float).reshape(2, group.size).T
    return features


def written_features(rules: Rules, features: np.ndarray) -> dict[str, Any]:
    """As _features() reads them: {group: {letter or "all": [middlegame weights, endgame weights]}}, without zeros."""
    found: dict[str, Any] = {}
    whole = np.round(features).astype(int)
    for group in GROUPS:
        lines = {}
        for index, label in enumerate(rules.letters if group.by_type else ("all",)):
            first = START[group.name] + index * group.size
            part = whole[first:first + group.size]
            if part.any():
                lines[label] = part.T.tolist()
        if lines:
            found[group.name] = lines
    return found
