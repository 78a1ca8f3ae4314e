"""`kingmaker sprt`: Elo, likelihood of superiority and the sequential test for counts of games, or better of pairs."""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser, Namespace

from bench.match.stats import MODELS, Sprt, Tally
from engine.errors import CommandError

MOST_GAMES = 10**9


def add_arguments(parser: ArgumentParser) -> None:
    """Add counts and the test."""
    parser.add_argument("--wdl", type=int, nargs=3, metavar=("WINS", "DRAWS", "LOSSES"), help="single games")
    parser.add_argument("--pairs", type=int, nargs=5, metavar=("LL", "LD", "DD", "WD", "WW"),
                        help="pairs of games with one opening and colours reversed, by points: 0, 1/2, 1, 3/2, 2")
    parser.add_argument("--elo0", type=float, default=0.0, help="the null hypothesis; default: %(default)g")
    parser.add_argument("--elo1", type=float, default=5.0, help="the alternative; default: %(default)g")
    parser.add_argument("--alpha", type=float, default=0.05, help="risk of a false alternative; default: %(default)g")
    parser.add_argument("--beta", type=float, default=0.05, help="risk of a false null hypothesis; default: %(default)g")
    parser.add_argument("--model", choices=MODELS, default="normalized", help="what Elo means; default: %(default)s")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(args: Namespace) -> int:
    """Exit status: 0."""
    if (args.wdl is None) == (args.pairs is None):
        raise CommandError("give either --wdl or --pairs")
    counts = args.wdl or args.pairs
    if min(counts) < 0 or not sum(counts):
        raise CommandError(f"counts {' '.join(map(str, counts))}: none may be negative, and one must be positive")
    if max(counts) > MOST_GAMES:
        raise CommandError(f"count {max(counts)} is above {MOST_GAMES}")
    try:
        test = Sprt(args.elo0, args.elo1, args.alpha, args.beta, args.model)
        tally = Tally.of_games(*args.wdl) if args.wdl else Tally.of_pairs(args.pairs)
        found = {"llr": test.llr(tally) + 0.0, "lower": test.lower, "upper": test.upper, "verdict": test.verdict(tally),
                 **tally.summary()}
    except CommandError as error:
        raise CommandError(as_switches(str(error))) from None
    if args.json:
        print(json.dumps(found))
    else:
        print(f"LLR {found['llr']:z.2f} ({test.lower:.2f}, {test.upper:.2f}) [{args.elo0:g}, {args.elo1:g}] {args.model}: "
              f"{found['verdict']}\n{tally.text()}")
    return 0


def as_switches(said: str) -> str:
    """What a test refuses, in the words of this command: `sprt: alpha=2 is ...` becomes `--alpha 2 is ...`."""
    return re.sub(r"\b(\w+)=", r"--\1 ", said.removeprefix("sprt: "))
