"""The commands of `kingmaker`: what they print, and how they answer bad arguments."""

from __future__ import annotations

import json

import pytest

import variants
from bench.__main__ import main
from engine.core.perft import count_moves, divide, perft
from engine.text import parse_fen


def test_perft_prints_the_count(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "nocheckatomic", "4"]) == 0
    assert capsys.readouterr().out.startswith("nocheckatomic depth 4: 197,779 nodes, ")


def test_perft_divides_and_speaks_json(capsys: pytest.CaptureFixture[str]) -> None:
    fen = "8/8/8/8/8/8/3k4/r3K2R w K -"
    assert main(["perft", "atomic", "3", "--divide", "--json", "--threads", "2", "--fen", fen]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["fen"] == f"{fen} 0 1" and said["variant"] == "atomic" and said["depth"] == 3
    assert sum(said["moves"].values()) == said["nodes"] and "e1g1" not in said["moves"] and "e1e2" in said["moves"]


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(("name", "depth", "nodes"), [("chess", 5, 4865609), ("ataturk", 4, 586481), ("shatar", 2, 1)])
def test_threads_count_the_same(name: str, depth: int, nodes: int, threads: int) -> None:
    rules = variants.find(name)
    pos = parse_fen(rules, rules.start_fen)
    counts, parts = {}, []
    counts = count_moves(rules, pos, depth, threads, lambda done, total: parts.append((done, total)))
    assert counts == dict(divide(rules, pos, depth)) and sum(counts.values()) == nodes == perft(rules, pos, depth)
    assert [done for done, _ in parts] == list(range(1, parts[-1][1] + 1))


def test_depth_zero_is_the_position_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "chess", "0"]) == 0
    assert capsys.readouterr().out.startswith("chess depth 0: 1 nodes")


@pytest.mark.parametrize(("words", "said"), [
    (["perft", "chses", "3"], "unknown variant 'chses'"),
    (["perft", "chess", "99"], "depth 99 is not from 0 to 60"),
    (["perft", "chess", "-1"], "depth -1 is not from 0 to 60"),
    (["perft", "chess", "3", "--threads", "0"], "--threads 0 is not from 1 to 256"),
    (["perft", "chess", "3", "--fen", "8/8 w"], "board has 2 ranks"),
    (["speed", "--peer", "nonsense"], "--peer 'nonsense' is not NAME=CMD"),
    (["speed", "chess", "chexx"], "unknown variant 'chexx'"),
    (["speed", "--peer", "foo=nosuch", "chess"], "--peer foo=nosuch: no such program: 'nosuch'"),
    (["latency", "--limit", "-1"], "--limit -1 must be more than 0"),
    (["latency", "--limit", "nan"], "--limit nan must be more than 0"),
    (["warm", "draughts"], "unknown variant 'draughts'"),
])
def test_nonsense_gets_one_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert said in captured.err and captured.err.count("\n") == 1 and not captured.out
