"""Engines that fail in `kingmaker match`: the tournament goes on, and its file says what happened."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

from bench.match.store import Store
from support.places import BAD, ROOT

GOOD = ("-engine", f"cmd={sys.executable}", f"args={BAD} good", "name=good")


def match(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`kingmaker match` with its results in a folder."""
    return subprocess.run([sys.executable, "-m", "bench", "match", *words, "-results", str(folder / "r.sqlite")], cwd=ROOT,
                          capture_output=True, text=True, timeout=200, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)})


def test_illegal_lines_are_kept_and_counted(tmp_path: Path) -> None:
    """Also if the match goes on in a file that was made before there was a table for them."""
    results = tmp_path / "r.sqlite"
    command = [sys.executable, "-m", "bench", "match", "-games", "2", "-maxmoves", "4", "-results", str(results),
               "-engine", f"cmd={sys.executable}", f"args={BAD} dreams", "name=dreamer", "tc=60",
               "-engine", f"cmd={sys.executable}", f"args={BAD} good", "name=good", "tc=60"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200, check=False)
    assert "illegal lines: dreamer 6\n" in done.stdout
    assert "Game 2: dreamer reports an illegal line at ply 4: 'e1e5' after " in done.stdout
    with sqlite3.connect(results) as database:
        assert database.execute("SELECT game, ply FROM illegal_lines ORDER BY game, ply").fetchall() == [
            (1, 3), (1, 5), (1, 7), (2, 4), (2, 6), (2, 8)]
        database.execute("DROP TABLE illegal_lines")
        database.execute("DELETE FROM moves WHERE game = 2")
        database.execute("DELETE FROM games WHERE number = 2")
    database.close()
    store = Store.open(results)
    assert [record.illegal_lines for record in store.games()] == [{}]
    store.close()
    again = subprocess.run([*command[:3], "match", "-resume", "-results", str(results)], cwd=ROOT, capture_output=True,
                           text=True, timeout=200, check=False)
    assert "illegal lines: dreamer 3\n" in again.stdout, again.stderr


def test_the_tournament_goes_on(tmp_path: Path) -> None:
    """All kinds of failures in one gauntlet, two games at a time: every game is played and reported."""
    modes = [("hang-again", "uci"), ("exit-again", "uci"), ("exit", "uci"), ("illegal", "uci"), ("late", "uci"),
             ("wins", "xboard"), ("hang", "uci")]
    results = tmp_path / "r.sqlite"
    command = ["-tournament", "gauntlet", "-games", "2", "-concurrency", "2",
               "-engine", f"cmd={sys.executable}", f"args={BAD} good", "name=good", "tc=60", "startup=30"]
    for mode, protocol in modes:
        words = f"{BAD} {mode}" + (f" {tmp_path / mode}" if mode.endswith("-again") else "")
        command += ["-engine", f"cmd={sys.executable}", f"args={words}", f"name={mode}", f"proto={protocol}"]
    done = match(tmp_path, *command, "-each", "tc=1.2+0.2", "startup=4", "-pgnout", str(tmp_path / "r.pgn"))
    assert done.returncode == 0 and not done.stderr, done.stderr
    reasons = {"hang-again": "no start", "exit-again": "no start", "exit": "crash",
               "illegal": "illegal move", "late": "time", "wins": "false claim", "hang": "stall"}
    database = sqlite3.connect(results)
    rows = database.execute(
        "SELECT w.name, b.name, result, reason, detail, fault, white_log, black_log FROM games"
        " JOIN players w ON w.id = white JOIN players b ON b.id = black ORDER BY number").fetchall()
    assert len(rows) == 2 * len(reasons)
    for white, black, result, reason, detail, fault, *logs in rows:
        bad = white if black == "good" else black
        assert (reason, result) == (reasons[bad], "0-1" if white == bad else "1-0"), detail
        assert fault == int(black == bad) and "\n" not in detail
        log = (results.parent / logs[fault]).read_text()
        assert " > uci" in log or " > xboard" in log or reason in ("crash", "illegal move", "time", "false claim", "stall")
    assert (tmp_path / "r.pgn").read_text().count("[Event ") == len(rows)


def test_who_cannot_play_is_refused_before_the_first_game(tmp_path: Path) -> None:
    """By name, all of them; and neither files nor folders are in the way of the corrected command."""
    bad = ("-engine", f"cmd={sys.executable}", f"args={BAD} good", "name=xb", "proto=xboard")
    pgn = tmp_path / "pgn" / "r.pgn"
    done = match(tmp_path / "new", *GOOD, *bad, "-each", "tc=9", "-variant", "atomic", "-pgnout", str(pgn))
    assert (done.returncode, done.stdout) == (2, "") and not list(tmp_path.iterdir())
    assert done.stderr == ("kingmaker match: good: does not play atomic: it has no option UCI_Variant; "
                           "xb: does not play atomic: its variants are normal\n")


def test_who_is_gone_when_a_match_goes_on_is_refused(tmp_path: Path) -> None:
    engine = tmp_path / "engine"
    engine.write_text(f"#!/bin/sh\nexec {sys.executable} {BAD} good\n")
    engine.chmod(0o755)
    words = (*GOOD, "-engine", f"cmd={engine}", "name=other", "-each", "tc=60", "-maxmoves", "2")
    assert match(tmp_path, *words, "-games", "1").returncode == 0
    engine.unlink()
    before = (tmp_path / "r.sqlite").read_bytes()
    done = match(tmp_path, *words, "-games", "4", "-resume")
    assert done.returncode == 2
    assert done.stderr == f"kingmaker match: other: cannot run '{engine}': No such file or directory\n"
    assert (tmp_path / "r.sqlite").read_bytes() == before
