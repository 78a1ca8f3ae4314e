"""The trainer: a net in floating point, and the steps down the gradient of its errors.

    rows f32[inputs, neurons], bias f32[neurons], out f32[BUCKETS, 2, neurons], out_bias f32[BUCKETS]

as in search/eval/net/inference.py with 1.0 for QA and for QB; an output of 1.0 stands for SCALE centipawns. All are parts of
one vector, so that AdamW knows no names.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from bench.nets.gradient import BETA1, BETA2, adamw, add_gradient, forward
from search.eval.net.files import Weights
from search.eval.net.inference import BUCKETS, QA, QB, WEIGHT_MOST
from search.eval.net.inputs import VIEWS
from search.eval.net.layers import BLOCK

DECAY = 0.01  # of weights, at a learning rate of 1


class Batch(NamedTuple):
    """Positions as the trainer sees them.

    starts: int64[n + 1]; found: uint16[2, ...]: the inputs of position i from starts[i] on, as the side to move sees them and
    as the other one does; buckets: uint8[n]; scales: float32[2, n], what the output is multiplied by if it is positive, if not;
    targets: float32[n], expected points of the side to move, 0 to 1.
    """

    starts: np.ndarray
    found: np.ndarray
    buckets: np.ndarray
    scales: np.ndarray
    targets: np.ndarray


class Shape(NamedTuple):
    """Parts of a vector of parameters."""

    inputs: int
    neurons: int

    @property
    def size(self) -> int:
        """How many parameters there are."""
        return (self.inputs + 1 + BUCKETS * VIEWS) * self.neurons + BUCKETS

    def parts(self, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(rows, bias, out, out_bias), views of the vector."""
        ends = np.cumsum([self.inputs, 1, BUCKETS * VIEWS]) * self.neurons
        rows, bias, out, out_bias = np.split(vector, ends)
        return rows.reshape(-1, self.neurons), bias, out.reshape(BUCKETS, VIEWS, self.neurons), out_bias


class Trainer:
    """The parameters of a net and the memory of AdamW."""

    def __init__(self, inputs: int, seed: int, threads: int, neurons: int = BLOCK):
        self.shape, self.threads = Shape(inputs, neurons), threads
        chance = np.random.default_rng(seed)
        self.vector = np.zeros(self.shape.size, np.float32)
        rows, _, out, _ = self.shape.parts(self.vector)
        rows[:] = chance.normal(0, 1 / 8, rows.shape)  # about thirty inputs are there at a time
        out[:] = chance.normal(0, 1 / math.sqrt(VIEWS * neurons), (1, *out.shape[1:]))
        self.moments = np.zeros((2, self.shape.size), np.float32)
        self.steps = 0
        self._gradients = np.zeros((threads, self.shape.size), np.float32)
        self._hidden = np.zeros((threads, VIEWS, neurons), np.float32)
        self._pool = ThreadPoolExecutor(threads)

    def step(self, batch: Batch, which: np.ndarray, rate: float) -> float:
        """One step down the gradient of the positions `which`, int64[...]; returns their mean loss."""
        def part(number: int) -> float:
            share = np.ascontiguousarray(which[number::self.threads])
            return float(add_gradient(*batch, share, *self.shape.parts(self.vector), *self.shape.parts(self._gradients[number]),
                                      self._hidden[number]))

        loss = sum(self._pool.map(part, range(self.threads)))
        self.steps += 1
        adamw(self.vector, self._gradients, self.moments, np.float32(rate / (1 - BETA1 ** self.steps)),
              np.float32(1 / (1 - BETA2 ** self.steps)), np.float32(rate * DECAY), np.float32(1 / len(which)))
        return loss / len(which)

    def values(self, batch: Batch) -> np.ndarray:
        """float32[n]: the outputs for all positions of a batch."""
        values = np.zeros(len(batch.targets), np.float32)
        forward(*batch[:4], *self.shape.parts(self.vector), self._hidden[0], values)
        return values

    def begin_as(self, net: Weights, numbers: np.ndarray | None = None) -> None:
        """Take the numbers of a net; numbers: int64[inputs], which of its rows an input begins as, None for its own.

        Neurons that the net lacks keep their random rows and count for nothing at first, so the values are those of the net.
        """
        rows, bias, out, out_bias = self.shape.parts(self.vector)
        own = net.neurons
        rows[:, :own] = (net.rows if numbers is None else net.rows[numbers]) / QA
        out[:] = 0
        bias[:own], out[..., :own], out_bias[:] = net.bias / QA, net.out / QB, net.out_bias / (QA * QB)

    def quantised(self, about: dict[str, object], threats: bool = False) -> Weights:
        """The net in whole numbers."""
        rows, bias, out, out_bias = self.shape.parts(self.vector)
        return Weights(np.round(rows * QA).astype(np.int16), np.round(bias * QA).astype(np.int16),
                       np.clip(np.round(out * QB), -WEIGHT_MOST, WEIGHT_MOST).astype(np.int16),
                       np.round(out_bias.astype(float) * QA * QB).astype(np.int64), dict(about), threats)
