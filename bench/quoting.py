"""A FEN given without quotes: the shell passes its fields as separate arguments; here they are joined again."""

from __future__ import annotations

import re

BOARD = r"[A-Za-z1-8~]+(/[A-Za-z1-8~]+){7}"
FIELDS = ("[wb]", "-|[KQA-Hkqa-h]{1,4}", "-|[a-h][1-8]")
NUMBER = "[0-9]{1,6}"
SEVENTH = "-|[wb]|([a-h][1-8])*/([a-h][1-8])*"


def joined(arguments: list[str]) -> list[str]:
    """The arguments, with a board and the FEN fields that follow it joined into one; they cannot mean anything else.

    A single number after the en passant square may be a depth: it stays separate. What follows `--` belongs to another
    program.
    >>> joined(["perft", "chess", "--fen", "4k3/8/8/8/8/8/8/4K2R", "w", "K", "-", "0", "1", "3"])
    ['perft', 'chess', '--fen', '4k3/8/8/8/8/8/8/4K2R w K - 0 1', '3']
    """
    found: list[str] = []
    left = list(arguments)
    while left:
        word = left.pop(0)
        if word == "--":
            return [*found, word, *left]
        if re.fullmatch(f"(--?[a-z]+=)?{BOARD}", word):
            count = _fields(left)
            word, left = " ".join([word, *left[:count]]), left[count:]
        found.append(word)
    return found


def _fields(words: list[str]) -> int:
    """How many of the words are the FEN fields after a board."""
    count = 0
    while count < min(len(words), len(FIELDS)) and re.fullmatch(FIELDS[count], words[count]):
        count += 1
    if count < len(FIELDS) or len(words) < 5 or not all(re.fullmatch(NUMBER, word) for word in words[3:5]):
        return count
    return 6 if len(words) > 5 and re.fullmatch(SEVENTH, words[5]) else 5


def hint(arguments: list[str]) -> str:
    """What to add to an error about left-over arguments: nothing unless one of them looks like the board of a FEN."""
    looks = any(re.fullmatch(r"(--?[a-z]+=)?[A-Za-z1-8~]+(/[A-Za-z1-8~]+){4,}", word) for word in arguments)
    return "; a FEN with blanks in it is written in quotes: 'BOARD w KQkq - 0 1'" if looks else ""
