"""What an evaluation is made of, and the numbers of each game: one row of weights, made from its declaration or tuned.

    int64 weights    the features of GROUPS, packed, one after the other: an evaluation is the sum of those found
                     EXCHANGE + type   value in exchanges, centipawns        STAGE + type   share of the middlegame
                     UNITS + type      weight of an attack next to the enemy king
                     WALKED + colour * 64 + square   steps a pawn has behind it: 5 a step before it promotes
                     SCALES + cell     what an advantage is worth where little is left to win with, in 64ths
                     ENDINGS ...       elementary endings, known exactly (endings.py)

Packed means middlegame + (endgame << 32), so that one addition does both. The numbers are an argument of the kernels: tuning
compiles nothing. Tuned ones lie in variants/tuned/NAME.json, written by `kingmaker tune`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

import variants
from engine.rules import MAX_TYPES, Rules, Worth
from engine.rules.movers import Mover
from search.eval.files import TunedError, read_file
from search.eval.known import ending_numbers, lone_scales
from search.params import PARAMS

TUNED = variants.FOLDER / "tuned"
ROYAL_VALUE = 20_000  # in exchanges; more than all else together
FULL_STAGE = 1 << 12
REACH = 32  # numbers of squares a man may go to that are told apart
STEPS = 8
DANGERS = 64


@dataclass(frozen=True)
class Group:
    """Features of one kind. size: how many, of each type of man where `by_type`; term: the line of `eval` for them."""

    name: str
    size: int
    term: str
    meaning: str
    by_type: bool = False

    @property
    def features(self) -> int:
        return self.size * (MAX_TYPES if self.by_type else 1)


GROUPS = (
    Group("squares", 64, "men", "a man of a type on a square, seen from its side", True),
    Group("freedom", REACH, "mobility", "so many squares a man of a type may go to", True),
    Group("passed", STEPS, "passed pawns", "nothing can stop or take it: by steps walked"),
    Group("passed_guarded", STEPS, "passed pawns", "and an own pawn guards it"),
    Group("passed_free", STEPS, "passed pawns", "and its next square is empty and not attacked"),
    Group("passed_foe", STEPS, "passed pawns", "three steps walked or more: distance of the enemy king from it"),
    Group("passed_own", STEPS, "passed pawns", "the same: distance of the own king"),
    Group("lonely", 2, "pawns", "no own pawn on the next files: an enemy pawn ahead on its file, none"),
    Group("doubled", 1, "pawns", "an own pawn ahead on its file"),
    Group("backed", STEPS, "pawns", "guarded by a pawn: by steps walked"),
    Group("beside", STEPS, "pawns", "a pawn next to it on its rank: by steps walked"),
    Group("pair", 1, "men", "the second man of a type", True),
    Group("open_file", 2, "mobility", "a man that moves as a rook on a file without own pawns, without any"),
    Group("danger", DANGERS, "attack", "attacks on the squares around the enemy king, weighed"),
    Group("weak", 10, "attack", "squares around the enemy king that are attacked and guarded by royal men at most"),
    Group("check", 1, "attack", "squares on which a man of a type may give check and is not taken, at most 3", True),
    Group("attackers", 8, "attack", "men that attack a square around the enemy king"),
    Group("flank", 16, "attack", "squares attacked on the files around the enemy king, in his half and a rank more"),
    Group("flank_twice", 8, "attack", "those of them attacked by two men"),
    Group("flank_held", 16, "attack", "squares the king's side attacks on those files"),
    Group("shelter", 9, "king", "own pawns next to the king"),
    Group("cover", 32, "king", "the first own pawn on the three files before him: files to the edge * 8 + its rank, 0: none"),
    Group("storm", 32, "king", "the first enemy pawn there: files to the edge * 8 + its rank"),
    Group("rammed", 8, "king", "instead, where an own pawn stands right before it: its rank"),
    Group("king_file", 2, "king", "the king on a file without own pawns, without any"),
    Group("near", 9, "king", "own men but pawns next to a king that explosions reach"),
    Group("target", 9, "attack", "men next to an enemy king that explosions reach, attacked"),
    Group("royal_freedom", 16, "king", "safe squares a royal man may go to"),
    Group("by_pawn", 1, "threats", "an enemy man of a type attacked by a pawn", True),
    Group("by_lesser", 1, "threats", "attacked by a man of a lesser type", True),
    Group("loose", 1, "threats", "attacked and not guarded", True),
    Group("by_push", 1, "threats", "attacked by a pawn after a step that is safe", True),
    Group("outpost", 2, "men", "a man in the enemy's half no pawn can ever attack: not guarded by a pawn, guarded", True),
    Group("title", 1, "king", "the title held by a man of a type", True),
    Group("heirs", 9, "king", "how many men may succeed the king at once"),
    Group("heir", 1, "king", "the type of the next in line", True),
    Group("drives", 9, "attack", "squares to which the enemy king can be driven"),
    Group("drive_hit", 9, "attack", "those of them that are attacked"),
    Group("drive_prey", 1, "attack", "an enemy man of a type on one of them", True),
    Group("series", 1, "attack", "a counting check in the series under way"),
    Group("cornered", 7, "attack", "a royal man left alone: files and ranks between him and the middle"),
    Group("apart", STEPS, "attack", "then the steps between the royal men"),
    Group("rights", 3, "king", "castlings left"),
    Group("move", 1, "to move", "being to move"),
)

START: dict[str, int] = {}
for _group in GROUPS:
    START[_group.name] = sum(group.features for group in GROUPS[:len(START)])
(SQUARES, FREEDOM, PASSED, PASSED_GUARDED, PASSED_FREE, PASSED_FOE, PASSED_OWN, LONELY, DOUBLED, BACKED, BESIDE, PAIR,
 OPEN_FILE, DANGER, WEAK, CHECK, ATTACKERS, FLANK, FLANK_TWICE, FLANK_HELD, SHELTER, COVER, STORM, RAMMED, KING_FILE, NEAR,
 TARGET, ROYAL_FREEDOM, BY_PAWN, BY_LESSER, LOOSE, BY_PUSH, OUTPOST, TITLE, HEIRS, HEIR, DRIVES, DRIVE_HIT, DRIVE_PREY, SERIES,
 CORNERED, APART, RIGHTS, MOVE) = START.values()
FEATURES = sum(group.features for group in GROUPS)
EXCHANGE = FEATURES
STAGE = EXCHANGE + MAX_TYPES
UNITS = STAGE + MAX_TYPES
BEST_PROMOTION = UNITS + MAX_TYPES  # value of the best piece a pawn may become
WALKED = BEST_PROMOTION + 1
SCALES = WALKED + 2 * 64
CELLS = 48  # pawns of the better side, 0 to 3, * 12 + its lead in pieces, 0 to 3, * 3 + men of the other, 0 to 2
ENDINGS = SCALES + CELLS  # elementary endings: endings.py
WEIGHTS = ENDINGS + 1  # without any
# shares of the middlegame that a side's pieces lead by: less than a knight, a knight, a rook, more
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


# What a game begins with, before anything is tuned

def average_moves(mover: Mover) -> float:
    """Squares a piece reaches on average over the board, each square it slides over being free seven times in ten."""
    total = 0.0
    for square in range(64):
        leaps = 0 if mover.leaps is None else int(mover.leaps[0, square])
        total += leaps.bit_count()
        for slides, limit, straight in ((mover.rook, mover.rook_limit, True), (mover.bishop, mover.bishop_limit, False)):
            if not slides:
                continue
            reach = -1 if limit is None else int(limit[0, square])
            for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)) if straight else ((1, 1), (-1, 1), (1, -1), (-1, -1)):
                x, y, chance = (square & 7) + dx, (square >> 3) + dy, 1.0
                while 0 <= x < 8 and 0 <= y < 8 and reach >> (y * 8 + x) & 1:
                    total += chance
                    x, y, chance = x + dx, y + dy, chance * 0.7
    return total / 64


def worth_of(rules: Rules, letter: str) -> Worth:
    """What a game says of a piece; else a guess from how many squares it reaches."""
    if letter in rules.values:
        return rules.values[letter]
    if letter == "P":
        return Worth((85, 110), ranks=((0, 0, 2, 6, 14, 30, 60, 0), (0, 0, 4, 12, 25, 50, 90, 0)),
                     files=((-4, -2, 0, 6, 6, 0, -2, -4), (0,) * 8))
    mover = next(piece for piece in rules.traits.pieces if piece.letter == letter)
    if mover.royal and rules.traits.one_king and rules.traits.pawn is not None and rules.traits.pawn.lopsided:
        return Worth((0, 0), centre=(-10, 8))
    if mover.royal and rules.traits.one_king:
        return Worth((0, 0), ranks=((15, 0, -20, -35, -45, -50, -55, -60), (-15, -5, 0, 5, 10, 10, 5, 0)), centre=(-6, 12))
    value = round(57 * average_moves(mover) + 10)
    return Worth((value, value), centre=(4, 4))


def steps_walked(rules: Rules) -> list[int]:
    """For each square how far a white pawn there has come: 5 a step before it promotes, 0 where it never will."""
    pawn = rules.traits.pawn
    walked = [0] * 64
    if pawn is None:
        return walked
    reached, left = int(pawn.zone[0]), 5
    while left >= 0:
        before = 0
        for square in range(64):
            for step in pawn.steps:
                goal = (square + int(step.shift[0])) % 64
                if int(step.source[0]) >> square & 1 and reached >> goal & 1 and not reached >> square & 1:
                    before |= 1 << square
                    walked[square] = left
        if not before:
            break
        reached |= before
        left -= 1
    return walked


def black_turn(rules: Rules) -> int:
    """Black's board is White's turned upside down, or by half a turn where the pawns tell left from right: xor of squares."""
    return 63 if rules.traits.pawn is not None and rules.traits.pawn.lopsided else 56


def start_features(rules: Rules) -> np.ndarray:
    """float64[FEATURES, 2]: middlegame and endgame weights of a game nobody tuned, centipawns."""
    found = np.zeros((FEATURES, 2))
    traits = rules.traits
    movers = {mover.index: mover for mover in traits.pieces}
    walked = steps_walked(rules)
    for index, letter in enumerate(rules.letters):
        worth, mover = worth_of(rules, letter), movers.get(index)
        for square in range(64):
            file, rank = square & 7, square >> 3
            centre = min(file, 7 - file, rank, 7 - rank)
            if letter == "P" and traits.pawn is not None:
                rank = 1 + max(0, walked[square])
            found[SQUARES + index * 64 + square] = [
                worth.value[s] + worth.ranks[s][rank] + worth.files[s][file] + worth.centre[s] * centre for s in (0, 1)]
        if mover is not None and not mover.royal:
            reach = max(1.0, average_moves(mover))
            found[FREEDOM + index * REACH:FREEDOM + (index + 1) * REACH] = 26 / reach * np.arange(REACH)[:, None]
    steps = np.arange(STEPS)
    found[PASSED:PASSED + STEPS] = np.stack([3 * steps**2, 6 * steps**2], 1)
    found[LONELY:LONELY + 2] = -10
    units = np.arange(DANGERS)
    danger = np.minimum(units**2 * (40 if traits.captures_explode else 22) / 128, 500)
    found[DANGER:DANGER + DANGERS] = danger[:, None]
    if not traits.captures_explode:
        found[SHELTER:SHELTER + 9] = 12 * np.arange(9)[:, None]
    found[CORNERED:CORNERED + 7] = 40 * np.arange(7)[:, None]
    found[APART:APART + STEPS] = 30 * (7 - steps)[:, None]
    found[MOVE] = 12
    return found


def start_values(rules: Rules) -> dict[str, int]:
    """What men are worth in exchanges, centipawns by letter; royal ones apart."""
    royal = {mover.letter for mover in rules.traits.pieces if mover.royal}
    return {letter: sum(worth_of(rules, letter).value) // 2 for letter in rules.letters if letter not in royal}


# The row of weights

def weights_of(rules: Rules) -> np.ndarray:
    """int64[WEIGHTS + ...] of a game, tuned where somebody did; made once, not to be written to. Raises TunedError."""
    return _weights_of(rules)


def fitted_weights(rules: Rules) -> np.ndarray:
    """int64[WEIGHTS]: the same without what is known of endings. Raises TunedError."""
    tuned = read_tuned(rules)
    return make_weights(rules, start_features(rules), start_values(rules)) if tuned is None else make_weights(rules, *tuned)


@functools.lru_cache(maxsize=64)
def _weights_of(rules: Rules) -> np.ndarray:
    found = fitted_weights(rules)
    for number, scale in lone_scales(rules).items():  # what no game must say: engines that could not win played them
        found[SCALES + number] = scale
    return np.concatenate([found[:ENDINGS], ending_numbers(rules)])


def make_weights(rules: Rules, features: np.ndarray, values: dict[str, int], scales: np.ndarray | None = None) -> np.ndarray:
    """int64[WEIGHTS]. features: float[FEATURES, 2]; values: centipawns by letter; scales: int[CELLS], 64ths."""
    weights = np.zeros(WEIGHTS, np.int64)
    traits = rules.traits
    whole = np.round(features).astype(np.int64)
    weights[:FEATURES] = whole[:, 0] + (whole[:, 1] << 32)
    turn, walked = black_turn(rules), steps_walked(rules)
    for square in range(64):
        weights[WALKED + square] = weights[WALKED + 64 + (square ^ turn)] = walked[square]
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
    """Shares of the middlegame: the start position's men, pawns and royal pieces apart, make FULL_STAGE.

    By the declared values, so that tuning does not move what its own weights stand for.
    """
    placement = rules.start_fen.split()[0].upper()
    values = {letter: value for letter, value in start_values(rules).items() if letter != "P"}
    total = sum(values.get(letter, 0) for letter in placement)
    for index, letter in enumerate(rules.letters):
        weights[STAGE + index] = values.get(letter, 0) * FULL_STAGE // max(1, total)


def params_of(rules: Rules) -> np.ndarray:
    """int32[len(PARAMS)], to be written to: the search's numbers of a game, tuned where somebody did. Raises TunedError."""
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
    """(features, values, scales) as tuned, None where nobody did. Raises TunedError naming the file and what is wrong."""
    path = TUNED / f"{rules.name}.json"
    found = read_file(path)
    if not found:
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
    """As _features() reads them: {group: {letter or "all": [middlegame numbers, endgame numbers]}}, zeros left out."""
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
