"""`kingmaker perft` beyond counting: the hash table, kinds of moves, tables of counts, other engines."""

from __future__ import annotations

import json
import shlex
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import chess
import pytest

import variants
from bench.__main__ import main
from bench.perft.cases import PerftCase, read_perft
from bench.perft.command import castles_from_home, kinds_of, second_opinion
from bench.perft.counter import PerftCounter
from bench.perft.oracles import BoardOracle, Ours, first_difference
from engine.core.breakdown import KINDS
from engine.core.hashed_perft import TOO_MANY, hashed_kernel, new_table
from engine.core.perft import breakdown, count_moves, parts, perft
from engine.rules import Pawn, Rules
from engine.text import parse_fen, to_fen
from support.games import others_long
from support.places import PERFT_TABLES

EVERY = others_long("chess", "atomic")
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -"


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(["perft", *words]) == code
    captured = capsys.readouterr()
    assert not captured.err
    return captured.out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["perft", *words]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1 and captured.err.startswith("kingmaker perft: ")
    return captured.err


# The table.


@pytest.mark.parametrize("name", EVERY)
def test_a_table_changes_no_count(name: str) -> None:
    """One tiny table for all positions of a game: entries are overwritten, and met again from elsewhere."""
    rules, table = variants.find(name), new_table(1)[:8 * 64]
    cases = [case for case in read_perft(PERFT_TABLES / f"{name}.perft") if case.nodes <= 5_000_000]
    for turn in (cases, cases[::-1]):
        for case in turn:
            assert perft(rules, parse_fen(rules, case.fen), case.depth, table) == case.nodes, case
    assert (table[1::2] != 0).mean() > 0.5, "the table was in use"


@pytest.mark.parametrize(("name", "fens"), [
    ("chess", ["r3k2r/8/8/8/8/8/7N/R3K2R w KQkq -", "r3k2r/8/8/8/8/8/7N/R3K2R w Kkq -", "r3k2r/8/8/8/8/8/7N/R3K2R b KQkq -",
               "r3k2r/8/8/8/8/8/7N/R3K2R w - -"]),
    ("chess", ["8/8/8/1k1pP3/8/8/8/K7 w - d6", "8/8/8/1k1pP3/8/8/8/K7 w - -", "8/8/8/1k1pP3/8/8/8/K7 b - -"]),
    pytest.param("ataturk", ["6q1/8/6KB/8/8/8/R7/8 w - - 0 1 g6/g8", "6q1/8/6KB/8/8/8/R7/8 w - - 0 1 h6/g8",
                             "6q1/8/6KB/8/8/8/R7/8 w - - 0 1 g6h6/g8", "6q1/8/6KB/8/8/8/R7/8 w - - 0 1 g6h6a2/g8"],
                 marks=pytest.mark.long),
])
def test_a_table_tells_positions_apart(name: str, fens: list[str]) -> None:
    """The same pieces; only the side to move, castling, a passed square, a title or its past holders differ."""
    rules, table = variants.find(name), new_table(1)
    positions = [parse_fen(rules, fen) for fen in fens]
    plain = [perft(rules, pos, 4) for pos in positions]
    assert [perft(rules, pos, 4, table) for pos in positions] == plain and len(set(plain)) == len(fens)


def test_threads_share_a_table() -> None:
    rules = variants.find("chess")
    pos = parse_fen(rules, KIWIPETE)
    table = new_table(16)
    for _ in range(3):  # chessprogramming.org, Perft Results, Position 2
        assert sum(count_moves(rules, pos, 5, 4, None, table).values()) == 193690690
    assert count_moves(rules, pos, 4, 1, None, table) == count_moves(rules, pos, 4, 1)


def test_equal_subtrees_are_one_part() -> None:
    """3 plies: 8902 lines, 5362 positions (OEIS A048987 and A083276)."""
    rules = variants.find("chess")
    pos = parse_fen(rules, rules.start_fen)
    merged = parts(rules, pos, 5, 401, merge=True)
    assert len(merged) == 5362 and sum(sum(part.roots.values()) for part in merged) == 8902
    assert len(parts(rules, pos, 5, 401)) == 8902 and len(parts(rules, pos, 5, 21)) == 400


def test_too_many_leaves_are_refused() -> None:
    """Two kings alone have at least three moves each: 3^60 is more than 2^64."""
    rules, table = variants.find("chess"), new_table(8)
    pos = parse_fen(rules, "k7/8/8/8/8/8/8/7K w - -")
    assert perft(rules, pos, 12, table) == perft(rules, pos, 12, new_table(1))
    with pytest.raises(OverflowError, match="more than 2\\^64 leaves"):
        perft(rules, pos, 60, table)
    assert hashed_kernel is not None and int(TOO_MANY) == 2**64 - 2


def test_hash_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    out = json.loads(said(capsys, "chess", "5", "--hash", "8", "--threads", "2", "--json", "--divide"))
    assert out["nodes"] == 4865609 == sum(out["moves"].values()) and out["hash"] == 8
    assert "is less than 1" in refused(capsys, "chess", "3", "--hash", "0")
    assert "does not fit into" in refused(capsys, "chess", "3", "--hash", str(1 << 40))
    assert "classifies every last move" in refused(capsys, "chess", "3", "--hash", "8", "--breakdown")


# What the moves are.

CPW = {  # chessprogramming.org, Perft Results: captures, en passant, castles, promotions, checks, discovered, double, mates
    ("", 5): (82719, 258, 0, 0, 27351, 6, 0, 347),
    (KIWIPETE, 4): (757163, 1929, 128013, 15172, 25523, 42, 6, 43),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", 6): (940350, 33325, 0, 7552, 452473, 26067, 0, 2733),
}
COLUMNS = ("captures", "en passant", "castles", "promotions", "checks", "discovered", "double", "mates")


@pytest.mark.parametrize(("fen", "depth"), CPW)
def test_breakdown_is_the_published_one(fen: str, depth: int) -> None:
    rules = variants.find("chess")
    found = breakdown(rules, parse_fen(rules, fen or rules.start_fen), depth)
    assert tuple(found[kind] for kind in COLUMNS) == CPW[fen, depth]
    assert found["nodes"] == perft(rules, parse_fen(rules, fen or rules.start_fen), depth)


def lines(board: chess.Board, depth: int) -> Iterator[tuple[chess.Board, chess.Move, chess.Board]]:
    """(before, move, after) of the last move of each line."""
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        if depth == 1:
            yield board, move, after
        else:
            yield from lines(after, depth - 1)


def kinds(rules: Rules, before: chess.Board, move: chess.Move, after: chess.Board) -> Iterator[str]:
    """What a move is, in the Board's words."""
    text, us = before.uci(move, chess960=True), before.turn
    driven = not text.startswith("K@") and before.color_at(move.from_square) != us
    named = text.startswith("K@") and "," not in text
    castles = not named and not driven and before.is_castling(move)
    own_before, own_after = (chess.popcount(board.occupied_co[us]) for board in (before, after))
    fewer = chess.popcount(after.occupied_co[not us]) < chess.popcount(before.occupied_co[not us])
    assert own_before == own_after or (fewer and rules.captures_explode)
    yield "nodes"
    if fewer:
        yield "captures"
        if rules.captures_explode:
            yield "explosions"
    if not named and not driven and before.is_en_passant(move):
        yield "en passant"
    if castles:
        yield "castles"
    if move.promotion:
        yield "promotions"
    if named:
        yield "coups"
    if driven:
        yield "insane moves"
    kings_before, kings_after = (chess.popcount(board.kings & board.occupied_co[not us]) for board in (before, after))
    if rules.succession and fewer and before.piece_type_at(move.to_square) == chess.KING:
        end = after.is_variant_end()
        yield "kings" if end else "successions"
        assert end or kings_after or after.legal_moves
    if rules.captures_explode and kings_before and not kings_after:
        yield "kings"
    else:
        yield from ends(after)


def ends(after: chess.Board) -> Iterator[str]:
    """What a move leads to, in the Board's words."""
    reason = after.end_reason() if hasattr(after, "end_reason") else None
    if after.is_check():
        yield "checks"
    if reason == "robado":
        yield "robados"
    elif reason == "niol":
        yield "mates"
        yield "niols"
    elif after.is_checkmate() or reason == "checkmate":
        yield "mates"
    elif not any(after.legal_moves) and not after.is_variant_end():
        yield "stalemates"


PARTED = ("discovered", "double")  # what only chess has published counts of
RARE = {  # kinds of moves the game's table does not show in few leaves
    "ataturk": ["4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1 e1/e8"],
    "atomic": ["k7/P7/8/8/8/8/8/K1R5 w - - 0 1"],
    "madness": ["8/8/5p2/6Q1/1K4R1/8/8/7k w - - 0 1", "k1KR4/8/2P5/8/8/8/8/8 w - - 0 1"],
    "madness-fide": ["8/8/2P5/7K/4Q3/8/4R3/k7 w - - 0 1", "8/8/8/8/2P5/8/2Q5/k1K1Q3 w - - 0 1"],
    "madness-legan": ["6Q1/8/3P4/6Q1/8/7K/8/7k w - - 0 1"],
    "nocheckatomic": ["k7/PK1N4/7P/8/8/8/7P/8 w - - 0 1"],
    "shatar": ["4k3/8/8/8/3Pp3/8/8/R3K3 b - d3 0 1 -",
               "8/7R/1K6/7n/6J1/P7/8/7k w - - 0 1", "7k/5J2/n7/3J4/8/BK6/8/8 w - - 0 1"],
    "warmspit": ["4k2q/8/8/8/3Pp3/8/8/1Q2K3 b - d3 0 1 b1/h8", "k7/5R1P/bPK5/8/8/4N3/8/8 w - - 0 1"],
}
NEVER = {("ascending", "stalemates")}  # a king that may go anywhere has no move: no such position is known


@pytest.mark.parametrize("name", EVERY)
def test_breakdown_is_the_boards(name: str, record_property: Callable[[str, object], None]) -> None:
    """All the positions of the game's table, a few thousand leaves each."""
    rules, seen = variants.find(name), Counter[str]()
    most = 1000 if rules.traits.titles else 3000  # the Boards of these are slow
    cases = {case.fen: case.depth for case in read_perft(PERFT_TABLES / f"{name}.perft") if case.nodes <= most}
    for fen, depth in [*cases.items(), *((fen, 1) for fen in RARE.get(name, []))]:
        pos = parse_fen(rules, fen)
        board = rules.board(to_fen(rules, pos, shredder=True), chess960=True)
        wanted = Counter(kind for line in lines(board, depth) for kind in kinds(rules, *line))
        found = +breakdown(rules, pos, depth)
        for kind in PARTED:
            del found[kind]
        assert found == wanted, (fen, depth)
        seen += found
    record_property("seen", f"{name}: {dict(seen)}")
    for kind in kinds_of(rules):
        if kind not in PARTED and (name, kind) not in NEVER:
            assert seen[kind], f"no position shows {kind}"
    assert not set(seen) - set(kinds_of(rules)) - {"nodes"}


def test_breakdown_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    out = json.loads(said(capsys, "chess", "4", "--breakdown", "--threads", "2", "--json"))
    assert (out["breakdown"]["captures"], out["breakdown"]["checks"], out["breakdown"]["mates"]) == (1576, 469, 8)
    text = said(capsys, "atomic", "2", "--breakdown", "--fen", "8/8/8/8/8/8/3k4/r3K2R w K - 0 1")
    assert "explosions" in text and "coups" not in text
    assert set(kinds_of(variants.find("ataturk"))) <= set(KINDS)


# Tables of counts.


def table_of(tmp_path: Path, text: str, name: str = "some.perft") -> str:
    path = tmp_path / name
    path.write_text(text)
    return str(path)


def test_tables_are_read_in_both_forms(tmp_path: Path) -> None:
    ours = read_perft(Path(table_of(tmp_path, "# a remark\n\nid a\nepd 8/8 w - -\nperft 1 20  # so\nperft 2 1,400\n")))
    assert ours == [PerftCase("a", "8/8 w - -", 1, 20), PerftCase("a", "8/8 w - -", 2, 1400)]
    epd = read_perft(Path(table_of(tmp_path, "8/8 w - - 0 1 ;D1 20 ;D2 400\n\n8/9 b - - id \"x\"; D3 8902 ; D4 7;\n")))
    assert epd == [PerftCase("line 1", "8/8 w - - 0 1", 1, 20), PerftCase("line 1", "8/8 w - - 0 1", 2, 400),
                   PerftCase("line 3", "8/9 b - - id \"x\"", 3, 8902), PerftCase("line 3", "8/9 b - - id \"x\"", 4, 7)]


@pytest.mark.parametrize(("text", "complaint"), [
    ("id a\nperft 1 20\n", ":2: 'perft 1 20' is not a perft case"),
    ("id a\nepd 8/8 w\nperft one 20\n", ":3: 'perft one 20' is not a perft case"),
    ("hello\n", ":1: 'hello' is not a perft case"),
    ("8/8 w ;D1 20\n8/8 w ;D1\n", ":2: '8/8 w ;D1' is not a perft case"),
    ("# nothing\n", "no perft case in it"),
])
def test_what_is_no_table_is_told_where(text: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert complaint in refused(capsys, "chess", "--check", table_of(tmp_path, text))


def test_no_file_and_a_bad_fen_get_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "nowhere.epd: No such file" in refused(capsys, "chess", "--check", "nowhere.epd")
    assert "board has 2 ranks" in refused(capsys, "chess", "--check", table_of(tmp_path, "8/8 w - - ;D1 20\n"))
    (tmp_path / "noise").write_bytes(bytes(range(128, 256)))
    assert "no text" in refused(capsys, "chess", "--check", str(tmp_path / "noise"))
    assert "no case is small enough" in refused(
        capsys, "chess", "--check", table_of(tmp_path, f"{KIWIPETE} ;D3 97862"), "--max-nodes", "48")


def test_a_table_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "atomic", "4", "--check", str(PERFT_TABLES / "atomic.perft"), "--max-nodes", "20000", "--hash", "1")
    assert out.splitlines()[-1].endswith("compared, all the same") and "DIFFERENT" not in out
    wrong = table_of(tmp_path, f"{KIWIPETE} ;D1 48 ;D2 2038 ;D3 97862\n")
    out = said(capsys, "chess", "--check", wrong, code=1)
    assert "DIFFERENT  line 1, depth 2: 2,039 counted, 2,038 expected, at r3k2r" in out
    assert "the Board of chess counts the same: the table is wrong" in out
    assert out.splitlines()[-1] == "3 compared, 1 different"
    cases = json.loads(said(capsys, "chess", "--check", wrong, "--json", code=1))["cases"]
    assert [case["same"] for case in cases] == [True, False, True] and cases[1]["expected"] == 2038


def counter(rules: Rules, stack: ExitStack) -> PerftCounter:
    return PerftCounter(rules, Namespace(threads=1, hash=None, cluster=None), stack)


def test_the_second_opinion_leads_to_the_moves() -> None:
    """A Board that knows no driven kings stands for a bug."""
    rules = replace(variants.find("madness-fide"), board=chess.Board)
    pos = parse_fen(rules, "8/8/8/3k4/8/8/8/K4R2 w - - 0 1")
    with ExitStack() as stack:
        told = second_opinion(counter(rules, stack), pos, PerftCase("a", "", 3, 0))
        assert told[-2] == "after no move, at 8/8/8/3k4/8/8/8/K4R2 w - - 0 1"
        assert told[-1].startswith("only kingmaker has d5b") and "only the Board" not in told[-1]


def test_the_shallowest_difference_is_found() -> None:
    """Pawns that promote to rooks only, as a Board: two plies down in either line, and found before anything deeper."""
    class Rooks(chess.Board):
        def generate_legal_moves(self, *masks: int) -> Iterator[chess.Move]:
            yield from (move for move in super().generate_legal_moves(*masks) if move.promotion in (None, chess.ROOK))

    rules = variants.find("chess")
    fen = "8/1P5k/8/8/8/8/8/K7 b - - 0 1"
    with ExitStack() as stack:
        ours = Ours(rules, parse_fen(rules, fen), counter(rules, stack).leaves)
        found = first_difference(ours, BoardOracle(replace(rules, board=Rooks), fen), 4)
        assert found is not None and len(found.line) == 1 and len(found.steps) == 1
        assert found.ours_alone == ("b7b8b", "b7b8n", "b7b8q") and found.theirs_alone == ()
        assert first_difference(ours, BoardOracle(rules, fen), 4) is None


# Other engines.

RIVAL = '''
import sys, time
import chess
mode, board = sys.argv[1], chess.Board()
def legal(board):
    for move in board.legal_moves:
        if not (mode == "blind" and board.is_en_passant(move)):
            yield move
def leaves(board, depth):
    if depth == 0:
        return 1
    total = 0
    for move in legal(board):
        board.push(move)
        total += leaves(board, depth - 1)
        board.pop()
    return total
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        if mode == "deaf":
            time.sleep(600)
        if mode == "mad":
            while True:
                print("\\xff\\n" * 1000)
        print("id name Rival\\noption name UCI_Chess960 type check default false\\nuciok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        board = chess.Board(" ".join(words[2:8]))
        for move in words[9:]:
            board.push_uci(move)
    elif words[:2] == ["go", "perft"]:
        if mode == "dies":
            sys.exit(3)
        if mode == "slow":
            time.sleep(600)
        total = 0
        for move in legal(board):
            board.push(move)
            count = leaves(board, int(words[2]) - 1)
            board.pop()
            total += count
            print(f"{move}: {count}")
        print(f"\\nNodes searched: {total + (mode == 'liar')}", flush=True)
    elif words[0] == "quit":
        break
'''


@pytest.fixture
def rival(tmp_path: Path) -> str:
    (tmp_path / "rival.py").write_text(RIVAL)
    return shlex.join([sys.executable, str(tmp_path / "rival.py")])


EN_PASSANT = "8/2p5/8/1P6/8/8/8/k1K5 b - - 0 1"


def test_another_engine_that_agrees(rival: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "chess", "3", "--against", f"{rival} sound").splitlines() == [
        "same  start, depth 3: 8,902, against Rival", "1 compared, all the same"]
    table = table_of(tmp_path, f"{EN_PASSANT} ;D2 1\n{KIWIPETE} ;D1 48 ;D2 2039\n")
    cases = json.loads(said(capsys, "chess", "--check", table, "--against", f"{rival} sound", "--json", code=1))["cases"]
    assert [case["same"] for case in cases] == [False, True, True, True, True], "the table's first count is made up"


def test_another_engine_that_misses_a_move(rival: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "chess", "4", "--fen", EN_PASSANT, "--against", f"{rival} blind", code=1).splitlines()
    assert out[0].startswith("DIFFERENT  8/2p5") and out[0].endswith("against Rival")
    assert [line.strip() for line in out[1:]] == [
        "c7c5, 1 plies below it: 5 by kingmaker, 4 by Rival",
        "after c7c5, at 8/8/8/1Pp5/8/8/8/k1K5 w - c6 0 2",
        "only kingmaker has b5c6", "1 compared, 1 different"]


@pytest.mark.parametrize(("mode", "complaint"), [
    ("dies", "it ended with status 3"),
    ("slow", "no Nodes searched within 8 s"),
    ("deaf", "no uciok within 2 s; --against takes UCI engines"),
    ("mad", "it floods its output: more than 100000 lines"),
    ("liar", "Rival: the counts of its moves do not add up to 'Nodes searched: 401'"),
])
def test_another_engine_that_fails(mode: str, complaint: str, rival: str, capsys: pytest.CaptureFixture[str]) -> None:
    seconds = {"slow": "8", "deaf": "2"}.get(mode, "100")
    assert complaint in refused(capsys, "chess", "2", "--against", f"{rival} {mode}", "--timeout", seconds)


def test_no_engine_and_one_that_does_not_play_the_game(rival: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no such program: 'nowhere/engine'" in refused(capsys, "chess", "2", "--against", "nowhere/engine")
    assert "No closing quotation" in refused(capsys, "chess", "2", "--against", "'")
    assert "Rival does not play atomic" in refused(capsys, "atomic", "2", "--against", f"{rival} sound")
    script = tmp_path / "script"
    script.write_text("not a program")
    script.chmod(0o755)
    assert "does not start: Exec format error" in refused(capsys, "chess", "2", "--against", str(script))
    assert "omit --divide" in refused(capsys, "chess", "2", "--against", "x", "--divide")


def test_against_ourselves_where_nobody_else_plays(capsys: pytest.CaptureFixture[str]) -> None:
    command = shlex.join([sys.executable, "-m", "engine"])
    out = said(capsys, "ataturk", "3", "--against", command)
    assert out.startswith("same  start, depth 3: 20,703, against Kingmaker")


@pytest.mark.parametrize(("size", "fen", "home"), [
    (8, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", True),
    (8, "4k3/8/8/8/8/8/8/1R2K2R w HB - 0 1", False),
    (8, "r2k3r/8/8/8/8/8/8/4K3 b ha - 0 1", False),
    (7, "rnbkqnr/ppppppp/7/7/7/PPPPPPP/RNBKQNR w KQkq - 0 1", True),
    (7, "3k3/7/7/7/7/7/2K3R w G - 0 1", False),
    (7, "r2k1r1/7/7/7/7/7/3K2R b Gaf - 0 1", False)])
def test_chess960_notation_is_asked_for_where_castling_needs_it(size: int, fen: str, home: bool) -> None:
    rules = Rules(name="small", source="this test", files=size, ranks=size, start_fen=fen,
                  pawn=Pawn(promotion_zone=f"a{size}b{size}", double_step_zone="a2b2"))
    assert castles_from_home(rules, parse_fen(rules, fen)) is home


@pytest.mark.parametrize(("words", "complaint"), [
    (["chess"], "no depth given"),
    (["chess", "--check", "x", "--fen", "y"], "--fen does not go with --check"),
    (["chess", "3", "--max-nodes", "5"], "--max-nodes 5 is for --check"),
    (["chess", "3", "--threads", "2", "--cluster", "tcp://127.0.0.1:9"], "--threads 2 is for one machine"),
    (["chess", "3", "--timeout", "0"], "--timeout 0.0 is not a number of seconds"),
    (["chess", "3", "--cluster", "nowhere"], "--cluster 'nowhere': not an address such as tcp://HOST:8786"),
])
def test_what_makes_no_sense_gets_one_line(words: list[str], complaint: str, capsys: pytest.CaptureFixture[str],
                                           monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.workers.CONNECT_SECONDS", 1.0)
    assert complaint in refused(capsys, *words)
