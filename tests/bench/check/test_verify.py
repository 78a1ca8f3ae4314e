"""`kingmaker verify`: files that are not PGN, and results that neither the position nor the PGN's text supports."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

import variants
from bench.__main__ import main
from bench.check import verify
from bench.match.claims import read_claim
from bench.match.pgn import game_text
from bench.match.records import End, GameRecord, Ply
from bench.match.store import Store
from engine.rules import Rules

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
OPEN = "1. e4 e5 2. Nf3"
MATE = "1. f3 e5 2. g4 Qh4#"
LOYD = "1. e3 a5 2. Qh5 Ra6 3. Qxa5 h5 4. Qxc7 Rah6 5. h4 f6 6. Qxd7+ Kf7 7. Qxb7 Qd3 8. Qxb8 Qh7 9. Qxc8 Kg6 10. Qe6"
THREE = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8"


def looked_at(folder: Path, capsys: pytest.CaptureFixture[str], text: str) -> tuple[int, list[str]]:
    """The exit status and the troubles of a PGN."""
    path = folder / "g.pgn"
    path.write_text(text, encoding="utf-8")
    status = main(["verify", str(path)])
    said = capsys.readouterr()
    assert not said.err, said.err
    return status, [line for line in said.out.splitlines() if line.startswith("game ")]


# What is not PGN.


@pytest.mark.parametrize("data", [
    b"root:x:0:0:root:/root:/bin/bash\n" * 30, b"\x7fELF\0\1\2" * 99, b"{\"a\": [1, 2]}\n", b"# Pawns\n\nThe one on a4.\n",
    b"import os\nprint('1-0')\n", b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n", b"$ a!! b1r? ((\n", b"1-0\n"])
def test_a_file_without_a_game_is_refused_by_name(data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    assert main(["verify", str(path)]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(f"kingmaker verify: {path}") and "not PGN" in said.err and said.err.count("\n") == 1
    assert not said.out
    book = ["match", "-engine", "cmd=a", "-engine", "cmd=b", "-each", "tc=1", "-results", str(tmp_path / "r")]
    assert main([*book, "-openings", f"file={path}", "format=pgn"]) == 2
    assert "not PGN" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "\n\n", "; a comment\n% another\n"])
def test_a_file_with_nothing_in_it(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "g.pgn").write_text(text)
    assert main(["verify", str(tmp_path / "g.pgn")]) == 2
    assert capsys.readouterr().err == f"kingmaker verify: {tmp_path}/g.pgn has no games\n"


def test_rubbish_behind_a_game_is_not_passed_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.pgn"
    path.write_text(f"{MATE} 0-1\n\nroot:x:0:0:\n")
    assert main(["verify", str(path)]) == 2
    assert capsys.readouterr().err == f"kingmaker verify: {path}, game 2: not PGN\n"
    path.write_text(f"{MATE} 0-1\n\n[Variant \"Xiangqi\"]\n\n1. e4 *\n")
    assert main(["verify", str(path)]) == 2
    assert f"{path}, game 2: " in capsys.readouterr().err


def test_a_damaged_file_of_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "r.sqlite"
    store = Store.create(path)
    store.begin([("a", "a", "uci", {}), ("b", "b", "uci", {})], {"variant": "chess"})
    for number in range(1, 40):
        store.add(GameRecord(number, 1, 1, "a", "b", "chess", START, "1-0", End.RESIGNATION, "x" * 999, final_fen=START))
    store.close()
    data = path.read_bytes()
    path.write_bytes(data[:len(data) // 2] + b"\xa5" * 2000)
    assert main(["verify", str(path)]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(f"kingmaker verify: {path} is not a ") and said.err.count("\n") == 1


# Games of other programs: tags, moves and the comment behind them, and what is wrong.


TOLD = [
    # Cute Chess: src/pgngame.cpp, src/board/result.cpp
    ('[Termination "adjudication"]', f"{OPEN} {{+9.00/20 1.2s, White wins by adjudication}} 1-0", ""),
    ('[Termination "adjudication"]', f"{OPEN} {{Draw by adjudication: SyzygyTB}} 1/2-1/2", ""),
    ('[Termination "time forfeit"]', f"{OPEN} {{Black loses on time}} 1-0", ""),
    ('[Termination "abandoned"]', f"{OPEN} {{Black disconnects}} 1-0", ""),
    ('[Termination "stalled connection"]', f"{OPEN} {{Black's connection stalls}} 1-0", ""),
    ('[Termination "illegal move"]', f"{OPEN} {{Black makes an illegal move: e1e5}} 1-0", ""),
    ('[Termination "unterminated"]', f"{OPEN} {{No result}} *", ""),
    ("", f"{OPEN} {{Black resigns}} 1-0", ""),
    ("", f"{OPEN} {{Draw by agreement}} 1/2-1/2", ""),
    ("", f"{MATE} {{-M1/5 0.01s, Black mates}} 0-1", ""),
    ("", f"{THREE} {{Draw by 3-fold repetition}} 1/2-1/2", ""),
    ("", f"{LOYD} {{Draw by stalemate}} 1/2-1/2", ""),
    # fastchess: src/game/pgn/pgn_builder.cpp: the illegal move, and the one that came too late, are among the moves
    ('[Termination "illegal move"]', f"{OPEN} e1e5 {{0.00/0 0.000s, Black makes an illegal move}} 1-0", ""),
    ('[Termination "time forfeit"]', f"{MATE} {{-M1/5 9s, Black loses on time}} 1-0", ""),
    ('[Termination "normal"]', f"{MATE} {{0.00/0 0s, Black mates}} 0-1", ""),
    # XBoard: the comment stands before the result
    ("", f"{MATE}\n{{Xboard adjudication: Checkmate}} 0-1", ""),
    ("", f"{OPEN}\n{{Black forfeits on time}} 1-0", ""),
    ("", f"{OPEN}\n{{Black resigns}} 1-0", ""),
    # chess.com
    ('[Termination "alice won by resignation"]', f"{OPEN} 1-0", ""),
    # nothing is claimed, or the position says it all
    ("", f"{OPEN} *", ""),
    ("", f"{MATE} 0-1", ""),
    ("", f"{LOYD} 1/2-1/2", ""),
    ("", f"{THREE} 1/2-1/2", ""),
    ("", f"{THREE} 5. e4 {{Black resigns}} 1-0", ""),  # nobody had to claim the draw
    # what does not agree
    ("", "1. e4 e5 1-0", "1-0, but the game is not over, and neither Termination nor the last comment says why it ended"),
    ("", "1. e4 e5 1/2-1/2", "1/2-1/2, but the game is not over, and neither"),
    ('[Termination "normal"]', f"{OPEN} {{+0.12/9 0.5s}} 0-1", "0-1, but the game is not over, and neither"),
    ("", f"{THREE} 1-0", "1-0, but the game is not over, and neither"),
    ("", f"{MATE} 1-0", "is 0-1 by checkmate, not 1-0"),
    ("", f"{MATE} {{White resigns}} 1-0", "is 0-1 by checkmate, not 1-0"),
    ("", f"{MATE} *", "is 0-1 by checkmate, not *"),
    ("", f"{LOYD} {{White wins by adjudication}} 1-0", "is 1/2-1/2 by stalemate, not 1-0"),
    ("", f"{OPEN} {{White mates}} 1-0", "1-0 by checkmate (White mates), but the game is not over"),
    ("", f"{OPEN}\n{{Xboard adjudication: Checkmate}} 1-0", "but the game is not over"),
    ("", f"{OPEN} {{Draw by 3-fold repetition}} 1/2-1/2", "1/2-1/2 by repetition (Draw by 3-fold repetition), but the game"),
    ("", f"{OPEN} {{Draw by fifty moves rule}} 1/2-1/2", "1/2-1/2 by 50 moves"),
    ("", f"{OPEN} {{Draw by insufficient mating material}} 1/2-1/2", "1/2-1/2 by insufficient material"),
    ("", f"{OPEN} {{White resigns}} 1-0", "1-0, but White resigns is 0-1"),
    ('[Termination "time forfeit"]', f"{OPEN} {{Black loses on time}} 0-1", "0-1, but time forfeit Black loses on time is 1-0"),
    ("", f"{OPEN} {{resignation}} 1/2-1/2", "1/2-1/2 by resignation (resignation), which is 1-0 or 0-1"),
    ("", f"{OPEN} {{Draw by agreement}} 1-0", "1-0 by draw agreed (Draw by agreement), which is 1/2-1/2"),
    ('[Termination "unterminated"]', f"{OPEN} 1-0", "1-0 by void (unterminated), which is *"),
    ("", f"{MATE} 3. e4 {{White resigns}} 0-1", "illegal san: 'e4'"),
    ("", OPEN, "no result after the moves: the game is cut off"),
    ('[Result "1-0"]', f"{OPEN} {{White resigns}} 0-1", "the result is 1-0 in the tag, 0-1 after the moves"),
]


@pytest.mark.parametrize(("tags", "moves", "wrong"), TOLD)
def test_what_a_pgn_claims(tags: str, moves: str, wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = moves.split()[-1]
    if "Result" not in tags:
        tags += f'\n[Result "{result if result in ("1-0", "0-1", "1/2-1/2") else "*"}"]'
    status, troubles = looked_at(tmp_path, capsys, f'[White "a"]\n[Black "b"]\n{tags}\n\n{moves}\n'.replace("\n\n[", "\n["))
    assert status == bool(wrong) and len(troubles) == bool(wrong), troubles
    assert not wrong or troubles[0].startswith(f"game 1 (a - b): {wrong}") or wrong in troubles[0], troubles


def test_a_game_behind_a_wrong_one_is_looked_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, troubles = looked_at(tmp_path, capsys, f"[Round \"1\"]\n\n1. e5 *\n\n{MATE} 0-1\n\n{MATE} 1-0\n")
    assert status == 1 and [trouble[:6] for trouble in troubles] == ["game 1", "game 3"]


def test_variants_end_in_their_own_ways(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tags = '[Variant "Atomic"]\n[SetUp "1"]\n[FEN "4k3/4p3/8/8/8/8/4Q3/4K3 w - - 0 1"]\n[Result "{}"]\n\n1. Qxe7 {}\n'
    assert looked_at(tmp_path, capsys, tags.format("1-0", "1-0")) == (0, [])
    assert looked_at(tmp_path, capsys, tags.format("0-1", "0-1"))[1] == ["game 1 (? - ?): is 1-0 by explosion, not 0-1"]


@pytest.mark.parametrize(("variant", "fen", "moves", "result", "reason"), [
    ("KingOfTheHill", "", "1. e3 a6 2. Ke2 a5 3. Kf3 a4 4. Ke4", "1-0", "goal"),
    ("Racing Kings", "8/K7/8/8/8/8/8/7k w - - 0 1", "1. Kb8", "1-0", "goal"),
    ("Racing Kings", "8/K6k/8/8/8/8/8/8 w - - 0 1", "1. Kb8 Kh8", "1/2-1/2", "goal"),
    ("Three-check", "", "1. e4 e5 2. Bc4 a6 3. Bxf7+ Kxf7 4. Qh5+ g6 5. Qxg6+", "1-0", "check limit"),
    ("Horde", "4k3/8/8/8/8/8/8/r6P b - - 0 1", "1... Rxh1", "0-1", "extinction"),
    ("Antichess", "8/8/8/8/8/1p6/P7/8 w - - 0 1", "1. axb3", "0-1", "stalemate"),
    ("Antichess", "8/8/8/p7/8/P7/8/8 w - - 0 1", "1. a4", "0-1", "stalemate"),
    ("Crazyhouse", "6rk/6pp/8/8/8/8/8/6K1[N] w - - 0 1", "1. N@f7#", "1-0", "checkmate")])
def test_further_games_end_in_their_own_ways(variant: str, fen: str, moves: str, result: str, reason: str, tmp_path: Path,
                                             capsys: pytest.CaptureFixture[str]) -> None:
    setup = f'[SetUp "1"]\n[FEN "{fen}"]\n' if fen else ""
    text = f'[Variant "{variant}"]\n{setup}[Result "{{}}"]\n\n{moves} {{}}\n'
    assert looked_at(tmp_path, capsys, text.format(result, result)) == (0, [])
    other = "0-1" if result == "1-0" else "1-0"
    wrong = f"game 1 (? - ?): is {result} by {reason}, not {other}"
    assert looked_at(tmp_path, capsys, text.format(other, other))[1] == [wrong]


@pytest.mark.parametrize(("traits", "fen", "moves", "end"), [
    ({}, "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "", None),
    ({"material_draws": True}, "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "", End.MATERIAL),
    ({}, START, "g1f3 g8f6 f3g1 f6g8", None),
    ({}, START, "g1f3 g8f6 f3g1 f6g8 " * 2, End.REPETITION),
    ({"repetitions": 0}, START, "g1f3 g8f6 f3g1 f6g8 " * 2, None)])
def test_draws_are_those_of_the_game(traits: dict[str, int], fen: str, moves: str, end: End | None,
                                     monkeypatch: pytest.MonkeyPatch) -> None:
    rules = Rules(name="drawn", source="this test", board="chess.Board", **traits)  # type: ignore[arg-type]
    monkeypatch.setattr(variants, "find", lambda name: rules)
    board = chess.Board(fen)
    for move in moves.split():
        board.push_uci(move)
    found = verify.end_of(board)
    assert (found and found[0]) is end


def test_words_of_an_end() -> None:
    assert read_claim("", "") == (None, None, "") and read_claim("", "+0.10/12 0.50s")[:2] == (None, None)
    assert read_claim("", "stagnates")[0] is None and read_claim("adjudication", "Black wins by adjudication")[:2] == (
        End.RESIGN_RULE, "0-1")


# Our own games.


def own(result: str, reason: End, moves: str = "e2e4 e7e5", **more: object) -> GameRecord:
    """A game of chess as the referee would record it."""
    import chess

    record, board = GameRecord(1, 1, 1, "a", "b", "chess", START, result, reason, **more), chess.Board()  # type: ignore[arg-type]
    for move in moves.split():
        record.plies.append(Ply(move, board.san(board.parse_uci(move))))
        board.push_uci(move)
    record.final_fen = board.fen()
    return record


@pytest.mark.parametrize(("record", "wrong"), [
    (own("1-0", End.RESIGNATION), ""), (own("1/2-1/2", End.DRAW_RULE), ""), (own("*", End.VOID), ""),
    (own("0-1", End.TIME), ""), (own("1-0", End.CRASH), ""), (own("0-1", End.TIME, fault=0), ""),
    (own("0-1", End.CHECKMATE, "f2f3 e7e5 g2g4 d8h4"), ""),
    (own("1/2-1/2", End.RESIGNATION), "1/2-1/2 by resignation, which is 1-0 or 0-1"),
    (own("1-0", End.MOVE_LIMIT), "1-0 by move limit, which is 1/2-1/2"),
    (own("1-0", End.AGREED), "1-0 by draw agreed, which is 1/2-1/2"),
    (own("*", End.RESIGN_RULE), "* by resign rule, which is 1-0 or 0-1"),
    (own("1-0", End.VOID), "1-0 by void, which is *"),
    (own("1-0", End.TIME), "1-0 by time of Black, who was not to move"),
    (own("0-1", End.ILLEGAL, "e2e4"), "0-1 by illegal move of White, who was not to move"),
    (own("1-0", End.CHECKMATE), "checkmate at the end of a game that is not over"),
    (own("1-0", End.CRASH, fault=0), "1-0 though White is at fault"),
])
def test_results_and_reasons_of_our_own(record: GameRecord, wrong: str, tmp_path: Path,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    assert list(verify.look(record)) == ([wrong] if wrong else [])
    if record.fault is None:  # a PGN does not record it
        text = game_text(record)
        status, troubles = looked_at(tmp_path, capsys, text)
        assert status == bool(wrong) and troubles == ([f"game 1 (a - b): {wrong}"] if wrong else [])
        tampered = text.replace('[Termination "', '[Termination "emergency ')
        assert "game 1 (a - b): Termination is emergency " in looked_at(tmp_path, capsys, tampered)[1][0]


def test_a_single_move(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.pgn"
    path.write_text('[Result "*"]\n\n1. e4 *\n')
    assert main(["verify", str(path)]) == 0
    assert capsys.readouterr().out.startswith("1 game, 1 move checked with python-chess Boards: all agree\n")
