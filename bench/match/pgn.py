"""Games as PGN: written as they end, completed from the results when a match is resumed; and PGN of any program, read."""

from __future__ import annotations

import os
import re
import shutil
import stat
import textwrap
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import chess.pgn

import variants
from bench.match.records import End, GameRecord, Ply
from engine.errors import CommandError, OptionError
from variants.boards import register

TERMINATIONS = {End.TIME: "time forfeit", End.ILLEGAL: "rules infraction", End.FALSE_CLAIM: "rules infraction",
                End.CRASH: "abandoned", End.STALL: "abandoned", End.START: "abandoned", End.ERROR: "abandoned",
                End.VOID: "unterminated", End.RESIGN_RULE: "adjudication", End.DRAW_RULE: "adjudication",
                End.MOVE_LIMIT: "adjudication", End.TABLE: "adjudication"}


def game_text(record: GameRecord, event: str = "", controls: tuple[str, str] = ("", "")) -> str:
    """A game in export format, SAN, a comment after each move: score from the mover's side/depth, seconds.

    controls: White's and Black's time control.
    """
    board = variants.find(record.variant).board
    started = time.gmtime(record.started)
    tags = {
        "Event": event or "kingmaker match", "Site": "-", "Date": time.strftime("%Y.%m.%d", started),
        "Round": str(record.round), "White": record.white, "Black": record.black, "Result": record.result,
        "GameNumber": str(record.number), "Pair": str(record.pair), "UTCTime": time.strftime("%H:%M:%S", started)}
    if record.opening_name:
        tags["Opening"] = record.opening_name
    if controls[0] == controls[1]:
        tags["TimeControl"] = controls[0] or "-"
    else:
        tags |= {"WhiteTimeControl": controls[0] or "-", "BlackTimeControl": controls[1] or "-"}
    if record.variant != "chess" or record.chess960:
        tags["Variant"] = "Chess960" if record.chess960 else board.aliases[0]
    if record.fen != board.starting_fen or record.chess960:
        tags |= {"SetUp": "1", "FEN": record.fen}
    tags |= {"PlyCount": str(len(record.plies)), "Termination": termination(record.reason),
             "Reason": record.reason.value}
    head = "".join(f'[{name} "{_quoted(value)}"]\n' for name, value in tags.items())
    words = list(_movetext(record))
    body = textwrap.fill(" ".join(words), 100, break_long_words=False, break_on_hyphens=False)
    return f"{head}\n{body}\n\n"


def termination(reason: End) -> str:
    """A reason as a value of the PGN standard's tag Termination."""
    return TERMINATIONS.get(reason, "normal")


def _quoted(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')


def _movetext(record: GameRecord) -> Iterable[str]:
    fields = record.fen.split()
    number, black = int(fields[5]), fields[1] == "b"
    for place, ply in enumerate(record.plies):
        if not black:
            yield f"{number}."
        elif not place:
            yield f"{number}..."
        yield ply.san
        comment = _comment(ply)
        if place == len(record.plies) - 1:
            comment = ", ".join(filter(None, (comment, record.reason.value, record.detail)))
        if comment:
            yield f"{{{comment.translate(str.maketrans('{}', '()'))}}}"
        if comment and not black and place + 1 < len(record.plies):
            yield f"{number}..."
        number += black
        black = not black
    if not record.plies:
        yield f"{{{record.reason.value}, {record.detail}}}".replace("\n", " ")
    yield record.result


def _comment(ply: Ply) -> str:
    if ply.book:
        return "book"
    if ply.seconds is None:
        return ""
    if ply.mate is not None:
        score = f"{'-' if ply.mate <= 0 else '+'}M{abs(ply.mate)}"
    else:
        score = "" if ply.score is None else f"{ply.score / 100:+.2f}"
    depth = f"/{ply.depth}" if ply.depth is not None and score else ""
    return f"{score}{depth} {ply.seconds:.3f}s".strip()


class ParsedGame(chess.pgn.Game):
    """A game that knows how complete its text was."""

    tags = 0
    marker: str | None = None  # the result after the moves


class _Builder(chess.pgn.GameBuilder[ParsedGame]):
    def __init__(self) -> None:
        super().__init__(Game=ParsedGame)

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        super().visit_header(tagname, tagvalue)
        self.game.tags += 1

    def end_headers(self) -> None:
        """Make the Board of a further or user-defined game known."""
        with suppress(OptionError):  # then python-chess says that it does not know the variant
            variants.register_board(self.game.headers.get("Variant", "chess"))

    def visit_result(self, result: str) -> None:
        self.game.marker = result
        super().visit_result(result)

    def handle_error(self, error: Exception) -> None:
        self.game.errors.append(error)  # without a line in the library's log


def parsed(path: Path) -> Iterator[ParsedGame]:
    """The games of a PGN, including those with errors. Raises CommandError if the file or a part of it is not PGN."""
    for rules in variants.every():  # some Boards have names in PGN that no variant has
        register(rules.board)
    number = 0
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            while (game := _next(file, f"{path}, game {number + 1}")) is not None:
                number += 1
                if not game.tags and (game.marker is None or game.next() is None):
                    where = f"{path} is not PGN: no game in it" if number == 1 else f"{path}, game {number}: not PGN"
                    raise CommandError(where)
                yield game
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror or error}") from None


def _next(file: TextIO, where: str) -> ParsedGame | None:
    try:
        return chess.pgn.read_game(file, Visitor=_Builder)
    except (ValueError, LookupError, AssertionError) as error:  # the library raises these for some text that is not PGN
        raise CommandError(f"{where}: not PGN: {error}") from None


class PgnFile:
    """The PGN file of a match, which others may append to as well. A device or a pipe receives each game once, as it ends."""

    def __init__(self, path: Path):
        """Raises CommandError."""
        self.path = path.resolve()  # a link stays, the file behind it is rewritten
        try:
            with self.path.open("ab") as file:
                self.whole = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        except OSError as error:
            raise CommandError(f"cannot write games to {path}: {error.strerror or error}") from None

    def append(self, text: str) -> None:
        """Append a game; it is on disk when this returns. Raises OSError."""
        try:
            with self.path.open("ab") as file:
                file.write((self._gap() + text).encode())
                file.flush()
                if self.whole:
                    os.fsync(file.fileno())
        except OSError as error:
            raise _named(error, self.path) from None

    def _gap(self) -> str:
        """What must stand between the end of the file and a game: others may have left half a line."""
        if not self.whole or not self.path.stat().st_size:
            return ""
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return "" if file.read(1) == b"\n" else "\n\n"

    def complete(self, texts: Iterable[str]) -> None:
        """Add the games of the match that are missing, and remove halves of them that a killed writer left.

        All else stays as it is, whoever wrote it. Raises OSError.
        """
        if not self.whole:
            return
        ours = [text.encode() for text in texts]
        try:
            kept, halves, missing = _sorted_out(self.path.read_bytes(), ours)
            if halves:
                self._replace(kept)
        except OSError as error:
            raise _named(error, self.path) from None
        if missing:
            self.append(b"".join(missing).decode())

    def _replace(self, contents: bytes) -> None:
        """Replace the file in one step. Raises OSError and leaves it as it was."""
        fresh = self.path.with_name(f"{self.path.name}.new")
        try:
            with fresh.open("wb") as file:
                file.write(contents)
                file.flush()
                os.fsync(file.fileno())
            shutil.copymode(self.path, fresh)
            fresh.replace(self.path)
        except OSError:
            with suppress(OSError):
                fresh.unlink()
            raise


def _sorted_out(contents: bytes, ours: list[bytes]) -> tuple[bytes, int, list[bytes]]:
    """(a PGN without halves of our games, how many halves there were, those of our games that are missing in it).

    A game is ours only if its whole text is: another match may have the same event, players and numbers.
    """
    missing = {text.strip(): text for text in ours}
    ordered = sorted(ours)
    kept, halves = [], 0
    for block in re.split(rb"(?m)^(?=\[Event )", contents):
        place = bisect_left(ordered, block)  # a text that begins with the block comes right behind it
        if block and place < len(ordered) and ordered[place] != block and ordered[place].startswith(block):
            halves += 1
            continue
        kept.append(block)
        missing.pop(block.replace(b"\r\n", b"\n").strip(), None)
    return b"".join(kept), halves, list(missing.values())


def _named(error: OSError, path: Path) -> OSError:
    """The error with the name of the file, which a failed write lacks."""
    return OSError(error.errno, error.strerror, str(path))
