"""A game is one file: five lines in a user's folder, and every command that takes a game plays it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import chess
import pytest

from bench import COMMANDS
from bench.clients.process import EngineProcess
from engine.errors import RulesError
from engine.rules import FIDE_PIECES, Pawn, Piece, Rules
from support.board_games import perft
from support.commands import Done, run_in_turn
from support.places import ROOT
from support.talk import ENGINE, PATIENCE, installed_in
from variants.boards.declared import DeclaredBoard

pytestmark = pytest.mark.timeout(600)  # of the first test: there the commands run and compile, for minutes on a slow machine

FILE = '''"""Chess whose knights and bishops begin in each other's places."""
from engine.rules import Rules

RULES = Rules(name="swapped", source="this test",
              start_fen="rbnqknbr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKNBR w KQkq - 0 1")
'''
START = "rbnqknbr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKNBR w KQkq - 0 1"

# In this order: a command may need what one before has written.
WORDS = {
    "perft": "swapped 3",
    "signature": "--variant swapped --depth 2",
    "warm": "swapped",
    "run": "--variant swapped --moves 2 --movetime 0.001 --pgn {0}/run.pgn",
    "match": "-variant swapped -engine cmd={1} name=a -engine cmd={1} name=b -each depth=1 -games 2 -maxmoves 5 "
             "-pgnout {0}/match.pgn -results {0}/match.sqlite",
    "verify": "{0}/match.pgn",
    "report": "{0}/match.sqlite -o {0}/report",
    "openings": "swapped --count 2 --nodes 1000 --processes 1 -o {0}/book.epd",
    "study": "swapped --games 2 --nodes 100 --processes 1 -o {0}/study",
    "puzzles": "swapped {0}/study/games.jsonl --count 1 --nodes 1000 -o {0}/puzzles.epd",
    "suite": "swapped --file {0}/puzzles.epd --movetime 50",
    "solve": "--variant swapped --mate 1 k7/8/1K6/8/8/8/8/7R\u00a0w\u00a0-\u00a0-\u00a00\u00a01",
    "table": "swapped KvK --folder {0}/tables --check",
    "xboard": "swapped --print",
    "gui-config": "xboard",
    "pictures": "-o {0}/pictures",
    "latency": "--variant swapped --tries 2 --starts 1",
    "fuzz": "--variant swapped --lines 600 --log {0}/fuzz.log",
    "selfplay": "swapped --games 3 --nodes 100 --concurrency 1 -o {0}/selfplay",
    "walk": "{0}/selfplay --walks 1 --concurrency 1 -o {0}/walks",
    "train": "swapped {0}/selfplay {0}/walks --passes 1 -o {0}/net.npz",
    "net": "swapped --file {0}/net.npz --check 1000",
    "judge": "swapped -engine cmd={1} -reference nodes=200 --positions 2 --depths 1 --nodes 50 --concurrency 1 -o {0}/judge",
    "endings": "swapped KvK --play 0 -o {0}/endings.json",
    "tune": "{0}/selfplay --iterations 1 --concurrency 1 -o {0}/tuned.json",
    "spsa": "swapped --pairs 1 --nodes 50 --concurrency 1 -o {0}/spsa.json",
    "wdl": "{0}/selfplay",
}
# They take numbers, any engine, chess, peers, a file of definitions.
NO_GAME = {"sprt", "doctor", "levels", "speed", "check-variant"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the game and of what the commands write."""
    place = tmp_path_factory.mktemp("game")
    (place / "games").mkdir()
    (place / "games" / "swapped.py").write_text(FILE)
    return place


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "KINGMAKER_VARIANTS": str(folder / "games"), "PYTHONPATH": str(ROOT)}


def test_every_command_is_tried() -> None:
    assert set(WORDS) | NO_GAME == set(COMMANDS) and not set(WORDS) & NO_GAME


@pytest.fixture(scope="module")
def commands(folder: Path) -> dict[str, Done]:
    """All commands have run."""
    program = installed_in(folder / "bin")
    return run_in_turn({command: [word.replace("\u00a0", " ") for word in words.format(folder, program).split(" ")]
                        for command, words in WORDS.items()}, patience=580, environment=environment(folder))


@pytest.mark.parametrize("command", WORDS)
def test_commands_take_it(command: str, commands: dict[str, Done]) -> None:
    done = commands[command]
    assert done.status == 0, done.err
    assert "Traceback" not in done.err


def test_it_counts_right(folder: Path) -> None:
    said = subprocess.run([*ENGINE, "perft", "swapped", "3", "--json"], cwd=ROOT, env=environment(folder),
                          capture_output=True, text=True, check=True).stdout
    assert json.loads(said)["nodes"] == perft(chess.Board(START), 3)


@pytest.mark.parametrize(("greeting", "until", "game"), [
    (("uci", "setoption name UCI_Variant value Swapped"), "uciok", ("position startpos moves f1e3", "go depth 2")),
    (("xboard", "protover 2"), "feature done=1", ("variant swapped", "usermove f1e3"))])
def test_protocols_play_it(folder: Path, greeting: tuple[str, ...], until: str, game: tuple[str, ...],
                           monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINGMAKER_VARIANTS", str(folder / "games"))
    with EngineProcess(ENGINE, cwd=str(ROOT)) as talk:
        talk.send(*greeting)
        said = talk.until(until, PATIENCE)
        assert "swapped" in " ".join(said)
        talk.send(*game)
        assert talk.until("(bestmove|move) .*", PATIENCE)
        assert not talk.errors


@pytest.mark.parametrize(("gui", "face", "wanted"), [
    ("xboard", "", "Kingmaker swapped"), ("cutechess", "", "fischerandom"), ("pychess", "", "Kingmaker"),
    ("cutechess", 'RULES = replace(RULES, xboard=Face(cute_chess=("its-own-name",)))', "its-own-name")])
def test_guis_are_told_of_it(gui: str, face: str, wanted: str, tmp_path: Path) -> None:
    (tmp_path / "swapped.py").write_text(f"{FILE}from dataclasses import replace\nfrom engine.rules import Face\n{face}\n")
    env = {**environment(tmp_path), "KINGMAKER_VARIANTS": str(tmp_path)}
    said = subprocess.run([*ENGINE, "gui-config", gui], cwd=ROOT, env=env,
                          capture_output=True, text=True, check=True).stdout
    assert wanted in said


def test_a_file_must_be_named_after_its_game(folder: Path) -> None:
    (folder / "games" / "other.py").write_text(FILE)
    said = subprocess.run([*ENGINE, "perft", "other", "1"], cwd=ROOT, env=environment(folder), capture_output=True, text=True,
                          check=False)
    (folder / "games" / "other.py").unlink()
    assert said.returncode == 2 and "'swapped'" in said.stderr and len(said.stderr.splitlines()) == 1


@pytest.mark.parametrize(("text", "why"), [
    ("RULES = 1 +", "invalid syntax"), ("", "has no attribute 'RULES'"), ("import nothing_of_the_kind", "nothing_of_the_kind"),
    ("from engine.rules import Rules\nRULES = Rules(name='broken', source='', driven_king=True, royal_safety=False)",
     "contradictory traits")])
def test_a_file_that_is_no_game_is_named(folder: Path, text: str, why: str) -> None:
    (folder / "games" / "broken.py").write_text(text)
    said = subprocess.run([*ENGINE, "perft", "broken", "1"], cwd=ROOT, env=environment(folder), capture_output=True, text=True,
                          check=False)
    (folder / "games" / "broken.py").unlink()
    assert said.returncode == 2 and "the file of broken declares no game: " in said.stderr and why in said.stderr
    assert len(said.stderr.splitlines()) == 1


def test_a_broken_file_does_not_hide_the_others(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "games" / "broken.py").write_text("RULES = 1 +")
    monkeypatch.setenv("KINGMAKER_VARIANTS", str(folder / "games"))
    with EngineProcess(ENGINE, cwd=str(ROOT)) as talk:
        talk.send("xboard", "protover 2")
        said = " ".join(talk.until("feature done=1", PATIENCE))
    (folder / "games" / "broken.py").unlink()
    shown = said.partition('variants="')[2].partition('"')[0].split(",")
    assert {"normal", "swapped", "warmspit"} <= set(shown) and "broken" not in shown


@pytest.mark.parametrize("traits", [{"mate_series": "R"}, {"mate_forbidden": "N"}])
def test_rules_that_no_board_knows_are_refused(traits: dict[str, object]) -> None:
    rules = Rules(name="odd", source="this test", **{"castling": False, **traits})  # type: ignore[arg-type]
    with pytest.raises(RulesError, match="no Board knows these rules"):
        rules.board  # noqa: B018


@pytest.mark.parametrize("traits", [
    {"pieces": (Piece("N", "C"), *FIDE_PIECES[1:])}, {"pawn": Pawn(promotes_to="Q")}, {"bare_king_draws": True},
    {"royal_safety": False}])
def test_a_board_is_made_of_the_declaration(traits: dict[str, object]) -> None:
    rules = Rules(name="odd", source="this test", **{"castling": False, **traits})  # type: ignore[arg-type]
    assert issubclass(rules.board, DeclaredBoard)
    assert rules.board().legal_moves.count() in (20, 18)


@pytest.mark.parametrize(("traits", "base"), [
    ({}, "Board"), ({"captures_explode": True}, "AtomicBoard"),
    ({"captures_explode": True, "royal_safety": False}, "NoCheckAtomicBoard"),
    ({"royal_safety": False, "succession": "QRBN"}, "Succession"),
    ({"driven_king": True, "castling": False}, "DrivenKing"),
    ({"title_order": "QRBN", "wary_royals": True}, "RotatingTitle")])
def test_boards_are_shared_by_mechanism(traits: dict[str, object], base: str) -> None:
    board = Rules(name="shared", source="this test", start_fen=START, **traits).board  # type: ignore[arg-type]
    assert base in {parent.__name__ for parent in board.__mro__}
    assert board().board_fen() == START.split()[0] and board(None).board_fen() == "8/8/8/8/8/8/8/8"
    other = board()
    other.push(next(iter(other.legal_moves)))
    other.reset()
    assert other.fen() == board().fen()
