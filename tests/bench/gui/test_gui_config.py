"""`kingmaker xboard` and `kingmaker gui-config`: what they print and write, and that XBoard reads it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import variants
from bench.__main__ import main
from bench.gui import config as gui_config
from bench.gui.config import engine_command
from bench.gui.xboard import from_position
from engine.protocol.xboard.commands import XBoard
from engine.protocol.xboard.faces import faces
from support.talk import Inside, installed_in
from support.xboard_desk import PATIENCE, QUIET, Screen, program, read_log


@pytest.mark.parametrize("variant", variants.names())
def test_the_command_for_xboard(variant: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The switches that GUI.md found each game to need."""
    assert main(["xboard", variant, "--print", "--opponent", "other engine", "--games", "3", "--switches", "-size 49"]) == 0
    words = shlex.split(capsys.readouterr().out)
    assert faces()[words[words.index("-variant") + 1]].variant == variant
    assert ("-xlegal" in words) is (variant not in ("chess", "atomic"))
    for switch, value in (("-testClaims", "false"), ("-repeatsToDraw", "0"), ("-ruleMoves", "0"), ("-mg", "3"),
                          ("-showTargetSquares", "true"), ("-saveSettingsOnExit", "false"), ("-scp", "other engine")):
        assert words[words.index(switch) + 1] == value
    assert words[-2:] == ["-size", "49"]


def test_a_position_for_xboard(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The printed command can be used, and nothing is left in the current folder."""
    here, temporary = tmp_path / "here", tmp_path / "temporary"
    here.mkdir()
    temporary.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    assert main(["xboard", "ataturk", "--print"]) == 0 and not list(temporary.iterdir())
    capsys.readouterr()
    assert main(["xboard", "ataturk", "--print", "--fen", "6q1/8/6KB/8/8/8/8/7k w - - 0 1 g6/h1"]) == 0
    words = shlex.split(capsys.readouterr().out)
    assert words[words.index("-variant") + 1] == "fairy" and words[words.index("-firstOptions") + 1] == "Variant=ataturk"
    file = Path(words[words.index("-lpf") + 1])
    assert file.read_text() == "6q1/8/6KB/8/8/8/8/7k w - - 0 1\n"
    assert temporary in file.parents and not list(here.iterdir())


def test_the_position_for_xboard_is_removed_after_running(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("bench.clients.programs.find", lambda name: shutil.which("echo"))
    assert main(["xboard", "chess", "--fen", "7k/8/8/8/8/8/8/K7 w - - 0 1"]) == 0 and not list(tmp_path.iterdir())


@pytest.mark.parametrize(("variant", "parent", "pieces"), [("nocheckatomic", "atomic", False), ("ascending", "lion", True)])
def test_a_game_from_a_position_is_its_parent_to_xboard(variant: str, parent: str, pieces: bool, tmp_path: Path) -> None:
    words = from_position(variant, tmp_path / "position.fen")
    assert words[1] == parent and ("-pieceToCharTable" in words) is pieces
    talk = Inside(XBoard)
    talk.send("xboard", "protover 2", f"option Variant={variant}", f"variant {words[1]}", "ping 1")
    talk.until("pong 1")
    assert talk.engine.session.rules.name == variant
    talk.close()


@pytest.mark.parametrize(("words", "named"), [
    (["xboard", "atmic"], "unknown variant 'atmic'"),
    (["xboard", "chess", "--games", "0"], "--games 0 is not from 1"),
    (["xboard", "ataturk", "--fen", "8/8 w"], "board has 2 ranks"),
    (["xboard", "ataturk", "--fen", "6q1/8/6KB/8/8/8/8/7k w - - 0 1 h6/h1"], "'h6/h1' would be lost"),
    (["gui-config", "xboard", "--write", "/proc/nowhere"], "cannot write into /proc/nowhere"),
    (["gui-config", "pychess", "--write", "/proc/cpuinfo"], "cannot read '/proc/cpuinfo': not JSON"),
    (["gui-config", "pychess", "--write", "/proc"], "cannot read '/proc': Is a directory"),
])
def test_bad_arguments(words: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words]) == 2
    said = capsys.readouterr()
    assert named in said.err and said.err.count("\n") == 1 and not said.out


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The games that were to be compiled; tests/bench/gui/test_gui_games.py lets it happen."""
    games: list[str] = []
    monkeypatch.setattr(gui_config, "warm_all", games.extend)
    return games


@pytest.mark.parametrize(("gui", "file"), [("cutechess", "engines.json"), ("pychess", "engines.json")])
def test_lists_of_engines(
    gui: str, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], compiled: list[str]
) -> None:
    assert main(["gui-config", gui]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert entry["name"] == "Kingmaker" and entry["protocol"] == "uci"
    path = tmp_path / "there" / file
    other = {"name": "Another", "command": "another", "protocol": "xboard"}
    path.parent.mkdir()
    path.write_text(json.dumps([other, {"name": "Kingmaker", "command": "old"}]))
    assert main(["gui-config", gui, "--write", str(path)]) == 0
    assert json.loads(path.read_text()) == [other, entry] and "replaced" in capsys.readouterr().out
    assert compiled == ["chess", "atomic"]
    # What the entry says starts the engine; Cute Chess has no arguments and reads nothing into a command.
    done = subprocess.run([entry["command"], *entry.get("args", [])], cwd=entry.get("workingDirectory") or None,
                          input="uci\nquit\n", capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert "uciok" in done.stdout
    path.write_text("{}")
    assert main(["gui-config", gui, "--write", str(path)]) == 2
    assert "is not a list of engines" in capsys.readouterr().err and path.read_text() == "{}"


# Where Cute Chess looks, after the documentation of QSettings: INI format, organisation "cutechess", domain "cutechess.com".
# PyChess joins $XDG_CONFIG_HOME, or ~/.config, and "pychess", whatever the system.
@pytest.mark.parametrize(("platform", "set_to", "cutechess", "pychess"), [
    ("linux", {}, "home/.config/cutechess", "home/.config/pychess"),
    ("freebsd14", {"XDG_CONFIG_HOME": "/xdg"}, "/xdg/cutechess", "/xdg/pychess"),
    ("linux", {"XDG_CONFIG_HOME": "not/absolute"}, "home/.config/cutechess", "home/.config/pychess"),
    ("darwin", {}, "home/.config/cutechess.com", "home/.config/pychess"),
    ("darwin", {"XDG_CONFIG_HOME": "/xdg"}, "/xdg/cutechess.com", "/xdg/pychess"),
    ("win32", {"APPDATA": "/roaming"}, "/roaming/cutechess", "home/.config/pychess"),
])
def test_where_the_lists_are(
    platform: str, set_to: dict[str, str], cutechess: str, pychess: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for name, value in set_to.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert gui_config.cutechess_file() == tmp_path / cutechess / "engines.json"
    assert gui_config.pychess_file() == tmp_path / pychess / "engines.json"


@pytest.mark.parametrize("gui", ["cutechess", "pychess"])
def test_what_the_user_has_set_stays(
    gui: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also a list that lies elsewhere and is linked to; but nothing of how an older installation was started."""
    real, linked = tmp_path / "real.json", tmp_path / "linked.json"
    mine = {"options": [{"name": "Hash", "value": 256}], "level": 3, "ponder": True}
    stale = {"command": "/old/python", "args": ["-m", "engine"], "workingDirectory": "/old"}
    real.write_text(json.dumps([{"name": "Kingmaker", **stale, **mine}]))
    linked.symlink_to(real)
    monkeypatch.setattr(gui_config, "engine_command", lambda: ["/new place/kingmaker"])
    assert main(["gui-config", gui, "--write", str(linked)]) == 0
    (entry,) = json.loads(real.read_text())
    assert linked.is_symlink() and mine.items() <= entry.items() and "replaced" in capsys.readouterr().out
    assert entry["command"] == "/new place/kingmaker" and "args" not in entry and not entry.get("workingDirectory")


def test_cutechess_takes_no_arguments(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gui_config, "engine_command", lambda: [sys.executable, "-m", "engine"])
    path = tmp_path / "engines.json"
    for words in (["gui-config", "cutechess"], ["gui-config", "cutechess", "--write", str(path)]):
        assert main(words) == 2
        said = capsys.readouterr()
        assert "`pip install .`" in said.err and said.err.count("\n") == 1 and not said.out and not path.exists()


def test_lines_for_xboard(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gui-config", "xboard"]) == 0
    said = capsys.readouterr().out
    for variant in variants.names():
        assert f'"Kingmaker {variant}" -fcp ' in said
    assert shlex.join(engine_command()) in said


def in_xboard(words: list[str], variant: str, folder: Path) -> None:
    """A game in XBoard, started by these words: we are both engines."""
    screen, log = Screen(folder / "screen"), folder / "log"
    try:
        subprocess.run([program("xboard"), *words, "-mg", "1", "-tc", "0:01", "-inc", "0.01", "-xexit", "-matchPause", "10",
                        *QUIET, "-nameOfDebugFile", str(log)], timeout=PATIENCE, check=True, stdin=subprocess.DEVNULL,
                       capture_output=True, env={**os.environ, "DISPLAY": screen.display})
    finally:
        screen.close()
    (played,) = read_log(log.read_text(errors="replace").splitlines(), variant)
    assert played["first"].game.moves == played["second"].game.moves and played["first"].result


@pytest.fixture(params=["bin", "with a blank"])
def installed(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program elsewhere."""
    ours = installed_in(tmp_path / request.param)
    monkeypatch.setattr(gui_config, "engine_command", lambda: [str(ours)])


@pytest.mark.long
@pytest.mark.parametrize("variant", ["shatar", "madness"])
def test_xboard_reads_its_file(variant: str, installed: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gui-config", "xboard", "--write", str(tmp_path)]) == 0
    assert f"xboard @{tmp_path}/{variant}.xboard" in capsys.readouterr().out
    in_xboard([f"@{tmp_path}/{variant}.xboard"], variant, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("variant", ["atomic", "shatar"])
def test_xboard_reads_its_lines(variant: str, installed: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are its list of engines, from which a game is chosen by the name that its window shows."""
    assert main(["gui-config", "xboard"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith('"')]
    assert len(lines) == len(variants.names()) and max(map(len, lines)) < 500  # more would be cut off
    settings = tmp_path / "settings"
    settings.write_text("-firstChessProgramNames {" + "\n".join(lines) + "\n}\n")
    nickname = f"{gui_config.NAME} {variant} ({variant})"
    in_xboard([f"@{settings}", "-fe", nickname, "-se", nickname], variant, tmp_path)
