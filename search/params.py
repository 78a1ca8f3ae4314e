"""The tunable numbers, one row each: default, range, step of a tuner, meaning. Hot code reads p[INDEX]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Tunable:
    """One number: its default, its range, the step of a tuner, its meaning and unit."""

    name: str
    start: int
    least: int
    most: int
    step: int
    meaning: str


class Params:
    """A table of tunables."""

    def __init__(self, *rows: Tunable):
        self.rows = rows
        self._index = {row.name: number for number, row in enumerate(rows)}
        assert len(self._index) == len(rows), "a name occurs twice"
        for row in rows:
            assert row.least <= row.start <= row.most and row.step > 0, row

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Tunable]:
        return iter(self.rows)

    def index(self, name: str) -> int:
        """Index of a tunable in p."""
        return self._index[name]

    def array(self, **changed: int) -> np.ndarray:
        """int32[len(PARAMS)]: the defaults, except those in `changed`. Raises KeyError, ValueError."""
        p = np.array([row.start for row in self.rows], np.int32)
        for name, value in changed.items():
            row = self.rows[self._index[name]]
            if not row.least <= value <= row.most:
                raise ValueError(f"{name} {value} is not in {row.least} .. {row.most}")
            p[self._index[name]] = value
        return p


PARAMS = Params(
    #        start  min  max  step  meaning, unit
    Tunable("aspiration", 17, 5, 80, 4, "half the first window around the last score: centipawns"),
    Tunable("table_clock", 90, 20, 100, 5, "no cutoff by the table after so many of the 100 plies without progress that draw"),
    Tunable("rfp_margin", 106, 20, 300, 8, "reverse futility: centipawns per ply left"),
    Tunable("rfp_depth", 8, 2, 12, 1, "reverse futility: up to this depth, plies"),
    Tunable("null_depth", 1, 1, 8, 1, "null move: from this depth, plies"),
    Tunable("null_base", 396, 100, 800, 30, "null move: hundredths of a ply of reduction"),
    Tunable("null_slope", 31, 0, 60, 4, "null move: the same per ply left"),
    Tunable("null_eval", 103, 50, 500, 15, "null move: one ply more per so many centipawns above beta"),
    Tunable("null_eval_most", 3, 0, 8, 1, "null move: at most so many plies for these"),
    Tunable("null_margin", 86, -200, 300, 15, "null move: the static evaluation must be so far above beta: centipawns"),
    Tunable("null_margin_slope", 10, 0, 40, 3, "the same, less per ply left"),
    Tunable("null_margin_pv", 87, 0, 300, 15, "the same, more where a principal variation was"),
    Tunable("iir_depth", 6, 2, 64, 1, "internal iterative reduction: from this depth, plies"),
    Tunable("iir_plies", 2, 1, 4, 1, "internal iterative reduction: plies"),
    Tunable("check_extension", 1, 0, 1, 1, "with more than few_pieces, a position in check is searched so much deeper: plies"),
    Tunable("reply_extension", 1, 0, 1, 1, "the only capture, where captures are forced, is searched so much deeper: plies"),
    Tunable("singular_depth", 7, 4, 64, 1, "singular extension: from this depth, plies"),
    Tunable("singular_slack", 3, 0, 8, 1, "the table's depth may be so much lower: plies"),
    Tunable("singular_margin", 18, 4, 120, 4, "how far the others stay below the table's score: 16ths of a centipawn per ply"),
    Tunable("singular_double", 44, 0, 200, 6, "below that by so much more, two plies: centipawns"),
    Tunable("singular_doubles", 3, 0, 20, 1, "so many double extensions in one line at most"),
    Tunable("lmr_depth", 3, 2, 8, 1, "late move reduction: from this depth, plies"),
    Tunable("lmr_moves", 1, 1, 6, 1, "late move reduction: not of so many first moves; at the root of two more"),
    Tunable("lmr_base", 47, 0, 250, 10, "late move reduction: hundredths of a ply"),
    Tunable("lmr_scale", 45, 15, 90, 4, "late move reduction: hundredths of a ply per ln(depth) * ln(move number)"),
    Tunable("lmr_history", 15015, 2000, 40000, 1000, "late move reduction: one ply less per so much history"),
    Tunable("lmr_history_mean", 5111, 0, 12000, 500, "late move reduction: above so much history"),
    Tunable("lmr_forcing", 0, 0, 2, 1, "late move reduction: so many plies less of a forcing move (forcing.py)"),
    Tunable("lmr_cut", 1, 0, 3, 1, "late move reduction: so many plies more where a fail-high is expected"),
    Tunable("lmr_cut_quiet", 1, 0, 3, 1, "late move reduction: so many plies more of quiet moves there"),
    Tunable("lmr_table_capture", 1, 0, 3, 1, "late move reduction: the same if the table's move captures"),
    Tunable("lmr_more", 1, 0, 2, 1, "late move reduction: so many plies more than for the depth at which moves are pruned"),
    Tunable("lmr_pv", 1, 0, 4, 1, "late move reduction: so many plies less in the principal variation"),
    Tunable("lmr_on_pv", 2, 0, 4, 1, "late move reduction: so many plies less where a principal variation was"),
    Tunable("lmr_worsening", 0, 0, 3, 1, "late move reduction: so many plies more if the position does not improve"),
    Tunable("pv_pruning", 0, 0, 1, 1, "1 prunes moves in principal variations, too"),
    Tunable("lmp_depth", 64, 2, 64, 4, "late move pruning: up to this depth, plies"),
    Tunable("lmp_base", 3, 1, 12, 1, "late move pruning: moves tried at depth 0, depth squared is added"),
    Tunable("lmp_forcing", 0, 0, 1, 1, "late move pruning: 1 leaves out forcing moves (forcing.py), too"),
    Tunable("futility_depth", 6, 2, 12, 1, "futility: up to this reduced depth, plies"),
    Tunable("futility_base", 85, 20, 300, 12, "futility: centipawns that a quiet move may gain at most"),
    Tunable("futility_slope", 82, 20, 200, 8, "futility: the same per ply left"),
    Tunable("history_depth", 3, 0, 12, 1, "history pruning: up to this reduced depth, plies"),
    Tunable("quiet_slope", 53, 10, 200, 6, "quiet moves that lose more in exchanges are not tried: see quiet_loss()"),
    Tunable("exchange_slope", 121, 10, 300, 10, "captures that lose more in exchanges are not tried: centipawns per ply left"),
    Tunable("forcing_slope", 0, 0, 1000, 50, "forcing moves: in place of quiet_slope and exchange_slope if greater"),
    Tunable("delta_margin", 76, 20, 500, 12, "quiescence: what a capture may gain beyond the pieces that it removes"),
    Tunable("quiescence_moves", 2, 1, 64, 1, "quiescence: captures tried, if they do not give check"),
    Tunable("quiet_checks", 1, 0, 6, 1, "quiescence: plies in which quiet moves that give check are tried, too"),
    Tunable("threat_plies", 2, 0, 6, 1, "quiescence: plies in which a threat to win at once must be answered"),
    Tunable("few_pieces", 3, 2, 10, 1, "with so many or fewer: extend checks; prune no quiet move, and no node near a mate"),
    Tunable("decided", 32000, 300, 32000, 200, "no node is pruned if the window is so far from level: centipawns"),
    Tunable("history_square", 6, 0, 20, 1, "histories: bonus of the best move per ply squared"),
    Tunable("history_slope", 227, 30, 600, 15, "histories: the same per ply"),
    Tunable("history_base", 219, 0, 400, 15, "histories: less of the same"),
    Tunable("correction_slope", 8, 2, 32, 1, "correction history: bonus of an error, divided by this, per ply"),
    Tunable("correction_most", 256, 64, 512, 24, "correction history: the greatest bonus"),
    Tunable("correction_divisor", 23, 8, 96, 3, "correction history: what the sum of three errors is divided by"),
    Tunable("soft_limit", 90, 15, 150, 5, "no new iteration after this share of the time meant for a move: percent"),
    Tunable("unstable", 160, 100, 250, 10, "that time if the best move has just changed: percent"),
    Tunable("stable_step", 11, 0, 25, 2, "less for each iteration it stayed the same, eight at most: percent"),
    Tunable("drop_slope", 200, 0, 300, 20, "more for each hundred centipawns the score fell: percent"),
    Tunable("share_slope", 90, 0, 200, 10, "less the more of the nodes went to the best move: percent"),
    Tunable("hard_limit", 500, 100, 800, 40, "never longer than this share of it: percent"),
    Tunable("moves_left", 20, 5, 80, 3, "moves that a clock must last for at the start if movestogo is absent"),
    Tunable("moves_late", 9, 3, 80, 2, "the same late in the game, approached by one move every five plies"),
)

(ASPIRATION, TABLE_CLOCK, RFP_MARGIN, RFP_DEPTH, NULL_DEPTH, NULL_BASE, NULL_SLOPE, NULL_EVAL, NULL_EVAL_MOST,
 NULL_MARGIN, NULL_MARGIN_SLOPE, NULL_MARGIN_PV, IIR_DEPTH, IIR_PLIES, CHECK_EXTENSION, REPLY_EXTENSION,
 SINGULAR_DEPTH, SINGULAR_SLACK, SINGULAR_MARGIN, SINGULAR_DOUBLE, SINGULAR_DOUBLES, LMR_DEPTH, LMR_MOVES,
 LMR_BASE, LMR_SCALE, LMR_HISTORY, LMR_HISTORY_MEAN, LMR_FORCING, LMR_CUT, LMR_CUT_QUIET, LMR_TABLE_CAPTURE,
 LMR_MORE, LMR_PV, LMR_ON_PV, LMR_WORSENING, PV_PRUNING, LMP_DEPTH, LMP_BASE, LMP_FORCING, FUTILITY_DEPTH,
 FUTILITY_BASE, FUTILITY_SLOPE, HISTORY_DEPTH, QUIET_SLOPE, EXCHANGE_SLOPE, FORCING_SLOPE, DELTA_MARGIN,
 QUIESCENCE_MOVES, QUIET_CHECKS, THREAT_PLIES, FEW_PIECES, DECIDED, HISTORY_SQUARE, HISTORY_SLOPE, HISTORY_BASE,
 CORRECTION_SLOPE, CORRECTION_MOST, CORRECTION_DIVISOR, SOFT_LIMIT, UNSTABLE, STABLE_STEP, DROP_SLOPE,
 SHARE_SLOPE, HARD_LIMIT, MOVES_LEFT, MOVES_LATE) = range(len(PARAMS))
assert all(globals()[row.name.upper()] == number for number, row in enumerate(PARAMS)), "names and rows differ"
