"""The PGN of any program, and what it says about how a game ended, apart from the result.

Cute Chess and fastchess write a tag Termination if the rules did not end the game, and like XBoard a few words in the last
comment: `White resigns`, `Black loses on time`, `Xboard adjudication: Checkmate`, `Draw by 3-fold repetition`. Kingmaker's
own PGN has the tag Reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import chess

import variants
from bench.match.pgn import ParsedGame, parsed, termination
from bench.match.records import End, GameRecord, Ply
from engine.errors import CommandError, EngineError

# Patterns in the order they are tried; the rules' own ends first, because XBoard calls them adjudications.
WORDS: tuple[tuple[str, End], ...] = (
    (r"\bmates\b|checkmate", End.CHECKMATE),
    (r"stalemate", End.STALEMATE),
    (r"repetition|3-fold|threefold", End.REPETITION),
    (r"\b(50|fifty)[ -]moves?\b", End.FIFTY_MOVES),
    (r"insufficient|mating material", End.MATERIAL),
    (r"\bresign", End.RESIGNATION),
    (r"on time\b|time forfeit|timeout|\bflag", End.TIME),
    (r"illegal move|rules infraction", End.ILLEGAL),
    (r"\bstall", End.STALL),
    (r"disconnect|abandoned|exited|crash|emergency|\bdeath\b", End.CRASH),
    (r"agree", End.AGREED),
    (r"\bforfeit", End.ERROR),
    (r"unterminated", End.VOID),
    (r"adjudicat", End.RESIGN_RULE),
)
LOSER = re.compile(
    r"\b(White|Black)('s connection stalls| (resigns|forfeits|loses|disconnects|is mated|makes an illegal move))\b")
WINNER = re.compile(r"\b(White|Black) (?:wins|mates|won)\b")
RESULTS = ("1-0", "0-1")
NO_MOVE = (chess.IllegalMoveError, chess.InvalidMoveError, chess.AmbiguousMoveError)


class Claim(NamedTuple):
    """How a game ended, by another program's words."""

    end: End | None  # None if nothing is said
    result: str | None  # the result that follows from the winner or loser it names
    text: str  # the words


def read_claim(termination: str, comment: str) -> Claim:
    """The claim in a tag and in the comment of the last move; both may be empty or say nothing about the end."""
    text = " ".join(f"{termination} {comment}".split())
    end = next((end for pattern, end in WORDS if re.search(pattern, text, re.IGNORECASE)), None)
    result = None
    if found := LOSER.search(text):
        result = RESULTS[found[1] == "White"]
    elif found := WINNER.search(text):
        result = RESULTS[found[1] == "Black"]
    return Claim(end, result, text)


def read_games(path: Path) -> Iterator[tuple[GameRecord, Claim | None, list[str]]]:
    """The games of a PGN, the claims of those of other programs, and why a game cannot be checked.

    Raises: CommandError if the file or a part of it is not PGN, or has a game of an unknown variant.
    """
    for number, game in enumerate(parsed(path), 1):
        yield _record(path, number, game)


def _record(path: Path, number: int, game: ParsedGame) -> tuple[GameRecord, Claim | None, list[str]]:
    headers = game.headers
    try:
        board = game.board()
        rules = variants.find(type(board).uci_variant or "")
    except (ValueError, EngineError) as error:
        raise CommandError(f"{path}, game {number}: {error}") from None
    record = GameRecord(_whole(headers.get("GameNumber"), number), 1, 1, headers["White"], headers["Black"], rules.name,
                        board.fen(), headers["Result"], chess960=board.chess960)
    for move in game.mainline_moves():
        record.plies.append(Ply(board.uci(move), board.san(move)))
        board.push(move)
    record.final_fen = board.fen()
    end = next((end for end in End if end.value == headers.get("Reason")), None)
    tag = headers.get("Termination", "")
    claim = None if end else read_claim("" if tag.lower() == "normal" else tag, game.end().comment)
    record.reason = end or (claim and claim.end) or End.VOID
    if claim and claim.end is End.RESIGN_RULE and record.result == "1/2-1/2":
        record.reason = End.DRAW_RULE
    told = bool(claim and claim.end is End.ILLEGAL)  # then fastchess writes the illegal move
    troubles = [str(error) for error in game.errors if not (told and isinstance(error, NO_MOVE))]
    if game.marker is None and not game.errors:
        troubles.append("no result after the moves: the game is cut off")
    elif game.marker not in (None, record.result):
        troubles.append(f"the result is {record.result} in the tag, {game.marker} after the moves")
    if end and tag and tag != termination(end):
        troubles.append(f"Termination is {tag}, but {end.value} is {termination(end)}")
    return record, claim, troubles


def _whole(text: str | None, otherwise: int) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 19 else otherwise
