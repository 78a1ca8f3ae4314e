"""Cute Chess and PyChess find the engine that `kingmaker gui-config --write` added in a fresh home, and play a game with it.

PyChess is a Debian package. Cute Chess is not: KINGMAKER_CUTECHESS names a `cutechess` built from its public source, or it is
on the PATH; `cutechess-cli` is looked for beside it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import chess.pgn
import pytest

import variants
from bench.gui import config as gui_config
from engine.compile.folder import cache_dir
from support.places import ROOT
from support.talk import installed_in
from support.xboard_desk import PATIENCE, Screen, program

variants.register_boards()

Found = TypeVar("Found")


def cutechess(name: str) -> str:
    """`cutechess` or `cutechess-cli`; skips the test if there is none."""
    named = os.environ.get("KINGMAKER_CUTECHESS")
    found = shutil.which(name, path=str(Path(named).parent)) if named else shutil.which(name)
    if found is None:
        pytest.skip(f"NOT TESTED: no {name}" + (f" beside KINGMAKER_CUTECHESS={named}" if named else
                    "; it is no Debian package: build it (cmake, qt6-base-dev, libqt6svg6-dev) and set KINGMAKER_CUTECHESS"))
    return found


def fresh_home(home: Path) -> dict[str, str]:
    """The environment of a user without settings and without an engine on the PATH. The cache of compiled code stays."""
    home.mkdir()
    (home / "run").mkdir(mode=0o700)
    kept = {key: value for key, value in os.environ.items() if not key.startswith("XDG_") and key != "DISPLAY"}
    folder = cache_dir()
    cache = {} if folder is None else {"KINGMAKER_CACHE": str(folder.parent)}
    return {**kept, **cache, "HOME": str(home), "XDG_RUNTIME_DIR": str(home / "run"), "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8"}


def written(gui: str, env: dict[str, str]) -> Path:
    """`kingmaker gui-config GUI --write`, and where it says that it has written."""
    done = subprocess.run([sys.executable, "-m", "bench", "gui-config", gui, "--write"], cwd=ROOT, env=env, text=True,
                          capture_output=True, timeout=2 * PATIENCE, check=True)
    return Path(done.stdout.partition(":")[0])


class Desk:
    """A person at a program, with keyboard and mouse."""

    def __init__(self, command: list[str], env: dict[str, str], folder: Path):
        self.screen = Screen(folder / "screen")
        self.said = folder / "said"
        with self.said.open("w") as said:
            self.process = subprocess.Popen(command, cwd=folder, env={**env, "DISPLAY": self.screen.display}, stdout=said,
                                            stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        self.screen.close()

    def wait(self, what: Callable[[], Found | None], patience: float = PATIENCE) -> Found:
        """Until there is something."""
        end = time.monotonic() + patience
        while not (found := what()):
            assert time.monotonic() < end and self.process.poll() is None, self.said.read_text(errors="replace")[-2000:]
            time.sleep(0.1)
        return found

    def window(self, title: str) -> str:
        """The window with a title, once it is there, in front."""
        window = self.wait(lambda: self.screen.xdotool("search", "--onlyvisible", "--name", title)).split()[0]
        self.screen.xdotool("windowfocus", "--sync", window)
        time.sleep(0.5)  # it is drawn, and takes keys
        return window

    def keys(self, *keys: str) -> None:
        """One after the other."""
        self.screen.xdotool("key", "--delay", "100", *keys)


def finished(pgn: Path) -> chess.pgn.Game | None:
    """The game in a file, if it has been saved with its result."""
    if not pgn.exists():
        return None
    with pgn.open(encoding="latin-1") as file:  # as the standard says; PyChess adds names of openings
        game = chess.pgn.read_game(file)
    return game if game is not None and game.headers["Result"] != "*" else None


def check(game: chess.pgn.Game, variant: str) -> None:
    """Both players are ours, as they are called in the list of engines, and the game was played to its end by the rules."""
    assert not game.errors
    assert {game.headers[side].split()[0] for side in ("White", "Black")} == {gui_config.NAME}  # a version may follow
    board = game.end().board()
    assert board.uci_variant == variant
    assert board.result(claim_draw=True) == game.headers["Result"]  # so it has ended; in atomic five plies may do


# What users set in the programs themselves: the game, quick moves, where games are saved.
CUTE_CHESS = r"""[games]
default_pgn_output_file={pgn}
variant={variant}
time_control\moves_per_tc=0
time_control\time_per_tc=600000
time_control\node_limit=2000
second_time_control\time_control\moves_per_tc=0
second_time_control\time_control\time_per_tc=600000
second_time_control\time_control\node_limit=2000
"""
PYCHESS = """[General]
show_tip_at_startup = False
dont_show_externals_at_startup = True
useSounds = False
analyzer_check = False
saveOwnGames = False
autoSavePath = {home}
whitePlayerCombobox = 1
blackPlayerCombobox = 1
skillSlider1 = 3
skillSlider2 = 2
blitzRadio = True
ngblitz min = 1
ngvariant1 = 18
play{radio}Radio = True
"""


@pytest.mark.parametrize("variant", ["chess", "atomic"])
def test_a_game_in_cutechess(variant: str, tmp_path: Path) -> None:
    """White and Black are set to CPU in the dialog for a new game: of engines there is ours alone."""
    cute = cutechess("cutechess")
    home, pgn = tmp_path / "home", tmp_path / "game.pgn"
    env = fresh_home(home)
    file = written("cutechess", env)
    name = "standard" if variant == "chess" else variant
    file.with_name("cutechess.ini").write_text(CUTE_CHESS.format(pgn=pgn, variant=name))
    with Desk([cute], env, tmp_path) as desk:
        desk.window("Human vs Human")
        desk.keys("ctrl+n")
        desk.window("New Game")
        desk.keys("Down", "Tab", "Tab", "Tab", "Down", "Return")
        check(desk.wait(lambda: finished(pgn)), variant)


@pytest.mark.parametrize("folder", ["bin", "with a blank"])
def test_cutechess_cli_finds_us(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli, pgn = cutechess("cutechess-cli"), tmp_path / "game.pgn"
    ours = installed_in(tmp_path / folder)
    env = fresh_home(tmp_path / "home")
    for key, value in env.items():
        monkeypatch.setenv(key, value)
    monkeypatch.setattr(gui_config, "engine_command", lambda: [str(ours)])
    gui_config.GUIS["cutechess"].write("")
    subprocess.run([cli, "-engine", "conf=Kingmaker", "-engine", "conf=Kingmaker", "-each", "tc=600", "nodes=2000", "-variant",
                    "atomic", "-games", "1", "-pgnout", str(pgn)], cwd=tmp_path, env=env, timeout=PATIENCE, check=True)
    game = finished(pgn)
    assert game is not None
    check(game, "atomic")


def test_pychess_lists_us(tmp_path: Path) -> None:
    """PyChess's own search for engines, without a window: it starts us, asks for our options and keeps them."""
    program("pychess")
    env = fresh_home(tmp_path / "home")
    file = written("pychess", env)
    done = subprocess.run(["/usr/bin/python3", "-m", "pychess.Players.engineNest"], cwd=tmp_path, env=env, text=True,
                          capture_output=True, timeout=PATIENCE, check=True)
    assert f"'{gui_config.NAME}'" in done.stdout.splitlines()[-1]
    (ours,) = [engine for engine in json.loads(file.read_text()) if engine["name"] == gui_config.NAME]
    (option,) = [option for option in ours["options"] if option["name"] == "UCI_Variant"]
    assert "atomic" in option["choices"] and not ours["recheck"]


@pytest.mark.long
@pytest.mark.parametrize("variant", ["chess", "atomic"])
def test_a_game_in_pychess(variant: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    env = fresh_home(home)
    file = written("pychess", env)
    radio = "Normal" if variant == "chess" else "Variant1"
    file.with_name("config").write_text(PYCHESS.format(home=home, radio=radio))
    logs = home / ".local" / "share" / "pychess"
    with Desk([program("pychess"), "--no-version-check", "--log-debug"], env, tmp_path) as desk:
        desk.window("Welcome - PyChess")
        desk.wait(lambda: '"options"' in file.read_text())
        desk.keys("ctrl+n")
        desk.window("New Game")
        desk.keys("Return")
        desk.wait(lambda: any("GameModel.end:" in log.read_text(errors="replace") for log in logs.glob("*.log")), 280)
        desk.window("PyChess")
        desk.keys("ctrl+w")  # saves it
        check(desk.wait(lambda: finished(home / "pychess.pgn")), variant)
