"""`kingmaker run`: what the program does, in a minute: perft of the ten main games, then a game of two engine processes."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from pathlib import Path

import chess
import chess.pgn
from rich.console import Console
from rich.live import Live
from rich.table import Table

import variants
from bench.clients.process import blamed
from bench.clients.uci import UciClient, read_thinking
from bench.outputs import check_writable
from bench.warm import compile_parts
from engine.compile.folder import cache_dir
from engine.core.perft import perft
from engine.errors import CommandError
from engine.game import Game
from engine.places import ROOT
from engine.text import start_position
from search.warm import COUNTS, GAME
from variants.boards import register

PERFT_DEPTH = 5
ENGINE = [sys.executable, "-m", "engine"]
GREETING = 60.0  # seconds until an engine says `uciok`


def add_arguments(parser: ArgumentParser) -> None:
    """Add game, time and length, and the file of the game."""
    parser.add_argument("--variant", default="atomic", help="the game's variant; default: %(default)s")
    parser.add_argument("--movetime", type=float, default=0.05, metavar="SECONDS",
                        help="seconds a move, not milliseconds; default: %(default)s")
    parser.add_argument("--moves", type=int, default=60, help="stop after that many full moves; default: %(default)s")
    parser.add_argument("--pgn", type=Path, default=Path("games") / "run.pgn", help="file for the game; default: %(default)s")


def run(args: Namespace) -> int:
    """Exit status: 0."""
    name = variants.resolve(args.variant)
    if not 0.001 <= args.movetime <= 3600:
        raise CommandError(f"--movetime {args.movetime:g} is not from 0.001 to 3600")
    if not 1 <= args.moves <= 10_000:
        raise CommandError(f"--moves {args.moves} is not from 1 to 10000")
    check_writable(args.pgn)
    console = Console()
    prepare(name)
    perft_table(console)
    game = play(console, name, args.movetime, args.moves)
    args.pgn.write_text(f"{game}\n", encoding="utf-8")
    console.print(f"\n{game}\n\nsaved as {args.pgn}", markup=False, highlight=False)
    return 0


def prepare(name: str) -> None:
    """Compile no more than is shown: the game that is played, and move counting of the others."""
    if cache_dir() is not None:  # without a folder each process would have to compile for itself
        compile_parts([(name, part) for part in GAME] + [(each, part) for each in variants.names() if each != name
                                                         for part in COUNTS])


def perft_table(console: Console) -> None:
    """Nodes and nodes per second of each variant from its start position."""
    table = Table(title=f"perft to depth {PERFT_DEPTH} and its speed, one thread, last ply counted in bulk")
    for column in ("variant", *map(str, range(1, PERFT_DEPTH + 1)), "million nodes/s"):
        table.add_column(column, justify="left" if column == "variant" else "right")
    for name in variants.names():
        rules = variants.find(name)
        pos = start_position(rules)
        counts = [perft(rules, pos, depth) for depth in range(1, PERFT_DEPTH)]
        start = time.perf_counter()
        counts.append(perft(rules, pos, PERFT_DEPTH))
        speed = counts[-1] / (time.perf_counter() - start)
        table.add_row(name, *(f"{count:,}" for count in counts), f"{speed / 1e6:,.0f}")
    console.print(table)


def play(console: Console, variant: str, movetime: float, moves: int) -> chess.pgn.Game:
    """A game between two engine processes over UCI; a terminal shows the board as it goes."""
    game = Game(variant)
    board = game.board()
    with ExitStack() as stack:
        engines = [stack.enter_context(UciClient(ENGINE, str(ROOT))) for _ in range(2)]
        live = stack.enter_context(Live(console=console, auto_refresh=False, transient=console.is_terminal))
        for engine in engines:
            with blamed(engine):
                engine.greet(GREETING)
                engine.set_variant(variant)
        while not game.is_game_over() and board.fullmove_number <= moves:
            text, score = think(engines[game.turn], game.move_stack, movetime)
            game.push(text)
            move = board.parse_uci(text)
            title = f"{variant}  {board.fullmove_number}{'.' if board.turn else '...'} {board.san(move)}  {score}"
            board.push(move)
            if console.is_terminal:
                live.update(shown(board, title), refresh=True)
        for engine in engines:
            engine.quit()
    if not console.is_terminal:
        console.print(shown(board, variant))
    return as_pgn(game, board)


def think(engine: UciClient, played: list[str], movetime: float) -> tuple[str, str]:
    """(move, score as text) after a time in seconds. Raises CommandError naming an engine that fails."""
    with blamed(engine):
        engine.set_position(None, played)
        lines = [line.text for line in engine.go(f"movetime {max(1, round(movetime * 1000))}")]
    thoughts = [read_thinking(line) for line in lines if " score " in line]
    if not thoughts:
        return lines[-1].split()[1], ""
    last = thoughts[-1]
    return lines[-1].split()[1], f"#{last.mate}" if last.mate is not None else f"{(last.score or 0) / 100:+.2f}"


def as_pgn(game: Game, board: chess.Board) -> chess.pgn.Game:
    """A game and the same on its board, as PGN."""
    register(type(board))
    written = chess.pgn.Game.from_board(board)
    written.headers.update(Event="kingmaker run", Site="-", Date=time.strftime("%Y.%m.%d"), Round="1",
                           White="Kingmaker", Black="Kingmaker", Result=game.result(),
                           TimeControl="-", Termination=termination(game))
    return written


def shown(board: chess.Board, title: str) -> str:
    """The board as text with a title."""
    return f"{title}\n{board.unicode(invert_color=True, empty_square='.')}\n"


def termination(game: Game) -> str:
    """Why the game stopped, in a word or two."""
    outcome = game.outcome()
    return "move limit" if outcome is None else outcome.reason.value
