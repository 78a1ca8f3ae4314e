"""UCI beyond playing a game: options and their errors, strength, reports, and additional commands."""

from __future__ import annotations

import itertools
import random
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import variants
from bench.__main__ import main
from engine.compile.folder import cache_dir
from engine.compile.processor import processor
from engine.core.perft import perft
from engine.game import Game
from engine.protocol import options, strength, wdl
from engine.protocol.uci_tools import evaluation, flipped
from engine.rules import Rules
from engine.text import legal_moves
from search import deepening, tt
from search.eval.features import params_of, weights_of
from search.limits import MATE, Info, Limits
from search.searcher import Searcher
from search.signature import positions, signature
from search.state import NO_STATIC_EVAL, STATIC_EVALS
from search.threads import NO_LIMIT, Shared, Worker
from support.games import twins_long
from support.talk import Inside, infos

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
MOST_MOVES = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"  # 218, Nenad Petrovic 1964
QUICK = ("chess", "atomic", "madness", "shatar")
GAMES = [pytest.param(name, marks=() if name in QUICK else pytest.mark.long) for name in variants.names()]


def answer(talk: Inside, *lines: str) -> list[str]:
    """What is said to lines, all of them done."""
    talk.send(*lines, "setoption name Nobody value 1")
    return talk.until("info string unknown option 'Nobody'.*")[:-1]


def walk(rules: Rules, seed: int, plies: int) -> Game:
    """A random game."""
    chance, game = random.Random(f"{rules.name} {seed}"), Game(rules)
    for _ in range(plies):
        moves = sorted(game.legal_moves())
        if not moves or game.outcome() is not None:
            return walk(rules, seed + 1000, plies)
        game.push(chance.choice(moves))
    return game if game.outcome() is None else walk(rules, seed + 1000, plies)


# Options


@pytest.mark.parametrize("option", options.OPTIONS, ids=lambda option: option.name)
def test_a_bad_value_is_named_with_what_is_allowed(uci: Inside, option: options.Option) -> None:
    answer(uci, "position startpos moves e2e4")
    before, fen = dict(uci.engine.session.values), uci.engine.session.game.fen()
    bad = {"spin": [str(option.low - 1), str(option.high + 1), "1e3", "many", "9" * 40, "\u0663"],
           "check": ["yes!", "2", "tru"], "combo": ["chest", "atomic chess atomic"],
           "string": ["nowhere.npz", "/dev/null" if option.name in ("TablePath", "SyzygyPath") else "/"],
           "button": []}[option.kind]
    for value in bad:
        (line,) = answer(uci, f"setoption name {option.name} value {value}")
        assert line.startswith("info string ") and ascii(value)[1:-1] in line
        allowed = {"spin": f"from {option.low} to {option.high}", "check": "true nor false", "combo": "nocheckatomic",
                   "string": {"EvalFile": "net", "VariantPath": "definitions"}.get(option.name, "folder")}
        expected = allowed[option.kind]
        assert expected is not None and expected in line
    assert uci.engine.session.values == before and uci.engine.session.game.fen() == fen


def test_every_option_is_told_alike() -> None:
    """UCI, XBoard and the help print the same default and range, of the one table."""
    rows = {row.split("  ")[1].strip(): row for row in options.help_text().splitlines()}
    for option in options.OPTIONS:
        line = options.uci_line(option)
        assert f"type {option.kind}" in line
        if option.kind == "spin":
            assert line.endswith(f"default {option.default} min {option.low} max {option.high}")
            assert f"{option.default} ({option.low}..{option.high})" in rows[option.name]
            if option.xboard:
                feature = f'feature option="{option.xboard} -spin {option.default} {option.low} {option.high}"'
                assert options.xboard_feature(option) == feature


@pytest.mark.parametrize(("alias", "name", "chess960"), [
    ("normal", "chess", False), ("Standard", "chess", False), ("fischerandom", "chess", True), ("Chess960", "chess", True),
    ("From Position", "chess", False), ("icc-atomic", "nocheckatomic", False), ("ICC atomic", "nocheckatomic", False),
    ("nocheckatomic", "nocheckatomic", False), ("nocheck-blast", "nocheckatomic", False),
    ("Madness_FIDE", "madness-fide", False),
])
def test_names_in_use(uci: Inside, alias: str, name: str, chess960: bool) -> None:
    said = answer(uci, f"setoption name UCI_Variant value {alias}")
    assert said[0].startswith(f"info string variant {name} files 8 ranks 8 pocket 0 template ")
    values = uci.engine.session.values
    assert (values["UCI_Variant"], values["UCI_Chess960"]) == (name, chess960)
    answer(uci, "setoption name UCI_Variant value chess")
    assert values["UCI_Chess960"] is False  # what a name switched on, the next one switches off


def test_what_the_gui_switched_on_stays(uci: Inside) -> None:
    answer(uci, "setoption name UCI_Chess960 value true", "setoption name UCI_Variant value atomic")
    assert uci.engine.session.values["UCI_Chess960"] is True


def test_a_game_is_announced_as_fairy_stockfish_does(uci: Inside) -> None:
    """The first line word for word as Fairy-Stockfish (20 November 2026) prints it for the games both know."""
    said = answer(uci, "setoption name UCI_Variant value nocheckatomic")
    assert said[0] == f"info string variant nocheckatomic files 8 ranks 8 pocket 0 template atomic startpos {START}"
    said = answer(uci, "setoption name UCI_Variant value shatar")
    assert said[0].startswith("info string variant shatar files 8 ranks 8 pocket 0 template fairy startpos rnbjkbnr/")
    assert "info string piece J& RF" in said and "info string piece P& fmWfcFifmnD" in said
    for name in variants.names():
        said = answer(uci, f"setoption name UCI_Variant value {name}")
        rules = variants.find(name)
        assert said[0].endswith(f" startpos {rules.start_fen}")
        assert "".join(line.removeprefix("info string piece ")[0] for line in said[1:]) == rules.letters


# Strength


def test_levels_rise() -> None:
    levels = [strength.of_level(level) for level in range(strength.FULL + 1)]
    assert all(a.nodes < b.nodes and a.error > b.error for a, b in itertools.pairwise(levels))
    elos = [elo for _, elo in strength.SCALE]
    assert elos == sorted(elos) and (round(elos[0]), round(elos[-1])) == options.ELO
    ratings = [strength.level_of(elo) for elo in range(options.ELO[0], options.ELO[1] + 1, 50)]
    assert ratings == sorted(ratings) and ratings[0] == 0 and ratings[-1] <= strength.FULL


def test_who_errs_chooses_worse() -> None:
    """The share of the best of two lines, 100 centipawns apart, is what the normal distribution says it is."""
    lines = {1: Info(1, 1, 1, 100, "", 1, 1, 0, (1,)), 2: Info(1, 1, 2, 0, "", 1, 1, 0, (2,))}
    chance = random.Random(1)
    sure = strength.Handicap(1, 0.0)
    assert all(strength.choose(lines, sure, chance) is lines[1] for _ in range(20))
    erring = strength.Handicap(1, 100.0)
    best = sum(strength.choose(lines, erring, chance) is lines[1] for _ in range(2000)) / 2000
    assert best == pytest.approx(0.760, abs=0.04)  # of a difference of two such errors, below 100 / (100 * sqrt 2)
    assert strength.choose({}, erring, chance) is None


@pytest.mark.parametrize(("option", "most"), [
    ("Skill Level value 0", strength.of_level(0).nodes), ("Skill Level value 10", strength.of_level(10).nodes),
    ("UCI_LimitStrength value true", strength.of_level(20).nodes)])
def test_a_weak_player_looks_less(uci: Inside, option: str, most: int) -> None:
    answer(uci, f"setoption name {option}", "setoption name UCI_Elo value 2100")
    uci.send("position startpos moves e2e4", "go depth 30 movetime 20000")
    said = uci.until("bestmove .*")
    assert max(int(line.split(" nodes ")[1].split()[0]) for line in infos(said)) <= most
    assert all(" multipv 1 " in line for line in infos(said))  # the lines it chooses among are its own affair
    assert uci.engine.session.game.parse(said[-1].split()[1])
    uci.send("setoption name UCI_AnalyseMode value true", "go depth 7")
    assert any(line.startswith("info depth 7 ") for line in infos(uci.until("bestmove .*")))


def test_a_weak_player_waits_for_ponderhit_too(uci: Inside) -> None:
    answer(uci, "setoption name Skill Level value 0")
    uci.send("position startpos", "go ponder wtime 1000 btime 1000")
    assert not any(line.startswith("bestmove") for line in uci.quiet(0.2))
    uci.send("ponderhit")
    uci.until("bestmove [a-h].*", 5)


# Chances


def test_chances_add_up() -> None:
    for name in [*variants.names(), "nobody's game"]:
        wins = []
        for score in range(-3000, 3001, 7):
            win, draw, loss = wdl.chances(name, score)
            assert win + draw + loss == 1000 and min(win, draw, loss) >= 0
            assert wdl.chances(name, -score) in ((loss, draw, win), (loss, draw + 1, win - 1), (loss - 1, draw + 1, win),
                                                 (loss, draw - 1, win + 1), (loss + 1, draw - 1, win))
            wins.append(win)
        assert wins == sorted(wins) and wins[0] < 20 and wins[-1] > 980
    assert wdl.chances("chess", 0, mate=3) == (1000, 0, 0) and wdl.chances("chess", 0, mate=-3) == (0, 0, 1000)


def test_chances_are_reported_when_asked_for(uci: Inside) -> None:
    uci.send("position startpos", "go depth 3")
    assert not any(" wdl " in line for line in uci.until("bestmove .*"))
    uci.send("setoption name UCI_ShowWDL value true", "go depth 3")
    for line in infos(uci.until("bestmove .*")):
        score, *parts = map(int, re.findall(r" cp (-?\d+) wdl (\d+) (\d+) (\d+) ", line)[0])
        assert tuple(parts) == wdl.chances("chess", score)


# Reports


def test_as_many_lines_as_there_are_moves(uci: Inside) -> None:
    uci.send("setoption name MultiPV value 256", f"position fen {MOST_MOVES}", "go depth 1")
    lines = list(infos(uci.until("bestmove .*")))
    assert [int(line.split(" multipv ")[1].split()[0]) for line in lines] == list(range(1, 219))
    assert len({line.split(" pv ")[1].split()[0] for line in lines}) == 218


def test_the_root_move_under_way(uci: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    """After 3 s, here after 0.1: legal, and numbered as the moves are tried."""
    monkeypatch.setattr(deepening, "TALKATIVE", 100.0)
    monkeypatch.setattr(deepening, "GLANCE", 0.005)
    uci.send("position startpos", "go movetime 1500")
    said = [line for line in uci.until("bestmove .*") if "currmove" in line]
    assert said
    for line in said:
        match = re.fullmatch(r"info depth (\d+) currmove (\w+) currmovenumber (\d+)", line)
        assert match and 1 <= int(match[3]) <= 20 and match[2] in Game("chess").legal_moves()
    assert said == list(dict.fromkeys(said)) or len(said) > 20  # told when it changes


def test_bounds_are_marked(uci: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores outside the window are reported as bounds once the search takes long; here at once."""
    monkeypatch.setattr(deepening, "TALKATIVE", 0.0)
    uci.send("position fen r1bqkb1r/pppp1ppp/2n2n2/4p1N1/2B1P3/8/PPPP1PPP/RNBQK2R b KQkq - 5 4", "go depth 14")
    bounds = [line for line in infos(uci.until("bestmove .*")) if "bound" in line]
    assert bounds
    assert all(re.match(r"info depth \d+ seldepth \d+ multipv 1 score (cp|mate) -?\d+ (lower|upper)bound nodes ", line)
               for line in bounds)


# Commands of our own


def searched_value(game: Game) -> int | None:
    """The static value that the search left for the root; None in check, where it computes none."""
    rules, worker = game.rules, Worker(game.rules)
    shared = Shared(params_of(rules), weights_of(rules), tt.new_table(1), int(rules.material_draws))
    worker.begin(game, 0, False, NO_LIMIT, False)
    worker.iterate(shared, [int(move) for move in legal_moves(rules, game.pos)], 1, -MATE, MATE, False)
    value = int(worker.state[STATIC_EVALS])
    return None if value == NO_STATIC_EVAL else value


def columns(table: str) -> dict[str, list[int]]:
    """The rows of numbers by their names."""
    return {line[:14].strip(): [int(word) for word in line[14:].split()] for line in table.splitlines()
            if re.fullmatch(r"[a-z ]+( +-?\d+){6}", line)}


@pytest.mark.parametrize("name", GAMES)
def test_the_evaluation_is_the_sum_of_its_terms(name: str) -> None:
    """And the sum is what the search uses, by the kernel of the search."""
    rules, compared = variants.find(name), 0
    for seed in range(30):
        game = walk(rules, seed, 3 * seed)
        table = evaluation(game)
        rows = columns(table)
        total = rows.pop("sum")
        assert np.array(list(rows.values())).sum(axis=0).tolist() == total, table
        assert [w - b for w, b in zip(total[:2], total[2:4], strict=True)] == total[4:], table
        stage, full = map(int, re.findall(r"stage +(\d+) of (\d+)", table)[0])
        scale = int(re.findall(r"scale +(\d+) of 64", table)[0])
        white, value = map(int, re.findall(r"evaluation +(-?\d+) centipawns for White, (-?\d+) for", table)[0])
        middle, end = [-total[4], -total[5]] if game.turn else total[4:]
        score = (middle * stage + end * (full - stage)) // full
        if "\nending " in table:  # known, and worth what its table says
            assert searched_value(game) in (None, value), table
            continue
        assert value == (score * scale // 64 if score >= 0 else -(-score * scale // 64)), table
        assert white == (-value if game.turn else value)
        searched = searched_value(game)
        compared += searched is not None
        assert searched in (None, value), table
    assert compared > 10


@pytest.mark.parametrize("name", twins_long(variants.names()))
def test_flip_exchanges_the_sides(name: str) -> None:
    """It has as many lines two plies deep and the same value for the side to move; flipped again it is what it was."""
    rules = variants.find(name)
    for seed in range(12):
        game = walk(rules, seed, 5 * seed + 3)
        other = Game(rules, flipped(game))
        assert Game(rules, flipped(other)).fen() == game.fen()
        assert other.turn == 1 - game.turn and other.fen() != game.fen()
        assert perft(rules, other.pos, 2) == perft(rules, game.pos, 2), game.fen()
        assert searched_value(other) == searched_value(game), game.fen()


def test_flip_over_uci(uci: Inside) -> None:
    said = answer(uci, "position startpos moves e2e4", "flip", "d")
    assert "Fen: rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" in said
    uci.send("go depth 2")
    uci.until("bestmove [a-h][12].*")


def test_bench_is_the_signature(uci: Inside) -> None:
    uci.send("bench 3 chess atomic")
    said = uci.until("Nodes/second    : .*")
    counts = {line.split()[0]: int(line.split()[1]) for line in said[:2]}
    assert counts == {name: signature(variants.find(name), 3) for name in ("chess", "atomic")}
    assert f"Nodes searched  : {sum(counts.values())}" in said
    uci.send("bench 3")
    assert uci.until("Nodes/second    : .*")[0].split() == ["chess", str(counts["chess"])]
    for wrong in ("bench 0", "bench 31", "bench chest"):
        uci.send(wrong)
        assert uci.until(".*")[-1].startswith(f"info string {'bench' if wrong[-1].isdigit() else 'unknown variant'} ")
    uci.send("bench 30", "stop")
    uci.until("info string bench stopped .*", 10)


def test_the_signature_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["signature", "--variant", "chess", "--depth", "3"]) == 0
    nodes = capsys.readouterr().out.split()[1]
    assert main(["signature", "--variant", "chess", "--depth", "3", "--expect", nodes]) == 0
    assert main(["signature", "--variant", "chess", "--depth", "3", "--expect", "1"]) == 1
    assert main(["signature", "--expect", "1"]) == 2 and "--expect 1" in capsys.readouterr().err


def test_signature_positions_are_games_under_way() -> None:
    for name in variants.names():
        games = positions(variants.find(name))
        assert [len(game.moves) for game in games] == [6 * n for n in range(len(games))]
        assert all(game.outcome() is None for game in games)


def test_what_compiled_us(uci: Inside) -> None:
    import numba

    said = "\n".join(answer(uci, "compiler"))
    assert f"numba {numba.__version__}" in said and str(cache_dir()) in said and processor()[0] in said
    for feature in processor()[1].split(","):
        if feature.startswith("+"):
            assert f" {feature[1:]}" in said


def test_a_count_stops_at_once(uci: Inside) -> None:
    uci.send("position startpos", "go perft 12")
    time.sleep(0.3)
    began = time.monotonic()
    uci.send("stop")
    uci.until("info string perft stopped.*", 5)
    assert time.monotonic() - began < 2


def test_blanks_of_every_kind(uci: Inside) -> None:
    uci.send("\t position\tstartpos  moves \t e2e4\r", "go\tdepth\t2\r")
    assert re.match("bestmove [a-h][78]", uci.until("bestmove .*")[-1])


def test_a_late_machine_is_allowed_for(uci: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers that come late make the next ones come earlier; punctual ones let that fade. A fixed time is not shortened."""
    whole, given = Searcher.search, list[float]()

    def late(self: Searcher, *args: Any, **named: Any) -> Any:
        given.append(named["overhead"])
        best = whole(self, *args, **named)
        time.sleep(0.08 if len(given) < 2 else 0)
        return best

    monkeypatch.setattr(Searcher, "search", late)
    for _ in range(4):
        uci.send("position startpos", "go wtime 100 btime 100 winc 1")
        uci.until("bestmove .*")
    plain = float(uci.engine.session.values["Move Overhead"])
    assert plain <= given[0] < plain + 40
    assert given[1] > plain + 60
    assert given[1] > given[3]
    uci.send("go movetime 50")
    uci.until("bestmove .*")
    assert given[-1] == plain


EXPLODING = "r1b1kb1r/3q4/2p1nnp1/pP2pp1p/3pPPPP/BPPP4/4N3/RN1QKB1R w - - 3 18"  # madness-fide: 660,000 nodes to the first ply


@pytest.mark.long
@pytest.mark.parametrize("go", ["go wtime 100 btime 100", "go movetime 30", "go infinite", "go ponder wtime 100 btime 100"])
def test_an_explosion_of_exchanges_is_cut_short(uci: Inside, go: str) -> None:
    """The first ply may take long; time, stop and ponderhit are obeyed all the same, with a legal move."""
    answer(uci, "setoption name UCI_Variant value madness-fide", f"position fen {EXPLODING}")
    uci.send("isready")
    uci.until("readyok")
    began = time.monotonic()
    uci.send(go)
    if "infinite" in go or "ponder" in go:
        uci.send("stop" if "infinite" in go else "ponderhit")
    move = uci.until("bestmove .*", 10)[-1].split()[1]
    assert time.monotonic() - began < 0.4
    assert move in Game("madness-fide", EXPLODING).legal_moves()


# Lines that mean less, or more, than they seem to


def test_blanks_inside_a_value_are_kept(uci: Inside, tmp_path: Path) -> None:
    folder = tmp_path / "two  blanks"
    folder.mkdir()
    assert answer(uci, f"setoption  name  TablePath  value  {folder} ") == []
    assert uci.engine.session.values["TablePath"] == str(folder)


def test_no_score_is_a_mate_in_many_moves(uci: Inside) -> None:
    uci.send("position startpos", "go mate 99999")
    uci.until("info depth 9 .*")
    uci.send("stop")
    uci.until("bestmove .*")


@pytest.mark.parametrize(("line", "named"), [("go movestogo 5", "movestogo"), ("go winc 100 binc 100", "winc")])
def test_without_a_clock_an_increment_is_no_limit(uci: Inside, line: str, named: str) -> None:
    uci.send(line)
    assert f"info string go {named} needs wtime and btime" in uci.until("bestmove .*")


def test_lines_after_a_stop_are_sorted() -> None:
    """The nodes end an iteration whose second line is better than its first."""
    game, last = Game(), dict[int, Info]()
    for move in ("c2c4", "e7e6"):
        game.push(move)

    def keep(info: Info) -> None:
        last[info.multipv] = info

    searcher = Searcher(1)
    for nodes in range(26_000, 40_000, 2000):
        searcher.clear()
        searcher.search(game, Limits(nodes=nodes), multipv=3, on_info=keep)
        deepest = [info.score for info in last.values() if info.depth == last[1].depth]
        assert deepest == sorted(deepest, reverse=True)


@pytest.mark.parametrize("threads", [2, 4])
def test_all_threads_share_a_limit_of_nodes(threads: int) -> None:
    searcher = Searcher(16, threads)
    for limit in (20_000, 200_000):
        searcher.search(Game(), Limits(nodes=limit))
        assert limit <= searcher.nodes() < 3 * limit


def test_a_game_that_is_defined_anew_is_played_by_its_new_rules(uci: Inside, tmp_path: Path, own_registry: None) -> None:
    file = tmp_path / "again.ini"
    name = "setoption name UCI_Variant value again-and-again"
    for third, second in (("8", "PPPPPPPP"), ("PPPPPPPP", "8")):
        board = f"rnbqkbnr/pppppppp/8/8/8/{third}/{second}/RNBQKBNR"
        file.write_text(f"[again-and-again:chess]\nstartFen = {board} w KQkq - 0 1\n")
        uci.send(f"setoption name VariantPath value {file}", *([name] if third == "8" else []), "position startpos", "d")
        uci.until(f"Fen: {board} w KQkq - 0 1", 60)
