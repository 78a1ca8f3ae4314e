"""Tables on disk: FOLDER/GAME/MATERIAL.kmt.

    8 bytes   KMTABLE and a zero
    4 bytes   length of the header, little-endian
    n bytes   the header, JSON: game, digest of its traits, material, what the table says, sizes of the blocks
    32 bytes  SHA-256 of all before
    ...       the blocks: BLOCK codes each, compressed by zlib, which checks each by a sum of its own (Adler-32), and by a
              CRC-32 in the header

A file is written under another name and renamed, so that a file that has its name is whole, unless it was altered later.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import threading
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import EngineError
from engine.rules import Rules

MAGIC = b"KMTABLE\0"
FORMAT = 1  # of the file and of the numbers of positions; files of another one are refused
BLOCK = 1 << 15  # codes
LEVEL = 6  # of zlib
SUFFIX = ".kmt"
DIGEST = 32  # bytes
MOST_HEADER = 1 << 24
KEPT_BLOCKS = 64  # of a table, in memory
_FIELDS = {"format": int, "game": str, "digest": str, "material": str, "width": int, "entries": int, "facts": dict,
           "blocks": list, "sums": list}


class TableError(EngineError):
    """A file that holds no table of the game; the message names the file."""


@dataclass(frozen=True)
class Facts:
    """What a table says about its material, from each side that may be to move: White is the side named first."""

    wins: tuple[int, int]  # positions that the side to move wins, by colour
    draws: tuple[int, int]
    losses: tuple[int, int]
    longest: tuple[int, int]  # plies of the longest win of the side to move, by colour; 0 without one
    longest_at: tuple[int, int]  # the number of such a position, -1 without one
    seconds: float  # of processor time that making it took

    def packed(self) -> dict[str, Any]:
        """For the header."""
        return {**self.__dict__}


def _facts(packed: dict[str, Any]) -> Facts:
    wins, draws, losses, longest, longest_at = (
        (int(packed[name][0]), int(packed[name][1])) for name in ("wins", "draws", "losses", "longest", "longest_at"))
    return Facts(wins, draws, losses, longest, longest_at, float(packed["seconds"]))


def path_of(folder: Path, rules: Rules, material: str) -> Path:
    """Where the table of a material is kept."""
    return folder / rules.name / f"{material}{SUFFIX}"


def write_table(path: Path, rules: Rules, material: str, codes: np.ndarray, facts: Facts) -> None:
    """Write a table. codes: uint8 or uint16[entries]. Raises OSError."""
    blocks = [zlib.compress(codes[at:at + BLOCK].astype(codes.dtype.newbyteorder("<")).tobytes(), LEVEL)
              for at in range(0, len(codes), BLOCK)]
    header = json.dumps({
        "format": FORMAT, "game": rules.name, "digest": rules.traits.digest, "material": material,
        "width": codes.dtype.itemsize, "entries": len(codes), "facts": facts.packed(), "blocks": list(map(len, blocks)),
        "sums": list(map(zlib.crc32, blocks))}).encode()
    start = MAGIC + len(header).to_bytes(4, "little") + header
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.new")
    try:
        with part.open("wb") as file:
            file.write(start + hashlib.sha256(start).digest())
            for block in blocks:
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


class TableFile:
    """A table that is read block by block. May be used by several threads."""

    def __init__(self, path: Path, rules: Rules):
        """Read and check the header. Raises TableError."""
        self.path = path
        try:
            with path.open("rb") as file:
                start = file.read(len(MAGIC) + 4)
                if start[:len(MAGIC)] != MAGIC or len(start) < len(MAGIC) + 4:
                    raise self._error("is not a table")
                size = int.from_bytes(start[len(MAGIC):], "little")
                if size > MOST_HEADER:
                    raise self._error("has a damaged header")
                text, sum_ = file.read(size), file.read(DIGEST)
                length = os.fstat(file.fileno()).st_size
        except OSError as error:
            raise self._error(f"cannot be read: {error.strerror or error}") from None
        if hashlib.sha256(start + text).digest() != sum_:
            raise self._error("has a damaged header")
        about = self._parsed(text)
        if about["game"] != rules.name:
            raise self._error(f"is a table of {about['game']}, not of {rules.name}")
        if about["digest"] != rules.traits.digest:
            raise self._error(f"was made for other rules of {rules.name}")
        if about["material"] != path.name.removesuffix(SUFFIX):
            raise self._error(f"is the table of {about['material']}")
        self.material = str(about["material"])
        self.entries, self.dtype = int(about["entries"]), np.dtype(f"<u{about['width']}")
        self.facts = _facts(about["facts"])
        self._sizes, self._sums = about["blocks"], about["sums"]
        self._starts = np.cumsum([size + len(start) + DIGEST, *self._sizes])
        if length != int(self._starts[-1]):
            raise self._error(f"is {length} bytes long instead of {int(self._starts[-1])}")
        self._lock = threading.Lock()
        self._block = functools.lru_cache(maxsize=KEPT_BLOCKS)(self._read)

    def _error(self, what: str) -> TableError:
        return TableError(f"{str(self.path)!r} {what}")

    def _parsed(self, text: bytes) -> dict[str, Any]:
        try:
            about = json.loads(text)
        except ValueError:
            raise self._error("has a damaged header") from None
        if about.get("format") != FORMAT:
            raise self._error(f"has format {about.get('format')!r}, and this version reads {FORMAT}")
        if not all(isinstance(about.get(key), kind) for key, kind in _FIELDS.items()):
            raise self._error("has a damaged header")
        return dict(about)

    def _read(self, number: int) -> np.ndarray:
        """A block, unpacked. Raises TableError."""
        try:
            with self.path.open("rb") as file:
                file.seek(int(self._starts[number]))
                packed = file.read(self._sizes[number])
        except OSError as error:
            raise self._error(f"cannot be read: {error.strerror or error}") from None
        if zlib.crc32(packed) != self._sums[number]:
            raise self._error(f"is damaged in block {number}")
        try:
            codes = np.frombuffer(zlib.decompress(packed), self.dtype)
        except (zlib.error, ValueError):
            raise self._error(f"is damaged in block {number}") from None
        if len(codes) != min(BLOCK, self.entries - number * BLOCK):
            raise self._error(f"is damaged in block {number}")
        return codes

    def code(self, index: int) -> int:
        """The code of a position. Raises TableError."""
        with self._lock:
            return int(self._block(index // BLOCK)[index % BLOCK])

    def _all(self) -> Iterator[np.ndarray]:
        for number in range(len(self._sizes)):
            yield self._read(number)

    def codes(self) -> np.ndarray:
        """All codes, uint8 or uint16[entries]. Raises TableError."""
        return np.concatenate(list(self._all())).astype(self.dtype.newbyteorder("="))
