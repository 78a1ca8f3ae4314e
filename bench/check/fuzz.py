"""`kingmaker fuzz`: millions of hostile lines; the engine must survive, answer, keep its position and not grow."""

from __future__ import annotations

import random
import re
import shlex
import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import NamedTuple

import variants
from bench.check import hostile
from bench.clients.process import EngineGoneError, EngineProcess, NoAnswerError
from bench.clients.uci import OURSELVES
from engine.errors import CommandError
from engine.protocol.xboard.commands import XBoard
from engine.protocol.xboard.faces import name_of
from engine.protocol.xboard.wire import sent_whole
from engine.squares import SQUARES, square_name

BATCH = 150  # lines between two checks
HARMLESS = 50  # of them after the position is set; it must not change
PATIENCE = 120.0  # seconds to answer `isready` or `ping`
TROUBLE = re.compile(r"internal error|Traceback|search failed|search gave")
MARGIN = 16 << 10  # KiB that it may grow by in the last third: memory fragments that the allocator keeps
LOADED = 150  # rounds after which every game has been loaded, so that growth means a leak


class FuzzError(Exception):
    """What went wrong."""


class Place(NamedTuple):
    """A position to send to the engine, with what python-chess knows about it."""

    variant: str
    moves: tuple[str, ...]
    fen: str
    legal: frozenset[str]
    castling: frozenset[str]  # squares of kings that may castle, which has more than one notation


def add_arguments(parser: ArgumentParser) -> None:
    """Add protocol, number of lines, games, seed and log."""
    parser.add_argument("--protocol", choices=("uci", "xboard", "both"), default="both", help="default: %(default)s")
    parser.add_argument("--lines", type=int, default=1_000_000, help="in total; default: %(default)s")
    parser.add_argument("--variant", action="append", default=[], metavar="NAME",
                        help="the games whose positions are checked; default: all, over XBoard those whose moves are "
                        "single plies")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--log", type=Path, default=Path("fuzz.log"), metavar="FILE",
                        help="file for the last lines before a failure; default: %(default)s")


def run(args: Namespace) -> int:
    """Exit status: 0 if nothing went wrong, 1 otherwise."""
    if args.lines < 1:
        raise CommandError(f"--lines must be at least 1, not {args.lines}")
    protocols = ("uci", "xboard") if args.protocol == "both" else (args.protocol,)
    status = 0
    wanted = [variants.resolve(name) for name in args.variant]
    if args.protocol != "uci":
        for name in wanted:
            if not sent_whole(variants.find(name)):
                raise CommandError(f"--variant {name}: over XBoard some of its moves take several plies, so that its positions "
                                   "are only checked over UCI: --protocol uci")
    for protocol in protocols:
        names = wanted or [name for name in variants.names() if protocol == "uci" or sent_whole(variants.find(name))]
        status |= campaign(protocol, names, args.lines // len(protocols), args.seed, args.log)
    return status


def campaign(protocol: str, names: list[str], lines: int, seed: int, log: Path) -> int:
    """Fuzz one process over one protocol, print a summary, and return the exit status."""
    began, sent, rounds, sizes, batch = time.perf_counter(), 0, 0, list[int](), list[str]()
    places = [place for name in names for place in walks(name, seed)]
    attack = attack_uci if protocol == "uci" else attack_xboard
    failed = ""
    with EngineProcess([*shlex.split(OURSELVES), protocol]) as talk:
        try:
            while sent < lines:
                chance = random.Random(f"{protocol} {seed} {rounds}")
                batch = []
                attack(talk, chance, chance.choice(places), batch)
                sent, rounds = sent + len(batch), rounds + 1
                sizes.append(resident(talk.process.pid))
                talk.log.clear()
                if rounds % 20 == 0 and sys.stderr.isatty():
                    print(f"\r{protocol}: {sent} lines, {sizes[-1] >> 10} MiB ", end="", file=sys.stderr, flush=True)
        except (FuzzError, EngineGoneError, NoAnswerError) as error:
            failed = f"round {rounds}, seed {seed}: {error}"
            heard = [entry.text for entry in talk.log if entry.sign == "<"]
            log.write_text("\n".join(["sent:", *map(ascii, batch), "heard:", *heard[-200:],
                                      "stderr:", bytes(talk.errors).decode("utf-8", "replace")]), encoding="utf-8")
        if not failed and talk.errors:
            failed = f"on stderr: {bytes(talk.errors[:200])!r}"
    middle, last = sizes[len(sizes) // 3:2 * len(sizes) // 3], sizes[2 * len(sizes) // 3:]
    before, after = max(middle, default=0), max(last, default=0)
    if not failed and rounds >= LOADED and after > before + MARGIN:
        failed = f"grew from {before >> 10} to {after >> 10} MiB"
    print(f"{protocol}: {sent} lines in {rounds} rounds, {time.perf_counter() - began:.0f} s, position checked {rounds} times; "
          f"resident at most {before >> 10} MiB in the second third, {after >> 10} MiB in the last")
    print(f"{protocol}: {'FAILED: ' + failed if failed else 'no failure'}", flush=True)
    return int(bool(failed))


def walks(name: str, seed: int) -> list[Place]:
    """Positions of random games, played by python-chess and the readable Boards."""
    chance, found = random.Random(f"{name} {seed}"), list[Place]()
    rules = variants.find(name)
    while len(found) < 6:
        board, moves = rules.board(rules.start_fen), list[str]()
        for _ in range(chance.randrange(1, 30)):
            legal = sorted(map(board.uci, board.legal_moves))
            if not legal or board.is_game_over():
                break
            moves.append(chance.choice(legal))
            board.push_uci(moves[-1])
        else:
            castling = {square_name(move.from_square) for move in board.legal_moves if board.is_castling(move)}
            found.append(Place(name, tuple(moves), board.fen(), frozenset(map(board.uci, board.legal_moves)),
                               frozenset(castling)))
    return found


def resident(pid: int) -> int:
    """KiB of memory that a process uses; 0 if the system does not say."""
    try:
        return int(re.findall(r"VmRSS:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())[0])
    except (OSError, IndexError):
        return 0


def listen(talk: EngineProcess, pattern: str) -> list[str]:
    """The lines up to the expected one. Raises FuzzError if one of them is a sign of trouble."""
    said = talk.until(pattern, PATIENCE)
    for line in said:
        if TROUBLE.search(line):
            raise FuzzError(f"{line[:300]!r}")
    return said


def send(talk: EngineProcess, lines: list[str]) -> None:
    """Send a batch, past the log."""
    talk.raw("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))


def attack_uci(talk: EngineProcess, chance: random.Random, place: Place, batch: list[str]) -> None:
    """Send a batch of anything, then a position and lines that must not change it, then `d`."""
    lines = [hostile.line(chance, hostile.UCI) for _ in range(BATCH - HARMLESS)]
    lines += ["stop", f"setoption name UCI_Variant value {place.variant}", "setoption name UCI_Chess960 value false",
              "setoption name Threads value 1", f"position startpos moves {' '.join(place.moves)}"]
    while len(lines) < BATCH:
        if (harmless := hostile.keeps_position_uci(hostile.line(chance, hostile.UCI))) is not None:
            lines.append(harmless)
    mark = f"mark{chance.randrange(10**9)}"  # no such option: its error cannot be mistaken for that of another line
    lines += ["stop", "d", f"setoption name {mark} value 1"]
    batch += lines
    send(talk, lines)
    said = listen(talk, f"info string unknown option '{mark}'.*")
    fens = [line.removeprefix("Fen: ") for line in said if line.startswith("Fen: ")]
    if not fens or fens[-1] != place.fen:
        raise FuzzError(f"{place.variant}: d says {fens[-1:]}, the position is {place.fen!r}")
    talk.send("stop", "isready")
    listen(talk, "readyok")


def attack_xboard(talk: EngineProcess, chance: random.Random, place: Place, batch: list[str]) -> None:
    """The same over XBoard; the position is probed by legal moves, which are taken back, and by illegal ones."""
    known = frozenset(XBoard.commands)
    lines = [hostile.line(chance, hostile.XBOARD) for _ in range(BATCH - HARMLESS)]
    lines += ["exit", ".", "#", "option Variant=chess", "new", "force", f"variant {name_of(place.variant)}", "cores 1", "force",
              f"setboard {place.fen}"]
    while len(lines) < BATCH:
        if (harmless := hostile.keeps_position_xboard(hostile.line(chance, hostile.XBOARD), known)) is not None:
            lines.append(harmless)
    squares = list(SQUARES)
    wrong = [move for move in (chance.choice(squares) + chance.choice(squares) for _ in range(12))
             if not any(legal.startswith(move) for legal in place.legal) and move[:2] != move[2:]
             and not (move[:2] in place.castling and move[1] == move[3])]
    right = chance.sample(sorted(place.legal), min(8, len(place.legal)))
    number = chance.randrange(10**9, 10**10)
    probe = [f"ping {number}", *(f"usermove {move}" for move in wrong)]
    for move in right:
        probe += [f"usermove {move}", "undo"]
    lines += [*probe, f"ping {number + 1}"]
    batch += lines
    send(talk, lines)
    listen(talk, f"pong {number}")
    said = listen(talk, f"pong {number + 1}")
    refused = [line.removeprefix("Illegal move: ") for line in said if line.startswith("Illegal move")]
    if refused != wrong:
        raise FuzzError(f"{place.variant} {place.fen}: refused {refused}, illegal are {wrong}, legal {right}")
