"""`kingmaker run`: what the program does, seen in a minute: perft of every variant, then a game between two engines."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

import variants
from bench.warm import compile_parts
from engine.errors import CommandError
from engine.places import ROOT

if TYPE_CHECKING:
    import chess
    import chess.engine
    import chess.pgn
    from rich.console import Console

PERFT_DEPTH = 5


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--variant", default="atomic", help="the game's variant; default: %(default)s")
    parser.add_argument("--movetime", type=float, default=0.05, help="seconds a move; default: %(default)s")
    parser.add_argument("--moves", type=int, default=60, help="stop the game after that many full moves; default: %(default)s")
    parser.add_argument("--pgn", type=Path, default=Path("games") / "run.pgn", help="where the game goes; default: %(default)s")


def run(args: Namespace) -> int:
    from rich.console import Console

    name = variants.resolve(args.variant)
    if not 0.001 <= args.movetime <= 3600:
        raise CommandError(f"--movetime {args.movetime:g} is not from 0.001 to 3600")
    if not 1 <= args.moves <= 10_000:
        raise CommandError(f"--moves {args.moves} is not from 1 to 10000")
    args.pgn.parent.mkdir(parents=True, exist_ok=True)
    console = Console()
    prepare(name)
    perft_table(console)
    game = play(console, name, args.movetime, args.moves)
    args.pgn.write_text(f"{game}\n", encoding="utf-8")
    console.print(f"\n{game}\n\nsaved as {args.pgn}", markup=False, highlight=False)
    return 0


def prepare(name: str) -> None:
    """Compile what is shown here and no more: the game that is played, and of the others what counts their moves."""
    from engine.compile import jit
    from search.warm import COUNTS, GAME

    if jit.cache_dir() is not None:  # else each process would compile for itself alone
        compile_parts([(name, part) for part in GAME] + [(each, part) for each in variants.names() if each != name
                                                         for part in COUNTS])


def perft_table(console: Console) -> None:
    """Nodes and nodes per second of each variant from its start position."""
    from rich.table import Table

    from engine.core.perft import perft
    from engine.text import start_position

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
    """A game between two engine processes over UCI, the board shown as it goes."""
    import chess
    import chess.engine
    import chess.pgn
    from rich.live import Live

    board = variants.find(variant).board()
    command = [sys.executable, "-m", "engine"]
    folder = str(ROOT)
    engines: list[chess.engine.SimpleEngine] = []
    try:
        for _ in range(2):
            engine = chess.engine.SimpleEngine.popen_uci(command, timeout=60, cwd=folder)
            engines.append(engine)
            # python-chess names the game after its first `isready`, and until then chess would be compiled.
            engine.protocol.loop.call_soon_threadsafe(
                engine.protocol.send_line, f"setoption name UCI_Variant value {board.uci_variant}")
        with Live(console=console, auto_refresh=False, transient=console.is_terminal) as live:
            while not board.is_game_over(claim_draw=True) and board.fullmove_number <= moves:
                answer = engines[0 if board.turn else 1].play(
                    board, chess.engine.Limit(time=movetime), info=chess.engine.INFO_SCORE)
                assert answer.move is not None
                text = board.san(answer.move)
                mover = f"{board.fullmove_number}{'.' if board.turn else '...'}"
                board.push(answer.move)
                if console.is_terminal:
                    live.update(shown(board, f"{variant}  {mover} {text}  {answer.info.get('score', '')}"), refresh=True)
        if not console.is_terminal:
            console.print(shown(board, variant))
    finally:
        for engine in engines:
            engine.quit()
    game = chess.pgn.Game.from_board(board)
    game.headers.update(Event="kingmaker run", Site="-", Date=time.strftime("%Y.%m.%d"), Round="1",
                        White="Kingmaker", Black="Kingmaker", Result=board.result(claim_draw=True),
                        TimeControl="-", Termination=termination(board))
    return game


def shown(board: chess.Board, title: str) -> str:
    """The board as text with a title."""
    return f"{title}\n{board.unicode(invert_color=True, empty_square='.')}\n"


def termination(board: chess.Board) -> str:
    """Why the game stopped, in a word or two."""
    outcome = board.outcome(claim_draw=True)
    return "move limit" if outcome is None else outcome.termination.name.lower().replace("_", " ")
