"""The trainer's kernels: outputs, gradient and AdamW.

Written here because the inputs are few of many: torch's layers take five to ten times as long on a processor.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from search.eval.net.inference import QB, WEIGHT_MOST
from search.eval.net.inputs import VIEWS

LARGEST = WEIGHT_MOST / QB  # of all weights: 1.98
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
_F32 = np.float32
_ZERO, _ONE, _TWO = _F32(0), _F32(1), _F32(2)
# Sums in any order, so that vectors can be used: their last digits differ between machines. No arrays are made, so no
# references need counting.
compiled = numba.njit(nogil=True, fastmath=True, _nrt=False)


@compiled
def output(found, first, last, bucket, rows, bias, out, out_bias, hidden):
    """The output of a position, float32; hidden: float32[2, neurons], receives the hidden layer before it is clipped."""
    total = out_bias[bucket]
    for seat in range(VIEWS):
        values = hidden[seat]
        for k in range(len(bias)):
            values[k] = bias[k]
        for at in range(first, last):
            row = rows[found[seat, at]]
            for k in range(len(bias)):
                values[k] += row[k]
        weights, part = out[bucket, seat], _ZERO
        for k in range(len(bias)):
            x = min(max(values[k], _ZERO), _ONE)
            part += x * x * weights[k]
        total += part
    return total


@compiled
def forward(starts, found, buckets, scales, rows, bias, out, out_bias, hidden, values):
    """The output of every position, scaled, in values: float32[n]."""
    for i in range(len(values)):
        value = output(found, starts[i], starts[i + 1], buckets[i], rows, bias, out, out_bias, hidden)
        values[i] = value * scales[0 if value > _ZERO else 1, i]


@compiled
def add_gradient(starts, found, buckets, scales, targets, which, rows, bias, out, out_bias, g_rows, g_bias, g_out, g_out_bias,
                 hidden):
    """Add the gradient of the squared errors of the positions `which`; returns the sum of the errors, float64."""
    loss = 0.0
    for n in range(len(which)):
        i = which[n]
        first, last, bucket = starts[i], starts[i + 1], buckets[i]
        value = output(found, first, last, bucket, rows, bias, out, out_bias, hidden)
        scale = scales[0 if value > _ZERO else 1, i]
        points = _ONE / (_ONE + math.exp(-value * scale))
        error = points - targets[i]
        loss += np.float64(error) * np.float64(error)
        slope = _F32(_TWO * error * points * (_ONE - points) * scale)
        g_out_bias[bucket] += slope
        for seat in range(VIEWS):
            values, weights, g_weights = hidden[seat], out[bucket, seat], g_out[bucket, seat]
            for k in range(len(bias)):
                x = min(max(values[k], _ZERO), _ONE)
                inside = _TWO * x if values[k] < _ONE else _ZERO
                g_weights[k] += slope * x * x
                values[k] = slope * inside * weights[k]
                g_bias[k] += values[k]
            for at in range(first, last):
                row = g_rows[found[seat, at]]
                for k in range(len(bias)):
                    row[k] += values[k]
    return loss


@compiled
def adamw(vector, gradients, moments, rate, second, decay, share):
    """A step of AdamW; leaves the gradients zero.

    vector: float32[size]; gradients: float32[threads, size], sums; moments: float32[2, size]; rate and second: the learning
    rate and the second moment's factor, corrected for the first steps; decay: of the weights; share: 1 / positions.
    """
    for k in range(len(vector)):
        gradient = _ZERO
        for thread in range(len(gradients)):
            gradient += gradients[thread, k]
            gradients[thread, k] = _ZERO
        gradient *= share
        first = _F32(BETA1) * moments[0, k] + _F32(1 - BETA1) * gradient
        square = _F32(BETA2) * moments[1, k] + _F32(1 - BETA2) * gradient * gradient
        moments[0, k], moments[1, k] = first, square
        moved = vector[k] * (_ONE - decay) - rate * first / (_F32(math.sqrt(square * second)) + _F32(EPSILON))
        vector[k] = min(max(moved, _F32(-LARGEST)), _F32(LARGEST))
