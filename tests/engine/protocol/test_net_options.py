"""`Use NNUE`, `EvalFile` and `eval`: a net of the user's, and lines that name what does not fit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import variants
from bench.nets.net import random_net
from engine.game import Game
from search.eval.net.files import write_net
from search.eval.values import net_value_of, value_of
from support.talk import Inside

POSITION = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"


@pytest.fixture(scope="module")
def net_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nets") / "some net.npz"
    rules = variants.find("chess")
    write_net(path, rules, random_net(rules, 7))
    return path


def answers(uci: Inside, *lines: str) -> list[str]:
    """Everything that is said until the engine is ready."""
    uci.send(*lines, "isready")
    return uci.until("readyok")[:-1]


def evaluation(uci: Inside) -> str:
    """What `eval` says of the position."""
    uci.send("eval")
    return "\n".join(uci.until("evaluation .*"))


def searched(uci: Inside) -> str:
    """The last line of a search of a fixed depth."""
    uci.send("go depth 4")
    return re.sub(r" (nps|time|hashfull) \d+", "", [line for line in uci.until("bestmove .*") if " pv " in line][-1])


def test_options_are_announced(uci: Inside) -> None:
    uci.send("uci")
    said = uci.until("uciok")
    assert "option name Use NNUE type check default true" in said
    assert "option name EvalFile type string default <empty>" in said


def test_a_net_of_the_users_is_used_until_it_is_switched_off(uci: Inside, net_file: Path) -> None:
    rules, game = variants.find("chess"), Game("chess", POSITION)
    net = random_net(rules, 7)
    assert answers(uci, f"position fen {POSITION}", "setoption name Use NNUE value false") == []
    plain, by_sum = evaluation(uci), searched(uci)
    assert f"evaluation    {value_of(rules, game.pos)} centipawns for White" in plain and "net " not in plain
    assert answers(uci, "setoption name Use NNUE value true", f"setoption name EvalFile value {net_file}") == []
    there = evaluation(uci)
    assert f"evaluation    {net_value_of(rules, game.pos, net)} centipawns for White" in there
    assert f"net           {net_value_of(rules, game.pos, net)} " in there
    assert f"sum           {value_of(rules, game.pos)} " in there
    assert len(re.findall(r"[pnbrqPNBRQ] +-?\d+", there.split("worth of each piece")[1].split("sum ")[0])) == 30
    assert searched(uci) != by_sum
    assert answers(uci, "setoption name Use NNUE value false") == []
    assert evaluation(uci) == plain and searched(uci) == by_sum


@pytest.mark.parametrize("damage", ["missing", "short"])
def test_a_file_that_does_not_fit_changes_nothing(uci: Inside, net_file: Path, tmp_path: Path, damage: str) -> None:
    answers(uci, f"position fen {POSITION}", f"setoption name EvalFile value {net_file}")
    before, path = evaluation(uci), tmp_path / "wrong.npz"
    if damage == "short":
        path.write_bytes(net_file.read_bytes()[:-20])
    (said,) = answers(uci, f"setoption name EvalFile value {path}")
    assert said.startswith("info string EvalFile: ") and str(path) in said
    assert evaluation(uci) == before


def test_the_file_may_be_named_before_its_game(uci: Inside, tmp_path: Path) -> None:
    rules, path = variants.find("shatar"), tmp_path / "shatar.npz"
    write_net(path, rules, random_net(rules, 1))
    assert answers(uci, f"setoption name EvalFile value {path}", "setoption name UCI_Variant value shatar")[1:] != []
    assert f"{net_value_of(rules, Game(rules).pos, random_net(rules, 1))} centipawns for White" in evaluation(uci)


def test_another_game_is_evaluated_without_the_file(uci: Inside, net_file: Path) -> None:
    """One line says so; back in its game the file is used again."""
    answers(uci, f"position fen {POSITION}", f"setoption name EvalFile value {net_file}")
    before = evaluation(uci)
    answers(uci, "setoption name UCI_Variant value shatar")
    uci.send("go depth 3")
    said = [line for line in uci.until("bestmove .*") if str(net_file) in line]
    assert len(said) == 1 and "is for '8x8 PNBRQK castling'" in said[0]
    answers(uci, "setoption name UCI_Variant value chess", f"position fen {POSITION}")
    assert evaluation(uci) == before
    assert answers(uci, "setoption name EvalFile value <empty>") == []
