"""Nets on disk: one for a game in search/nets/NAME.npz, or a file of the user's."""

from __future__ import annotations

import functools
import hashlib
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import EngineError
from engine.places import ROOT
from engine.rules import Rules
from search.eval.net.inference import BUCKETS, WEIGHT_MOST, Net
from search.eval.net.inputs import MOST_ZONES, THREATS, VIEWS, described, inputs_of, tables
from search.eval.net.layers import BLOCK

NETS = ROOT / "search" / "nets"
FORMAT = 2
CACHE_LINE = 64  # bytes
_ARRAYS = {"rows": np.int16, "bias": np.int16, "out": np.int16, "out_bias": np.int64}


class NetError(EngineError):
    """A file that holds no net for a game."""


class OtherGameError(NetError):
    """A net for another game."""


@dataclass(frozen=True)
class Weights:
    """The numbers of a net, as Net has them, whether its inputs tell threats, and how it was made."""

    rows: np.ndarray
    bias: np.ndarray
    out: np.ndarray
    out_bias: np.ndarray
    about: dict[str, Any]
    threats: bool = False

    @property
    def neurons(self) -> int:
        """Of the hidden layer."""
        return len(self.bias)

    @property
    def digest(self) -> str:
        """Tells nets apart."""
        parts = (self.rows, self.bias, self.out, self.out_bias)
        return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]

    def net(self, rules: Rules, stack_rows: int) -> Net:
        """With accumulators for a stack of that many rows."""
        return _net(rules, self, stack_rows)


def zones_of(rules: Rules, rows: np.ndarray, threats: bool) -> int:
    """For how many zones of the king a net with these rows has its own; 1 without rows."""
    return max(1, len(rows) // inputs_of(rules, 1, threats))


def no_net(rules: Rules) -> Net:
    """What stands in place of a net in a search without one."""
    rows, out = np.zeros((0, BLOCK), np.int16), np.zeros((BUCKETS, VIEWS, BLOCK), np.int16)
    return _net(rules, Weights(rows, np.zeros(BLOCK, np.int16), out, np.zeros(BUCKETS, np.int64), {}), 0)


def _net(rules: Rules, weights: Weights, stack_rows: int) -> Net:
    numbers, kinds = tables(rules, zones_of(rules, weights.rows, weights.threats), weights.threats)
    accumulators = _aligned(np.tile(weights.bias, (stack_rows + 1, VIEWS, 1)))
    seen = np.zeros((stack_rows + 1, rules.traits.words + THREATS), np.uint64)
    seen_kinds = np.zeros((stack_rows + 1, VIEWS), np.uint8)
    return Net(weights.rows, weights.bias, weights.out, weights.out_bias, numbers, kinds, np.int64(weights.threats),
               accumulators, seen, seen_kinds)


def _aligned(array: np.ndarray) -> np.ndarray:
    """The same in whole cache lines: half of the vectors of a layer would lie in two, and cost 1.4 times as much."""
    room = np.empty(array.nbytes + CACHE_LINE, np.uint8)
    first = -room.ctypes.data % CACHE_LINE
    found = room[first:first + array.nbytes].view(array.dtype).reshape(array.shape)
    found[...] = array
    return found


def path_of(rules: Rules) -> Path:
    """Where the net of a game lies, if it has one."""
    return NETS / f"{rules.name}.npz"


@functools.lru_cache(maxsize=64)
def net_of(rules: Rules) -> Weights | None:
    """The net that is shipped for a game, None if there is none. Raises NetError."""
    path = path_of(rules)
    return read_net(path, rules) if path.exists() else None


@functools.lru_cache(maxsize=8)
def chosen_net(path: Path, rules: Rules) -> Weights:
    """The net in a file, read once. Raises NetError."""
    return read_net(path, rules)


def read_net(path: Path, rules: Rules) -> Weights:
    """The net in a file. Raises NetError with the file's name and what is wrong."""
    try:
        with np.load(path) as file:
            about = json.loads(str(file["about"]))
            arrays = {name: _aligned(file[name]) for name in _ARRAYS}
    except FileNotFoundError:
        raise NetError(f"there is no net {str(path)!r}") from None
    except OSError as error:
        raise NetError(f"cannot read a net from {str(path)!r}: {error.strerror or 'not a net file'}") from None
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):  # what numpy says is about its own options
        raise NetError(f"cannot read a net from {str(path)!r}: not a net file") from None
    _refuse(path, rules, about, arrays)
    return Weights(**arrays, about=about, threats=_tells_threats(about))


def _tells_threats(about: dict[str, Any]) -> bool:
    """Whether the inputs of a net tell threats; nets made before there were any do not say."""
    return bool(about.get("threats", False))


def _refuse(path: Path, rules: Rules, about: Any, arrays: dict[str, np.ndarray]) -> None:
    """Raises NetError for what does not fit the game or this program."""
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise NetError(f"{str(path)!r} holds no net of format {FORMAT}")
    if about.get("inputs") != described(rules):
        raise OtherGameError(f"the net {str(path)!r} is for {about.get('inputs')!r}, and {rules.name} is {described(rules)!r}")
    threats = _tells_threats(about)
    zones = min(zones_of(rules, arrays["rows"], threats), MOST_ZONES)
    neurons = max(1, arrays["bias"].size // BLOCK) * BLOCK
    shapes = {"rows": (inputs_of(rules, zones, threats), neurons), "bias": (neurons,), "out": (BUCKETS, VIEWS, neurons),
              "out_bias": (BUCKETS,)}
    for name, shape in shapes.items():
        if arrays[name].shape != shape or arrays[name].dtype != _ARRAYS[name]:
            found = f"{arrays[name].dtype}{list(arrays[name].shape)}"
            raise NetError(f"the net {str(path)!r} has {name} {found}, not {np.dtype(_ARRAYS[name])}{list(shape)}")
    if np.abs(arrays["out"].astype(int)).max() > WEIGHT_MOST:
        raise NetError(f"the net {str(path)!r} has output weights beyond {WEIGHT_MOST}")


def write_net(path: Path, rules: Rules, weights: Weights) -> None:
    """Write a net for a game, whole or not at all. Raises OSError."""
    about = {"format": FORMAT, "inputs": described(rules), **weights.about, "threats": weights.threats}
    partial = path.with_suffix(".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    with partial.open("wb") as file:
        np.savez_compressed(file, rows=weights.rows, bias=weights.bias, out=weights.out, out_bias=weights.out_bias,
                            about=np.array(json.dumps(about)))
    partial.replace(path)
