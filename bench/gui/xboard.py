"""`kingmaker xboard VARIANT`: starts XBoard with the switches that a game needs."""

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
from engine.protocol.xboard.faces import CRAZYHOUSE, FAIRY, LION, face_of, name_of
from engine.rules.facts import ORTHODOX
from engine.text import parse_fen, to_fen

ENGINE = [sys.executable, "-m", "engine"]

# XBoard only knows its own rules: it must not claim or adjudicate anything. These switches must not be saved as settings for
# all games.
ALWAYS = ("-testClaims", "false", "-repeatsToDraw", "0", "-ruleMoves", "0", "-showTargetSquares", "true",
          "-saveSettingsOnExit", "false")
ASK = ("-sweepPromotions", "false")  # a window asks what a pawn becomes, instead of how far the mouse is dragged


def add_arguments(parser: ArgumentParser) -> None:
    """Add game, opponent, clock, start position and files."""
    parser.add_argument("variant", metavar="VARIANT", help=f"the game: {variants.listed()}")
    parser.add_argument("--opponent", metavar="COMMAND", help="let two engines play: a command that speaks the XBoard "
                        "protocol, or `kingmaker`; default: you play")
    parser.add_argument("--games", type=int, default=1, metavar="N", help="games of a match; default: %(default)s")
    parser.add_argument("--tc", default="5", metavar="MINUTES[:SECONDS]", help="time for a game; default: %(default)s")
    parser.add_argument("--inc", type=float, default=2, metavar="SECONDS", help="increment for each move; default: %(default)s")
    parser.add_argument("--fen", help="start position")
    parser.add_argument("--save", type=Path, metavar="FILE", help="append the games to this PGN file")
    parser.add_argument("--print", action="store_true", help="print the command instead of running it; the position of --fen "
                        "is written to a temporary file, which is not deleted")
    parser.add_argument("--switches", default="", metavar="'-SWITCH VALUE ...'", help="more switches for XBoard")


def switches(variant: str) -> list[str]:
    """The switches with which XBoard plays a game. Raises OptionError."""
    known = variants.resolve(variant)
    return ["-variant", name_of(known), *_manners(known)]


def _manners(variant: str) -> list[str]:
    """Switches for how to play: no legality testing unless XBoard knows the rules; ask only if a pawn has a choice."""
    pawn = variants.find(variant).pawn
    asks = ASK if pawn is not None and len(pawn.promotes_to) > 1 else ()
    return [*ALWAYS, *asks] if variants.find(variant).xboard.native else [*ALWAYS, *asks, "-xlegal"]


def from_position(variant: str, file: Path) -> list[str]:
    """The switches for a game from a position in a file: an engine-defined game would start from its own position."""
    known = variants.resolve(variant)
    option = f"Variant={known}"
    face = face_of(variants.find(known))
    if variants.find(known).xboard.native or not face.pieces:
        return [*switches(known), "-lpf", str(file)]
    alike = face.pieces == ORTHODOX and face.parent not in (FAIRY, LION, CRAZYHOUSE)
    pieces = [] if alike else ["-pieceToCharTable", table(face.pieces)]
    return ["-variant", face.parent, *_manners(known), *pieces, "-lpf", str(file), "-firstOptions", option,
            "-secondOptions", option]


def table(pieces: str) -> str:
    """White's and Black's pieces in XBoard's order, for its switch -pieceToCharTable."""
    return pieces + pieces.lower()


def six_fields(variant: str, fen: str) -> str:
    """The position in six fields. Raises FenError; CommandError if a seventh field would be lost."""
    rules = variants.find(variant)
    given = to_fen(rules, parse_fen(rules, fen))
    cut = " ".join(given.split()[:6])
    if to_fen(rules, parse_fen(rules, cut)) != given:
        raise CommandError(f"XBoard ignores the seventh FEN field, so {given.split()[6]!r} would be lost; "
                           "start from a position with its default value")
    return cut


def command(args: Namespace, folder: Path | None = None) -> list[str]:
    """The command line. A position is written to a file in `folder`, or if None, in a new temporary folder that stays."""
    ourselves = shlex.join(ENGINE)
    words = [programs.find("xboard") or "xboard"]
    if args.fen:
        position = six_fields(args.variant, args.fen)
        file = (folder or Path(tempfile.mkdtemp(prefix="kingmaker-"))) / "position.fen"
        file.write_text(f"{position}\n", encoding="utf-8")
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
    """Raise CommandError for values that XBoard would misread, or refuse in a window."""
    if not 1 <= args.games <= 10_000:
        raise CommandError(f"--games {args.games} is not from 1 to 10000")
    time = re.fullmatch(r"([0-9]{1,4})(:[0-5]?[0-9])?", args.tc)
    if time is None or not time[0].strip("0:"):
        raise CommandError(f"--tc {args.tc!r} is not MINUTES or MINUTES:SECONDS")
    if not 0 <= args.inc <= 3600:
        raise CommandError(f"--inc {args.inc:g} is not from 0 to 3600")
    if args.opponent is not None and args.opponent != "kingmaker" and not args.print:
        programs.words_of(args.opponent)
    if args.save and (args.save.is_dir() or not args.save.resolve().parent.is_dir()):
        raise CommandError(f"--save {str(args.save)!r} is not a file in an existing folder")
    try:
        shlex.split(args.switches)
    except ValueError as error:
        raise CommandError(f"--switches {args.switches!r}: {error}") from None


def run(args: Namespace) -> int:
    """Exit status: XBoard's; 130 after Ctrl-C."""
    variants.resolve(args.variant)
    _sensible(args)
    if args.print:
        print(shlex.join(command(args)))
        return 0
    with tempfile.TemporaryDirectory(prefix="kingmaker-") as folder:
        words = command(args, Path(folder))
        if not Path(words[0]).exists():
            raise CommandError("no such program: 'xboard' (Debian: apt install xboard)")
        try:
            return subprocess.run(words, check=False).returncode
        except KeyboardInterrupt:
            return 130
