"""Lines that no GUI should send, for fuzzing: truncated, reordered, broken and whole ones, all drawn from a random.Random."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
GAME = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1"

UCI = (
    "uci", "isready", "ucinewgame", "debug on", "debug off", "register later", "stop", "ponderhit", "d", "eval", "flip", "help",
    "compiler", "position startpos", f"position startpos moves {GAME}", f"position fen {START}",
    f"position fen {START} moves {GAME}", "position fen 7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "position fen 4k3/8/8/8/8/8/8/4K2R w K",
    "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 e1/e8 moves K@d1",
    "position startpos moves e2e4 e7e5 e1e2 e8e7 d1d1", "position startpos moves K@a8,e7e5",
    "go depth 3", "go nodes 200", "go movetime 5", "go infinite", "go ponder wtime 1000 btime 1000", "go mate 2", "go perft 2",
    "go wtime 100 btime 100 winc 10 binc 10 movestogo 3", "go searchmoves e2e4 d2d4 depth 2", "bench 1",
    "setoption name Hash value 8", "setoption name Threads value 2", "setoption name MultiPV value 3",
    "setoption name Clear Hash", "setoption name Move Overhead value 20", "setoption name UCI_Chess960 value true",
    "setoption name UCI_ShowWDL value true", "setoption name Skill Level value 3", "setoption name UCI_Elo value 1500",
    "setoption name UCI_LimitStrength value true", "setoption name UCI_AnalyseMode value true",
    "setoption name UCI_Variant value atomic", "setoption name UCI_Variant value chess", "setoption name Ponder value true",
)
XBOARD = (
    "xboard", "protover 2", "accepted ping", "rejected colors", "new", "variant atomic", "variant normal",
    "variant fischerandom", "force", "go", "playother", "usermove e2e4", "usermove e7e5", "usermove O-O",
    "usermove @@@@", "usermove e7e8q", "e2e4", "?", "undo", "remove", "result 1-0 {White mates}", "draw", "hint", "bk",
    "level 40 5 0", "level 0 0:02 0.1", "st 0.01", "sd 3", "time 100", "otim 100", "post", "nopost", "hard", "easy",
    "random", "computer", "name Somebody", "rating 2000 2100", "ics -", "memory 16", "cores 2", "option MultiPV=2",
    "option Variant=chess", "option Clear Hash", f"setboard {START}", "setboard 7k/8/5KQ1/8/8/8/8/8 w - - 0 1",
    "analyze", ".", "exit", "pause", "resume", "ping 3", "nps 0", "edit", "lift e2", "put e4", "hover e3",
    "include e2e4", "exclude all", "white", "black", "setscore 10 3", "help", "accepted highlight", "variant ataturk",
    "variant madness", "variant ascending", "variant fairy", "usermove d1d1", "usermove d1e4,e4d1", "usermove d8d8,e5c8",
    "usermove e8e6", "usermove e1d8", "lift e1", "setboard rr2R3/4p3/8/8/8/8/8/K7 b - - 0 1", "usermove b8e4,e4b8k",
    "#", "Ke1", "c", "xa2",
)
NUMBERS = ("0", "-1", "1", "2147483648", "9223372036854775808", "9" * 300, "1e400", "nan", "inf", "0x10", "+5", "1_0", "٣",
           "3.5", "-0", "", "1/2", "١٢")
CHARACTERS = "\0\x01\x07\x1b\x7f\t\r\v\f \xa0é♔\u2028\ufeff\U0001f600'\"\\%{}()[]<>|&;$`"
# Commands that would use up the machine: more memory or more threads.
HUNGRY = re.compile(r"(?i)hash|memory|cores|threads")
MOST_MEGABYTES = 64


def line(chance: random.Random, valid: Sequence[str]) -> str:
    """A line without its end: mostly almost right, sometimes junk; never one that ends the process or uses up the machine."""
    while True:
        made = _MAKERS[int(chance.random() * len(_MAKERS))](chance, valid).replace("\n", " ")
        words = made.replace("\0", " ").split()
        if words[:1] == ["quit"] or (words[:1] == ["bench"] and len(words) > 2):
            continue
        if HUNGRY.search(made) and any(not text.isascii() or int(text) > MOST_MEGABYTES for text in re.findall(r"\d+", made)):
            continue
        return made


def _whole(chance: random.Random, valid: Sequence[str]) -> str:
    return chance.choice(valid)


def _truncated(chance: random.Random, valid: Sequence[str]) -> str:
    whole = chance.choice(valid)
    return whole[:chance.randrange(len(whole) + 1)] if chance.random() < 0.7 else whole[chance.randrange(len(whole)):]


def _reordered(chance: random.Random, valid: Sequence[str]) -> str:
    words = chance.choice(valid).split()
    chance.shuffle(words)
    return " ".join(words)


def _spliced(chance: random.Random, valid: Sequence[str]) -> str:
    first, second = chance.choice(valid).split(), chance.choice(valid).split()
    return " ".join(first[:chance.randrange(len(first) + 1)] + second[chance.randrange(len(second)):])


def _renumbered(chance: random.Random, valid: Sequence[str]) -> str:
    return re.sub(r"\d+", lambda _: chance.choice(NUMBERS), chance.choice(valid))


def _broken(chance: random.Random, valid: Sequence[str]) -> str:
    letters = list(chance.choice(valid))
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(letters) + 1)
        letters[at:at + chance.randrange(2)] = chance.choice(CHARACTERS)
    return "".join(letters)


def _repeated(chance: random.Random, valid: Sequence[str]) -> str:
    word = chance.choice(chance.choice(valid).split())
    return f"{chance.choice(valid)} " + " ".join([word] * chance.choice((2, 10, 100)))


def _junk(chance: random.Random, valid: Sequence[str]) -> str:
    letters = (chance.choice((chance.randrange(32, 127), chance.randrange(0x250))) for _ in range(chance.randrange(40)))
    return "".join(map(chr, letters))


_MAKERS: tuple[Callable[[random.Random, Sequence[str]], str], ...] = (
    _whole, _truncated, _reordered, _spliced, _renumbered, _broken, _repeated, _junk)


def keeps_position_uci(text: str) -> str | None:
    """The line if it leaves the position alone; a `position` made invalid; None for other lines that change it."""
    words = text.replace("\0", " ").split()
    first = words[0] if words else ""
    if first == "position":
        return f"{text} zz9z"  # neither a move nor a FEN field
    if first in ("ucinewgame", "flip", "uci") or (first == "setoption" and ("variant" in text.lower() or "960" in text)):
        return None
    return text


def keeps_position_xboard(text: str, known: frozenset[str]) -> str | None:
    """The same for a game in force mode: non-commands, and commands that only set or ask something."""
    words = text.replace("\0", " ").split()
    first = words[0] if words else ""
    if first in ("usermove", "variant"):
        return f"{first} zz9z"
    if first == "setboard":  # after a position that is refused, every move is
        return None
    if first in ("name", "rating", "computer", "random", "hint", "bk", "post", "nopost", "time", "otim", "level", "st", "sd",
                 "hard", "easy", "ics", "accepted", "rejected", "ping", "draw"):
        return text
    looks_like_a_move = re.match(r"[a-zA-Z@0-9.,-]*[1-8@O0]", first) is not None
    return None if first in known or looks_like_a_move else text
