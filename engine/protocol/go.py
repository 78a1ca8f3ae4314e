"""The arguments of UCI's `go`: words, then values, then limits of a search."""

from __future__ import annotations

from collections import deque
from typing import Any

from engine.errors import CommandError, MoveError
from engine.game import Game
from engine.protocol.options import shown, suggestion, whole
from search.limits import Limits

MILLISECONDS = ("wtime", "btime", "winc", "binc", "movetime")
NUMBERS = (*MILLISECONDS, "movestogo", "depth", "nodes", "mate")
LIMITS = ("wtime", "btime", "movetime", "depth", "nodes", "mate")  # the others do not end a search by themselves
WORDS = (*NUMBERS, "searchmoves", "ponder", "infinite", "perft")
MAX_PERFT = 30


def parse_go(rest: str) -> tuple[dict[str, Any], str]:
    """The words of `go` with their values, and what is wrong with the first one that cannot be used.

    >>> parse_go("depht 9 movetime 100")
    ({'movetime': 100.0}, "unknown word 'depht' after go, did you mean 'depth'?")
    """
    given: dict[str, Any] = {}
    problem = ""
    words = deque(rest.split())
    while words:
        word = words.popleft()
        try:
            given[word] = _value(word, words)
        except CommandError as error:
            problem = problem or str(error)
    if "infinite" not in given and not any(name in given for name in LIMITS):
        without_clock = next((name for name in NUMBERS if name in given), None)
        if without_clock is not None:
            problem = problem or f"go {without_clock} needs wtime and btime"
    return given, problem


def _value(word: str, words: deque[str]) -> Any:
    """The value of a word, taken off the words that follow. Raises CommandError."""
    if word in ("ponder", "infinite"):
        return True
    if word not in WORDS:
        raise CommandError(f"unknown word {shown(word)} after go{suggestion(word, list(WORDS))}")
    if word == "searchmoves":
        moves = []
        while words and words[0] not in WORDS:
            moves.append(words.popleft())
        if not moves:
            raise CommandError("go searchmoves has no moves")
        return moves
    if not words or words[0] in WORDS:
        raise CommandError(f"go {word} has no value")
    return _number(word, words.popleft())


def _number(word: str, text: str) -> int | float:
    if word in MILLISECONDS:
        try:
            time = float(text)
        except ValueError:
            time = float("nan")
        if not abs(time) < 1e12:
            raise CommandError(f"go {word} {shown(text)} is not a number of milliseconds")
        return time
    number = whole(text)
    most = MAX_PERFT if word == "perft" else 10**18
    if number is None or not 0 <= number <= most:
        raise CommandError(f"go {word} {shown(text)} is not an integer from 0 to {most}")
    return number


def parse_searchmoves(game: Game, texts: list[str]) -> tuple[tuple[int, ...], str]:
    """The legal ones of some moves, and what is wrong with the first of the others; `0000` means none, which is not wrong."""
    moves, problem = [], ""
    for text in texts:
        try:
            moves.append(game.parse(text))
        except MoveError as error:
            if text != "0000":
                problem = problem or f"{error} among searchmoves"
    return tuple(moves), problem


def limits_of(given: dict[str, Any], turn: int, quick: bool) -> Limits | None:
    """The limits of a search; None if it is limited to moves of which none is legal.

    given: words and values, searchmoves as numbers; turn: 0 White, 1 Black;
    quick: without a limit, search to depth 1 and not for ever, for the line was wrong.
    """
    moves = given.get("searchmoves", ())
    if "searchmoves" in given and not moves:
        return None

    def time(name: str) -> float | None:
        return max(1.0, given[name]) if name in given else None  # a clock may be below zero before the flag falls

    clocks = time("wtime"), time("btime")
    if clocks[turn] is None:  # some GUIs send one clock only
        clocks = clocks[::-1]
    depth, mate = given.get("depth"), given.get("mate")
    limited = any(name in given for name in LIMITS)
    if mate == 0 or (quick and not limited and "infinite" not in given):
        depth, mate, limited = 1, None, True  # there is nothing to search for
    return Limits(
        depth=depth, nodes=given.get("nodes"), movetime=time("movetime"), mate=mate,
        clock=clocks, increment=(max(0.0, given.get("winc", 0.0)), max(0.0, given.get("binc", 0.0))),
        moves_to_go=given.get("movestogo") or None, infinite="infinite" in given or not limited,
        ponder="ponder" in given, searchmoves=moves)
