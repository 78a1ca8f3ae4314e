"""`kingmaker report`: makes a self-contained web page of the results of a match, which may still be running."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.extras import need
from bench.match.files import stored_setup
from bench.match.ratings import Rating, rate
from bench.match.records import GameRecord
from bench.match.setup import Setup
from bench.match.specs import EngineSpec
from bench.match.standings import Standings
from bench.match.stats import PAIR_NAMES, half_points, plus_minus
from bench.match.store import Store
from bench.report import moments as report_moments
from bench.report import plots as report_plots
from bench.report.plots import Point
from bench.report.scores import worths
from engine.errors import CommandError

PAGE = "index.html"
TEMPLATE = "report.html"
BOARDS = 6
MINUS = "\N{MINUS SIGN}"
PLUS_MINUS = "\N{PLUS-MINUS SIGN}"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the results, the folder and what the page shows."""
    parser.add_argument("results", type=Path, metavar="RESULTS", help="results of kingmaker match, results.sqlite")
    parser.add_argument("-o", "--output", type=Path, default=Path("report"), metavar="FOLDER",
                        help=f"folder for {PAGE}; default: %(default)s")
    parser.add_argument("--boards", type=int, default=BOARDS, metavar="N", help="moments to show; default: %(default)s")
    parser.add_argument("--title", help="default: the event's name, or the variant and the players")


def run(args: Namespace) -> int:
    """Exit status: 0."""
    if not 0 <= args.boards <= 100:
        raise CommandError(f"--boards {args.boards} is not from 0 to 100")
    need("scipy", "matplotlib", "jinja2")
    setup, games, started = read_results(args.results)
    standings, history = standing(setup, games)
    text = page(standings, games, history, args.boards, args.title, started)
    path = args.output / PAGE
    try:
        args.output.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"cannot write {str(path)!r}: {error.strerror}") from None
    total = setup.schedule.total
    left = "" if complete(standings) else f"; {total - len(games)} of {total} are not finished"
    print(f"{path}: {len(games)} game{'s' * (len(games) != 1)}{left}")
    return 0


def read_results(path: Path) -> tuple[Setup, list[GameRecord], str]:
    """The match, its finished games in the order they ended, and when it began, as text.

    Raises: CommandError for a missing file, one without match results, and one without a finished game.
    """
    with closing(Store.open(path)) as store:
        setup, games = stored_setup(store), list(store.games())
    started = min((game.started for game in games), default=0.0)
    if not games:
        raise CommandError(f"no game in {path} is finished: there is nothing to report")
    return setup, games, moment_text(started)


def moment_text(seconds: float) -> str:
    """A time in UTC as text."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def standing(setup: Setup, games: list[GameRecord]) -> tuple[Standings, list[Point]]:
    """The standings of the match now, and after each game."""
    standings = Standings(setup)
    history = []
    for game in games:
        standings.add(game)
        history.append(report_plots.point(standings))
    return standings, history


def complete(standings: Standings) -> bool:
    """Whether all games are finished or the test is decided."""
    return standings.finished >= standings.setup.schedule.total or standings.verdict() != "continue"


def page(standings: Standings, games: list[GameRecord], history: list[Point], boards: int, title: str | None,
         started: str) -> str:
    """The page: HTML that refers to no other file."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    setup = standings.setup
    ratings = rated(standings)
    environment = Environment(loader=PackageLoader("bench", "data/templates"), autoescape=True,
                              undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    players = [engine.name for engine in setup.engines]
    moments = report_moments.moments(games, boards)
    return environment.get_template(TEMPLATE).render(
        title=title or setup.event or f"{setup.variant}: {' against '.join(players) if len(players) < 3 else 'a tournament'}",
        started=started, setup=setup, standings=standings, total=setup.schedule.total, void=standings.void,
        complete=complete(standings),
        facts=facts(standings), engines=[engine_row(engine) for engine in setup.engines], ratings=ratings,
        table=standings_rows(standings, games, ratings), crosstable=crosstable(players, games, ratings),
        openings=opening_rows(setup, games), reasons=reason_rows(games), scores=score_rows(games),
        faults=[game for game in games if game.fault is not None],
        plots=report_plots.plots(standings, games, history, ratings), moments=moments)


def rated(standings: Standings) -> list[Rating]:
    """Ratings of the players, best first; none without a counted game."""
    return rate(standings.names, standings.games)[0] if standings.counted else []


def facts(standings: Standings) -> list[tuple[str, str]]:
    """The facts at the top of the page, as (name, value)."""
    setup, found = standings.setup, list[tuple[str, str]]()
    tally = standings.tally() if len(standings.names) == 2 else None
    if tally is not None:
        elo, error = tally.elo()
        normalized, normalized_error = tally.normalized_elo()
        found += [(f"score of {standings.names[0]}", percent(tally.score)), ("Elo difference", spread(elo, error)),
                  ("normalized Elo", spread(normalized, normalized_error)),
                  ("likelihood of superiority", percent(tally.los()))]
        if tally.paired:
            found.append((f"pairs {', '.join(PAIR_NAMES)}", ", ".join(map(str, standings.pairs()))))
    if setup.sprt is not None and (llr := standings.llr()) is not None:
        sprt = setup.sprt
        found.append((f"LLR of [{sprt.elo0:g}, {sprt.elo1:g}], {sprt.model}",
                      f"{signed(llr, 2)} in ({signed(sprt.lower, 2)}, {signed(sprt.upper, 2)}): {standings.verdict()}"))
    rate = standings.draw_rate()
    if rate is not None:
        found += [("draws", percent(rate)), ("White's score", percent(standings.white_points / standings.counted))]
    return found


def percent(value: float) -> str:
    """`12.3%`."""
    return f"{value:.1%}"


def signed(value: float, digits: int) -> str:
    """`+1.25`, with a typographical minus sign."""
    return f"{value:+z.{digits}f}".replace("-", MINUS)


def spread(value: float, error: float) -> str:
    """`+12.3 ± 4.5`."""
    return plus_minus(value, error).replace("-", MINUS)


def engine_row(engine: EngineSpec) -> dict[str, str]:
    """A player and its settings."""
    limits = [f"{engine.tc} s" if engine.tc else "", f"{engine.st:g} s a move" if engine.st else "",
              f"depth {engine.depth}" if engine.depth else "", f"{engine.nodes:,} nodes" if engine.nodes else ""]
    return {"name": engine.name, "protocol": engine.protocol, "limits": ", ".join(filter(None, limits)),
            "options": ", ".join(f"{name}={value}" for name, value in engine.options)}


def standings_rows(standings: Standings, games: list[GameRecord], ratings: list[Rating]) -> list[dict[str, str]]:
    """A row per player, the best first."""
    lost_by_fault = Counter((game.white, game.black)[game.fault] for game in games if game.fault is not None)
    rows = []
    for place, rating in enumerate(ratings, 1):
        name = rating.name
        played = rating.games
        rows.append({
            "place": str(place), "name": name, "elo": spread(rating.elo, rating.error) if played else "",
            "points": f"{standings.points(name):g}", "games": str(played),
            "share": percent(standings.points(name) / played) if played else "", "wins": str(standings.wins[name]),
            "draws": str(standings.draws[name]), "losses": str(standings.losses[name]), "faults": str(lost_by_fault[name])})
    return rows


def crosstable(players: list[str], games: list[GameRecord], ratings: list[Rating]) -> list[tuple[str, list[tuple[str, str]]]]:
    """A row per player, in the order of the ratings: (name, [(points, wins draws losses) against each])."""
    met: dict[tuple[str, str], Counter[int]] = {}
    for game in games:
        half = half_points(game.result)
        if half is not None:
            met.setdefault((game.white, game.black), Counter())[half] += 1
            met.setdefault((game.black, game.white), Counter())[2 - half] += 1
    order = [rating.name for rating in ratings] or players
    rows = []
    for name in order:
        cells = []
        for other in order:
            counts = met.get((name, other)) if name != other else None
            if counts is None:
                cells.append(("", ""))
                continue
            points = counts[2] + counts[1] / 2
            cells.append((f"{points:g} / {counts.total()}", f"+{counts[2]} ={counts[1]} {MINUS}{counts[0]}"))
        rows.append((name, cells))
    return rows


def opening_rows(setup: Setup, games: list[GameRecord]) -> list[dict[str, Any]]:
    """A row per opening: games, White's results, the first player's points; none if all games had the same opening."""
    found: dict[tuple[str, tuple[str, ...]], list[GameRecord]] = {}
    for game in games:
        found.setdefault((game.fen, tuple(ply.san for ply in game.plies if ply.book)), []).append(game)
    if len(found) < 2:
        return []
    first = setup.engines[0].name if len(setup.engines) == 2 else None
    rows = []
    for (fen, moves), those in found.items():
        halves = [(game, half) for game in those if (half := half_points(game.result)) is not None]
        white = Counter(half for _, half in halves)
        own = sum(half if game.white == first else 2 - half for game, half in halves) / 2
        name = those[0].opening_name or (f"no. {those[0].opening}" if those[0].opening else "")
        rows.append({"name": name, "fen": fen, "moves": " ".join(moves), "place": those[0].opening or 0,
                     "games": len(those), "white": white[2],
                     "draws": white[1], "black": white[0], "plies": round(sum(len(game.plies) for game in those) / len(those)),
                     "first": f"{own:g} / {len(halves)}" if first else ""})
    return sorted(rows, key=lambda row: (-row["games"], row["place"]))


def score_rows(games: list[GameRecord]) -> list[dict[str, str]]:
    """What the scores of each player were worth."""
    return [{"player": worth.player, "moves": f"{worth.moves:,}", "points": percent(worth.points_at_zero),
             "weight": signed(worth.weight, 2), "explained": percent(worth.explained)} for worth in worths(games)]


def reason_rows(games: list[GameRecord]) -> list[dict[str, Any]]:
    """How games ended, most frequent first."""
    counts = Counter(game.reason for game in games)
    rows = []
    for reason, count in counts.most_common():
        results = Counter(game.result for game in games if game.reason is reason)
        rows.append({"reason": reason.value, "games": count, "share": percent(count / len(games)), "fault": reason.fault,
                     "white": results["1-0"], "draws": results["1/2-1/2"], "black": results["0-1"]})
    return rows
