"""`kingmaker xboard`: XBoard, with all the switches that a game needs there."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

import variants
from bench.clients import programs
from engine.errors import CommandError
from engine.places import ROOT
from engine.protocol.xboard.faces import faces, name_of
from engine.text import parse_fen, to_fen

ENGINE = [sys.executable, "-m", "engine"]

# XBoard judges by the board it sees, and knows no rules but its own: it must claim and adjudicate nothing. What it is told
# here must not end up in the settings of all its games.
ALWAYS = ("-testClaims", "false", "-repeatsToDraw", "0", "-ruleMoves", "0", "-showTargetSquares", "true",
          "-saveSettingsOnExit", "false")
ASK = ("-sweepPromotions", "false")  # what a pawn becomes is asked in a window, not chosen by how far the mouse is dragged


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("variant", metavar="VARIANT", help=f"one of {', '.join(variants.names())}")
    parser.add_argument("--opponent", metavar="COMMAND", help="let two engines play: the command of one that speaks XBoard's "
                        "protocol, or `kingmaker` for ourselves; default: you play")
    parser.add_argument("--games", type=int, default=1, metavar="N", help="of a match, default: %(default)s")
    parser.add_argument("--tc", default="5", metavar="MINUTES[:SECONDS]", help="for a game, default: %(default)s")
    parser.add_argument("--inc", type=float, default=2, metavar="SECONDS", help="more for each move, default: %(default)s")
    parser.add_argument("--fen", help="start here")
    parser.add_argument("--save", type=Path, metavar="FILE", help="add the games to this file, as PGN")
    parser.add_argument("--print", action="store_true", help="print the command instead of running it")
    parser.add_argument("--switches", default="", metavar="'-SWITCH VALUE ...'", help="more switches of XBoard's")


def switches(variant: str) -> list[str]:
    """What XBoard must be told to play a game of ours. Raises OptionError."""
    known = variants.resolve(variant)
    return ["-variant", name_of(known), *_manners(known)]


def _manners(variant: str) -> list[str]:
    """Legality testing off where it knows other rules; nothing to ask where a pawn becomes one thing only."""
    pawn = variants.find(variant).pawn
    asks = ASK if pawn is not None and len(pawn.promotes_to) > 1 else ()
    return [*ALWAYS, *asks] if variants.find(variant).xboard.native else [*ALWAYS, *asks, "-xlegal"]


def from_position(variant: str, file: Path) -> list[str]:
    """The same for a game from a position in a file: an engine-defined game would start from its own."""
    known = variants.resolve(variant)
    option = f"Variant={known}"
    face = faces()[name_of(known)]
    if variants.find(known).xboard.native:
        return [*switches(known), "-lpf", str(file)]
    pieces = [] if face.parent == "atomic" else ["-pieceToCharTable", table(face.pieces)]
    return ["-variant", face.parent, *_manners(known), *pieces, "-lpf", str(file), "-firstOptions", option,
            "-secondOptions", option]


def table(pieces: str) -> str:
    """White's and Black's pieces in XBoard's order, as its switch wants them."""
    return pieces + pieces.lower()


def six_fields(variant: str, fen: str) -> str:
    """The position as XBoard keeps it. Raises FenError; CommandError where a seventh field says what XBoard cannot."""
    rules = variants.find(variant)
    given = to_fen(rules, parse_fen(rules, fen))
    cut = " ".join(given.split()[:6])
    if to_fen(rules, parse_fen(rules, cut)) != given:
        raise CommandError(f"XBoard keeps no seventh field: {given.split()[6]!r} would be lost")
    return cut


def command(args: Namespace, folder: Path) -> list[str]:
    """The whole command line; a position is put into a file in `folder`."""
    ourselves = shlex.join(ENGINE)
    words = [programs.find("xboard") or "xboard"]
    if args.fen:
        file = folder / "position.fen"
        file.write_text(f"{six_fields(args.variant, args.fen)}\n", encoding="utf-8")
        words += from_position(args.variant, file)
    else:
        words += switches(args.variant)
    words += ["-fcp", ourselves, "-fd", str(ROOT), "-tc", args.tc, "-inc", f"{args.inc:g}"]
    if args.opponent is None:
        words += ["-scp", ourselves, "-sd", str(ROOT)]
    elif args.opponent == "kingmaker":
        words += ["-scp", ourselves, "-sd", str(ROOT), "-mg", str(args.games)]
    else:
        words += ["-scp", args.opponent, "-mg", str(args.games)]
    if args.save:
        words += ["-sgf", str(args.save.resolve())]
    return [*words, *shlex.split(args.switches)]


def _sensible(args: Namespace) -> None:
    """Raises CommandError for what XBoard would take for something else, or end on with a window."""
    if not 1 <= args.games <= 10_000:
        raise CommandError(f"--games {args.games} is not from 1 to 10000")
    time = re.fullmatch(r"([0-9]{1,4})(:[0-5]?[0-9])?", args.tc)
    if time is None or not time[0].strip("0:"):
        raise CommandError(f"--tc {args.tc!r} is no MINUTES or MINUTES:SECONDS")
    if not 0 <= args.inc <= 3600:
        raise CommandError(f"--inc {args.inc:g} is not from 0 to 3600")
    if args.opponent is not None and args.opponent != "kingmaker" and not args.print:
        programs.words_of(args.opponent)
    if args.save and (args.save.is_dir() or not args.save.resolve().parent.is_dir()):
        raise CommandError(f"--save {str(args.save)!r} is no file in a folder that there is")
    try:
        shlex.split(args.switches)
    except ValueError as error:
        raise CommandError(f"--switches {args.switches!r}: {error}") from None


def run(args: Namespace) -> int:
    variants.resolve(args.variant)
    _sensible(args)
    with tempfile.TemporaryDirectory(prefix="kingmaker-") as folder:
        words = command(args, Path.cwd() if args.print else Path(folder))
        if args.print:
            print(shlex.join(words))
            return 0
        if not Path(words[0]).exists():
            raise CommandError("no such program: 'xboard' (Debian: apt install xboard)")
        try:
            return subprocess.run(words, check=False).returncode
        except KeyboardInterrupt:
            return 130
