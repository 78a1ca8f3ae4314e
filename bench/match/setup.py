"""The settings of a match: read from a command line like that of fastchess and Cute Chess, and from a file of results."""

from __future__ import annotations

import math
import re
import shlex
import shutil
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import variants
from bench.clients.uci import OURSELVES
from bench.match.openings import Book, Opening
from bench.match.referee import Adjudication, DrawRule, ResignRule
from bench.match.schedule import TOURNAMENTS, Schedule
from bench.match.specs import EngineSpec, TimeControl
from bench.match.stats import MODELS, Sprt
from engine.errors import CommandError
from engine.protocol.options import shown, suggestion

ENGINE_KEYS = """cmd=PROGRAM [args='...'] [dir=FOLDER] [name=NAME] [proto=uci|xboard] [option.NAME=VALUE ...]
tc=[MOVES/][MINUTES:]SECONDS[+INCREMENT] st=SECONDS depth=PLIES nodes=N [timemargin=MS] [startup=SECONDS] [patience=SECONDS]
[variant=ITS NAME FOR THE GAME] [restart=on] [claims=ignore]"""
KEYS = {"command": "cmd", "protocol": "proto", "directory": "dir", "options": "option", "margin": "timemargin",
        "trusts": "claims"}  # keys of EngineSpec fields with other names
BOOK_KEYS = ("file", "format", "order", "plies", "start", "policy")
SEVERAL = re.compile(rf" (?=(?:{'|'.join(BOOK_KEYS)})=)")  # between the items of -openings; a file name may have blanks
FISCHER = ("chess960", "fischerandom", "fischerrandom")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options, with one or two dashes. Those not given are None or empty: read_setup() has the defaults."""

    def option(name: str, *more: str, **settings: Any) -> None:
        parser.add_argument(f"-{name}", f"--{name}", *more, dest=name, **settings)

    group = "KEY=VALUE"
    option("engine", nargs="+", action="append", default=[], metavar=group, help=f"an engine, at least two: {ENGINE_KEYS}")
    option("each", nargs="+", action="append", default=[], metavar=group, help="settings of every engine")
    option("variant", metavar="NAME", help="the game, or chess960; default: chess")
    option("tournament", choices=TOURNAMENTS, help=f"default: {TOURNAMENTS[0]}; gauntlet: the first engine against all others")
    option("rounds", type=int, help="how often each pair meets; default: 1")
    option("games", type=int, help="games of each encounter; default: 2")
    option("repeat", nargs="?", type=int, const=2, metavar="2",
           help="play each opening with both colours; the default")
    option("norepeat", action="store_true", help="a new opening for every game")
    option("concurrency", type=int, default=1, metavar="N", help="games at the same time; default: %(default)s")
    option("openings", nargs="+", metavar=group,
           help="file=FILE (file=book: the shipped one) format=epd|pgn order=sequential|random plies=N (PGN) start=N")
    option("sprt", nargs="+", metavar=group,
           help=f"stop when the test is decided: elo0=0 elo1=5 alpha=0.05 beta=0.05 model={'|'.join(MODELS)}")
    option("resign", nargs="+", metavar=group, help="movecount=3 score=600 twosided=false: adjudicate by the loser's scores")
    option("draw", nargs="+", metavar=group, help="movenumber=40 movecount=8 score=10: adjudicate by both scores")
    option("maxmoves", type=int, metavar="N", help="adjudicate a draw after that many full moves")
    option("tables", metavar="FOLDER", help="adjudicate by the exact values of tables that `kingmaker table` made")
    option("pgnout", nargs="+", metavar="FILE", help="append each game to a PGN file; also file=FILE")
    option("results", type=Path, default=Path("results.sqlite"), metavar="FILE", help="SQLite file; default: %(default)s")
    option("resume", action="store_true", help="continue the match in -results that was stopped or killed;"
           " -games and -rounds may change its length")
    option("seed", "-srand", type=int, metavar="N", help="for order=random; default: 1")
    option("event", metavar="NAME", help="the event's name in the PGN")
    option("keeplogs", action="store_true", help="keep the conversations of all games, not only of those with a fault")
    option("json", action="store_true", help="print a JSON object per line: each game, then the result")
    parser.add_argument("-recover", action="store_true", help=SUPPRESS)  # fastchess needs it to survive a crash


@dataclass(frozen=True)
class Setup:
    """The settings of a match."""

    variant: str
    engines: tuple[EngineSpec, ...]
    schedule: Schedule
    book: tuple[Opening, ...]
    rules: Adjudication = field(default_factory=Adjudication)
    sprt: Sprt | None = None
    chess960: bool = False
    seed: int = 1
    event: str = ""
    pgn: str | None = None
    keep_logs: bool = False
    openings: str = ""  # how the book was given

    def settings(self) -> dict[str, Any]:
        """All settings but the engines, for the table `match`."""
        found = asdict(self)
        del found["engines"]
        found["book"] = [[opening.fen, list(opening.moves), opening.name, opening.place] for opening in self.book]
        return found

    @classmethod
    def from_settings(cls, get: Callable[[str], Any], engines: tuple[EngineSpec, ...]) -> Setup:
        """The match that settings() described; get: setting by name."""
        rules, sprt = get("rules"), get("sprt")
        return cls(
            get("variant"), engines, Schedule(**get("schedule")),
            tuple(Opening(fen, tuple(moves), name, place) for fen, moves, name, place in get("book")),
            Adjudication(ResignRule(**rules["resign"]) if rules["resign"] else None,
                         DrawRule(**rules["draw"]) if rules["draw"] else None, rules["max_moves"], rules.get("tables")),
            Sprt(**sprt) if sprt else None, get("chess960"), get("seed"), get("event"), get("pgn"), get("keep_logs"),
            get("openings"))


def read_setup(args: Namespace, found: Setup | None = None) -> Setup:
    """The match that a command line describes; missing settings are taken from `found`, else their defaults.

    Raises: CommandError, OptionError naming what is wrong.
    """
    base = found or Setup("chess", (), Schedule(0), ())
    chess960 = base.chess960 if args.variant is None else args.variant.lower() in FISCHER
    rules = variants.find("chess" if chess960 else base.variant if args.variant is None else args.variant)
    if found and args.each and not args.engine:
        raise CommandError("-each without -engine: a resumed match keeps the settings of its engines")
    each = [item for group in args.each for item in group]
    engines = found.engines if found and not args.engine else _engines(args.engine, each)
    schedule = _schedule(args, base.schedule, len(engines))
    sprt = _sprt(args.sprt) or base.sprt
    if sprt and len(engines) != 2:
        raise CommandError(f"-sprt compares two engines, and there are {len(engines)}")
    seed = base.seed if args.seed is None else args.seed
    named = " ".join(args.openings or ()) or base.openings
    book = base.book
    if found is None or (named, seed, schedule.openings, rules.name) != (
            base.openings, base.seed, base.schedule.openings, base.variant):
        given = _book(SEVERAL.split(named))
        book = tuple(given.openings(rules, chess960, seed, schedule.openings)) if given else (Opening(rules.start_fen),)
    pgn = _file("pgnout", args.pgnout)
    adjudication = Adjudication(_resign(args.resign) or base.rules.resign, _draw(args.draw) or base.rules.draw,
                                base.rules.max_moves if args.maxmoves is None else args.maxmoves,
                                base.rules.tables if args.tables is None else _folder("tables", args.tables))
    return Setup(
        rules.name, engines, schedule, book, adjudication, sprt, chess960, seed,
        base.event if args.event is None else args.event, str(Path(pgn).absolute()) if pgn else base.pgn,
        args.keeplogs or base.keep_logs, named)


def _schedule(args: Namespace, base: Schedule, players: int) -> Schedule:
    games = base.games if args.games is None else args.games
    if args.repeat is not None:
        if args.repeat != 2:
            raise CommandError(f"-repeat {args.repeat}: an opening is played twice, 2 is the only number")
        if args.norepeat:
            raise CommandError("-repeat and -norepeat together")
        games = 2 if args.games == 1 else games
    rounds = base.rounds if args.rounds is None else args.rounds
    for name, value in (("rounds", rounds), ("games", games), ("maxmoves", args.maxmoves)):
        if value is not None and value < 1:
            raise CommandError(f"-{name} {value} is less than 1")
    repeat = False if args.norepeat else True if args.repeat else base.repeat
    return Schedule(players, args.tournament or base.tournament, rounds, games, repeat)


def differences(found: Setup, given: Setup, finished: set[int]) -> list[str]:
    """The settings of a command line that differ from the match it resumes: `-maxmoves 9 (it has 6)`.

    The number of games may differ if the finished games keep their places in the schedule.
    """
    was, now = found.schedule, given.schedule
    rows: list[tuple[str, Any, Any]] = [
        ("variant", "chess960" if found.chess960 else found.variant, "chess960" if given.chess960 else given.variant),
        ("tournament", was.tournament, now.tournament), ("repeat" if now.repeat else "norepeat", was.repeat, now.repeat),
        ("openings", found.openings, given.openings),
        ("seed", found.seed, given.seed), ("sprt", found.sprt, given.sprt), ("resign", found.rules.resign, given.rules.resign),
        ("draw", found.rules.draw, given.rules.draw), ("maxmoves", found.rules.max_moves, given.rules.max_moves),
        ("tables", found.rules.tables, given.rules.tables),
        ("event", found.event, given.event), ("pgnout", found.pgn, given.pgn), ("keeplogs", found.keep_logs, given.keep_logs)]
    wrong = [*_other_engines(found.engines, given.engines),
             *(_other(name, before, after) for name, before, after in rows if before != after)]
    if not wrong and was != now and not _keeps(was, now, finished):
        wrong += [f"-{name} {after} ({len(finished)} games are finished of a match with {before})" for name, before, after in (
            ("rounds", was.rounds, now.rounds), ("games", was.games, now.games)) if before != after]
    if not wrong and any(before != after for before, after in zip(found.book, given.book, strict=False)):
        wrong.append(f"-openings {given.openings} (the book has other positions now)")
    return wrong


def _other(name: str, before: Any, after: Any) -> str:
    if isinstance(after, bool) or not isinstance(after, (str, int)):
        return f"-{name}"
    return f"-{name} {after} (it has {'none' if before in (None, '') else before})"


def _other_engines(found: tuple[EngineSpec, ...], given: tuple[EngineSpec, ...]) -> Iterator[str]:
    was, now = [engine.name for engine in found], [engine.name for engine in given]
    if was != now:
        yield f"-engine {', '.join(now)} (it has {', '.join(was)})"
        return
    for before, after in zip(found, given, strict=True):
        keys = [KEYS.get(name, name) for name, value in asdict(after).items() if value != asdict(before)[name]]
        if keys:
            yield f"-engine name={after.name} with another {', '.join(keys)}"


def _keeps(was: Schedule, now: Schedule, finished: set[int]) -> bool:
    """Whether the finished games are the same in both schedules."""
    if was.tournament == "swiss":  # the encounters of a round depend on the rounds before
        return was.games == now.games and max(finished, default=0) <= now.total
    before, after = ({game.number: game for game in schedule.fixtures(0) if game.number in finished} for schedule in (was, now))
    return before == after


# Groups of key=value.


def pairs(option: str, items: list[str], known: tuple[str, ...], anything: str = "") -> dict[str, str]:
    """KEY=VALUE items as a dictionary; keys may also begin with `anything`. Raises CommandError naming the item."""
    found: dict[str, str] = {}
    for item in items:
        key, equals, value = item.partition("=")
        if not equals:
            raise CommandError(f"-{option}: {shown(item)} is not KEY=VALUE")
        if key not in known and not (anything and key.startswith(anything) and len(key) > len(anything)):
            raise CommandError(f"-{option}: unknown key {shown(key)}{suggestion(key, list(known))}")
        found[key] = value
    return found


def number(option: str, key: str, text: str, low: float, high: float, whole: bool = True) -> float:
    """Parse a number within a range. Raises CommandError naming option, key, value and range."""
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise CommandError(f"-{option}: {key}={text} is not {kind} from {low:g} to {high:g}")
    return value


def flag(option: str, key: str, text: str) -> bool:
    """Parse on, true, 1 or off, false, 0. Raises CommandError."""
    if text.lower() not in ("on", "true", "1", "off", "false", "0"):
        raise CommandError(f"-{option}: {key}={text} is neither on nor off")
    return text.lower() in ("on", "true", "1")


ENGINE_FIELDS = ("cmd", "args", "dir", "name", "proto", "tc", "st", "depth", "nodes", "timemargin", "startup", "patience",
                 "variant", "restart", "claims")


def _engines(groups: list[list[str]], each: list[str]) -> tuple[EngineSpec, ...]:
    common = pairs("each", each, ENGINE_FIELDS, "option.")
    if len(groups) < 2:
        given = "is one" if groups else "are none"
        raise CommandError(f"a match needs two engines or more, and there {given}: -engine cmd=...")
    engines: list[EngineSpec] = []
    for group in groups:
        own = pairs("engine", group, ENGINE_FIELDS, "option.")
        spec = read_engine(own, {engine.name for engine in engines}, common=common)
        if spec.tc is None and spec.st is None and spec.depth is None and spec.nodes is None:
            raise CommandError(f"{spec.name} has no limit: add tc=, st=, depth= or nodes= to the engine or to -each")
        engines.append(spec)
    return tuple(engines)


def read_engine(
    own: dict[str, str], taken: set[str], switch: str = "-engine", common: dict[str, str] | None = None
) -> EngineSpec:
    """The engine that the settings of a switch describe, its name unlike those taken. Raises CommandError.

    common: what -each sets.
    """
    given = {**(common or {}), **own}

    def source(key: str) -> str:
        return switch if key in own else "-each"

    if not given.get("cmd"):
        raise CommandError(f"{switch}: cmd= is missing")
    try:
        command = [given["cmd"]] if Path(given["cmd"]).is_file() else shlex.split(given["cmd"])
        command += shlex.split(given.get("args", ""))
    except ValueError as error:
        raise CommandError(f"{source('cmd')}: cmd={given['cmd']}: {error}") from None
    if command == ["kingmaker"] and shutil.which("kingmaker") is None:
        command = shlex.split(OURSELVES)
    protocol = {"uci": "uci", "xboard": "xboard", "cecp": "xboard", "winboard": "xboard"}.get(given.get("proto", "uci"))
    if protocol is None:
        raise CommandError(f"{source('proto')}: proto={given['proto']} is neither uci nor xboard")
    if given.get("claims", "judge") not in ("judge", "ignore"):
        raise CommandError(f"{source('claims')}: claims={given['claims']} is neither judge nor ignore")
    stem = given.get("name") or Path(command[0]).name
    name, count = stem, 1
    while name in taken:
        if given.get("name") and count == 1:
            raise CommandError(f"{switch}: two engines are called {name!r}")
        count += 1
        name = f"{stem}-{count}"

    def bounded(key: str, low: float, high: float, whole: bool) -> Any:
        return None if key not in given else number(source(key)[1:], key, given[key], low, high, whole)

    return EngineSpec(
        name, tuple(command), protocol, given.get("dir"),
        tuple((key.removeprefix("option."), value) for key, value in given.items() if key.startswith("option.")),
        TimeControl.parse(given["tc"]) if "tc" in given else None, bounded("st", 0.001, 1e6, False),
        bounded("depth", 1, 1000, True), bounded("nodes", 1, 1e15, True), (bounded("timemargin", 0, 1e7, False) or 0.0) / 1000,
        bounded("startup", 0.1, 1e5, False) or EngineSpec.startup, bounded("patience", 0.1, 1e6, False) or EngineSpec.patience,
        given.get("variant"), flag(source("restart")[1:], "restart", given.get("restart", "off")),
        given.get("claims") == "ignore")


def _book(items: list[str]) -> Book | None:
    if not any(items):
        return None
    if len(items) == 1 and "=" not in items[0]:
        items = [f"file={items[0]}"]
    given = pairs("openings", items, BOOK_KEYS)
    if not given.get("file"):
        raise CommandError("-openings: file= is missing")
    kind = given.get("format", "pgn" if given["file"].lower().endswith(".pgn") else "epd")
    if kind not in ("epd", "pgn"):
        raise CommandError(f"-openings: format={kind} is neither epd nor pgn")
    if given.get("order", "sequential") not in ("sequential", "random"):
        raise CommandError(f"-openings: order={given['order']} is neither sequential nor random")
    plies = int(number("openings", "plies", given["plies"], 0, 1000)) if "plies" in given else None
    if plies is not None and kind == "epd":
        raise CommandError(f"-openings: plies={plies} is for PGN, and an EPD has positions without moves")
    return Book(given["file"], kind, given.get("order", "sequential"), plies,
                int(number("openings", "start", given.get("start", "1"), 1, 1e9)))


def _sprt(items: list[str] | None) -> Sprt | None:
    if not items:
        return None
    given = pairs("sprt", items, ("elo0", "elo1", "alpha", "beta", "model"))
    values = {key: number("sprt", key, given.get(key, default), -1e4, 1e4, False)
              for key, default in (("elo0", "0"), ("elo1", "5"), ("alpha", "0.05"), ("beta", "0.05"))}
    return Sprt(**values, model=given.get("model", MODELS[0]))


def _folder(name: str, path: str) -> str:
    """The whole name of a folder that is there. Raises CommandError."""
    if not Path(path).is_dir():
        raise CommandError(f"-{name} {path!r} is not a folder")
    return str(Path(path).absolute())


def _resign(items: list[str] | None) -> ResignRule | None:
    if not items:
        return None
    given = pairs("resign", items, ("movecount", "score", "twosided"))
    return ResignRule(int(number("resign", "movecount", given.get("movecount", "3"), 1, 1000)),
                      int(number("resign", "score", given.get("score", "600"), 1, 1e6)),
                      flag("resign", "twosided", given.get("twosided", "false")))


def _draw(items: list[str] | None) -> DrawRule | None:
    if not items:
        return None
    given = pairs("draw", items, ("movenumber", "movecount", "score"))
    return DrawRule(int(number("draw", "movenumber", given.get("movenumber", "40"), 0, 10000)),
                    int(number("draw", "movecount", given.get("movecount", "8"), 1, 1000)),
                    int(number("draw", "score", given.get("score", "10"), 0, 1e6)))


def _file(option: str, items: list[str] | None) -> str | None:
    """FILE, or file=FILE with other items that fastchess and Cute Chess know. Raises CommandError."""
    if not items:
        return None
    files = [item for item in items if item.startswith("file=") or ("=" not in item and item not in ("min", "fi"))]
    if len(files) > 1:
        raise CommandError(f"-{option} {' '.join(files)}: there can be only one file")
    found = next((item.removeprefix("file=") for item in items if item.startswith("file=")), None)
    if found is None:
        found = items[0]
    if not found:
        raise CommandError(f"-{option}: the name of the file is missing")
    return found
