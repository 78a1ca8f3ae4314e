"""Hostile lines over both protocols: no traceback, no hang, no lost position. `kingmaker fuzz` sends them by the million."""

from __future__ import annotations

import random
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.__main__ import main
from bench.check import fuzz, hostile
from bench.clients.process import EngineProcess
from engine.protocol.uci import Uci
from engine.protocol.xboard.commands import XBoard
from support.places import ROOT
from support.talk import Inside

TEXT = st.text(st.characters(exclude_characters="\n"), max_size=60)
PLACES = [place for name in ("chess", "atomic") for place in fuzz.walks(name, 1)]
CHANCE = st.randoms(use_true_random=False)


def lines_of(chance: random.Random, texts: list[str], valid: tuple[str, ...], count: int) -> list[str]:
    """Lines of the generator and of hypothesis, mixed."""
    usable = [text for text in texts if text.replace("\0", " ").split()[:1] != ["quit"]]
    lines = [hostile.line(chance, valid) for _ in range(count)] + usable
    chance.shuffle(lines)
    return lines


@settings(max_examples=20, deadline=None)
@given(CHANCE, st.lists(TEXT, max_size=8), st.sampled_from(PLACES))
def test_uci_keeps_its_position(chance: random.Random, texts: list[str], place: fuzz.Place) -> None:
    talk = Inside(Uci)
    talk.send(*lines_of(chance, texts, hostile.UCI, 15), "stop", f"setoption name UCI_Variant value {place.variant}",
              "setoption name UCI_Chess960 value false", "setoption name Threads value 1",
              f"position startpos moves {' '.join(place.moves)}")
    harmless = map(hostile.keeps_position_uci, lines_of(chance, texts, hostile.UCI, 15))
    talk.send(*(line for line in harmless if line is not None), "stop", "d", "setoption name Nobody value 1")
    said = talk.until("info string unknown option 'Nobody'.*", 120)
    assert [line for line in said if line.startswith("Fen: ")][-1] == f"Fen: {place.fen}"
    assert not [line for line in talk.heard if fuzz.TROUBLE.search(line)]
    talk.close()


@settings(max_examples=20, deadline=None)
@given(CHANCE, st.lists(TEXT, max_size=8), st.sampled_from(PLACES))
def test_xboard_keeps_its_position(chance: random.Random, texts: list[str], place: fuzz.Place) -> None:
    talk = Inside(XBoard)
    talk.send("xboard", "protover 2", *lines_of(chance, texts, hostile.XBOARD, 15), "exit", ".", "#", "option Variant=chess",
              "new", "force", f"variant {'normal' if place.variant == 'chess' else place.variant}", "cores 1", "force",
              f"setboard {place.fen}")
    known = frozenset(XBoard.commands)
    harmless = (hostile.keeps_position_xboard(line, known) for line in lines_of(chance, texts, hostile.XBOARD, 15))
    talk.send(*(line for line in harmless if line is not None), "ping 1234567890")
    talk.until("pong 1234567890", 120)
    assert talk.engine.session.game.fen() == place.fen
    assert not [line for line in talk.heard if fuzz.TROUBLE.search(line)]
    talk.close()


def test_the_generator_makes_what_it_says() -> None:
    """Whole lines, parts of them, other orders, foreign bytes; nothing that takes the machine from others."""
    chance = random.Random(1)
    made = [hostile.line(chance, hostile.UCI) for _ in range(4000)]
    assert len(set(made)) > 2000 and set(hostile.UCI) & set(made) and any(not line.isascii() for line in made)
    assert any(len(line) > 1000 for line in made) and "" in made and not any("\n" in line for line in made)
    assert not any(line.split()[:1] == ["quit"] for line in made)
    for line in made:
        if re.search("(?i)hash|threads", line):
            assert all(int(number) <= hostile.MOST_MEGABYTES for number in re.findall(r"\d+", line))


def test_a_short_campaign() -> None:
    """The long run's own code, a thousand lines of each protocol against real processes."""
    done = subprocess.run([sys.executable, "-m", "bench", "fuzz", "--lines", "2000", "--seed", "7", "--variant", "chess"],
                          cwd=ROOT, timeout=280,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"uci: \d+ lines in \d+ rounds, .* position checked [1-9]", done.stdout)
    assert "uci: no failure" in done.stdout and "xboard: no failure" in done.stdout


def test_a_game_of_moves_in_several_plies_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", "--variant", "madness"]) == 2
    said = capsys.readouterr().err
    assert "--variant madness: over XBoard some of its moves take several plies" in said and said.count("\n") == 1


FORGETFUL = """
import sys
for line in sys.stdin:
    if line.startswith("d"):
        print("Fen: 8/8/8/8/8/8/8/8 w - - 0 1", flush=True)
    if "mark" in line:
        print("info string unknown option '" + line.split()[2] + "'", flush=True)
    if line.startswith("isready"):
        print("readyok", flush=True)
"""


def test_a_lost_position_is_noticed() -> None:
    with EngineProcess([sys.executable, "-c", FORGETFUL]) as talk, pytest.raises(fuzz.FuzzError, match="d says"):
        fuzz.attack_uci(talk, random.Random(1), PLACES[0], [])
