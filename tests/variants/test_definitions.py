"""Games defined in text files: what is understood, what is refused, and that nonsense is never worse than a clear line."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import variants
from bench.__main__ import main
from bench.check.definitions import drawings, random_game
from engine.errors import OptionError, RulesError
from engine.rules.numba_type import type_of
from support.mutated_games import EXAMPLES, SECTIONS, mutated
from support.places import ROOT
from support.talk import Inside
from variants.boards.declared import declared_board
from variants.ini import Definition, read_definitions
from variants.ini.reader import BASES

FUZZ = 300


def read(folder: Path, text: str, name: str = "games.ini") -> list[Definition]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_definitions(path)


def test_the_page_has_three_examples() -> None:
    assert len(EXAMPLES) == 3


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_are_understood(text: str, tmp_path: Path) -> None:
    (found,) = read(tmp_path, text)
    assert found.error == ""
    assert found.rules is not None
    board = declared_board(found.rules)()
    assert board.legal_moves.count() > 5
    assert board.fen() == found.rules.start_fen or found.rules.title_order


DROPS_WITHOUT_CHECKS = "[quiet-house:crazyhouse]\nchecking = false\n"


@pytest.mark.parametrize("text", [
    pytest.param(text, marks=() if "titleOrder" in text else [pytest.mark.long]) for text in [*EXAMPLES, DROPS_WITHOUT_CHECKS]])
def test_examples_agree_with_their_boards(text: str, tmp_path: Path, dice: random.Random) -> None:
    (found,) = read(tmp_path, text)
    assert found.rules is not None
    for _ in range(2):
        assert random_game(found.rules, declared_board(found.rules), dice) > 5


@pytest.mark.parametrize("base", ["chess", "atomic", "nocheckatomic"])
def test_equal_rules_share_their_code(base: str, tmp_path: Path) -> None:
    """Another array, or a key with the value it had, is no reason to compile."""
    array = "startFen = rbnqknbr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKNBR w KQkq - 0 1"
    same = "nMoveRule = 50\npromotionPieceTypes = rbnq\ncastlingKingsideFile = g\ndoubleStepRegionBlack = *7"
    here, there = read(tmp_path, f"[mine:{base}]\n{array}\n{same}\n[other:{base}]\npromotionPieceTypes = rq\n")
    assert here.rules is not None and type_of(here.rules) == type_of(variants.find(base))
    assert there.rules is not None and type_of(there.rules) != type_of(here.rules)


def test_all_bases_are_games() -> None:
    found = read_definitions(BASES)
    assert len(found) >= 13
    assert not [each.error for each in found if each.error]


@pytest.mark.parametrize(("text", "line", "part"), [
    ("[a:chess]\nnoSuchKey = 1", 2, "unknown key 'noSuchKey'"),
    ("[a:nobody]\nking = k", 1, "'nobody' is not known"),
    ("[a:chess]\n\n# no\nmaxRank = 9", 4, "from 5 to 8"),
    ("[a:chess]\ncustomPiece1 = x:N?", 2, "cannot read '?'"),
    ("[a:chess]\ncustomPiece1 = xy:N", 2, "'xy' is not one letter"),
    ("[a:chess]\ncustomPiece99 = x:N", 2, "unknown key 'customPiece99'"),
    ("[a:chess]\nwallingRule = duck", 2, "wallingRule = duck: this rule is not known"),
    ("[a:chess]\npromotedPieceType = p:g", 2, "promotedPieceType"),
    ("[a:chess]\ncastling = perhaps", 2, "neither true nor false"),
    ("[a:chess]\nstalemateValue = maybe", 2, "none of draw, loss, win"),
    ("[a:chess]\nflagRegion = z9", 2, "'z9' is neither a square"),
    ("[a:chess]\nflagPiece = x\nflagRegion = e4", 2, "no piece 'x'"),
    ("[a:chess]\nstartFen = 8/8 w", 2, "2 ranks on a board of 8"),
    ("[a:chess]\nstartFen = 8/8/8/8/x7/8/8/8 w", 2, "no piece 'x'"),
    ("[a:chess]\nstartFen = 9/8/8/8/8/8/8/8 w", 2, "no piece '9'"),
    ("[a:chess]\nmobilityRegionWhiteKing = d1", 2, "bound to a region"),
    ("[a:chess]\npieceValueMg = p:lots", 2, "'p:lots' is not a value"),
    ("[a:chess]\njust words", 2, "is not 'key = value'"),
    ("[a:chess]\ncapturesToHand = true", 2, "without pieceDrops"),
    ("[a:chess]\nextinctionValue = draw\nextinctionPieceTypes = q", 2, "wins or loses"),
    ("[a:chess]\nnFoldRule = 4", 1, "neither 3 nor 0"),
    ("[a:chess]\nimmobile = i", 2, "the piece 'immobile' is not known"),
    ("[a b]\nking = k", 1, "'a b' is not a name"), ("[a:chess", 1, "does not end in ']'"),
    ("[a:chess]\ndrivenKing = Q\ncastling = false", 1, "only leaps"),
    ("[a]\nking = -\npawn = p\nstartFen = 8/pppppppp/8/8/8/8/PPPPPPPP/8 w - - 0 1", 1, "no royal piece")])
def test_what_is_not_understood_is_named(text: str, line: int, part: str, tmp_path: Path) -> None:
    found = read(tmp_path, text + "\n[good:chess]\n")
    assert found[0].rules is None
    assert found[0].error.startswith(f"line {line}: ") and part in found[0].error, found[0].error
    assert "\n" not in found[0].error
    assert found[-1].rules is not None


def test_a_section_of_a_refused_one_is_refused(tmp_path: Path) -> None:
    _, second = read(tmp_path, "[a:chess]\nwallingRule = duck\n[b:a]\n")
    assert second.rules is None and "refused itself" in second.error


@pytest.mark.parametrize(("raw", "part"), [
    (b"", "no section"), (b"king = k\n[a:chess]", "before the first section"), (b"\xff\xfe[a]", "UTF-8")])
def test_files_that_are_none(raw: bytes, part: str, tmp_path: Path) -> None:
    path = tmp_path / "x.ini"
    path.write_bytes(raw)
    with pytest.raises(RulesError, match=part):
        read_definitions(path)
    with pytest.raises(RulesError, match="cannot read"):
        read_definitions(tmp_path / "nothing.ini")


def test_defined_games_are_found_by_name(tmp_path: Path, own_registry: None) -> None:
    path = tmp_path / "g.ini"
    path.write_text("[my-game:chess]\nstartFen = rbnqknbr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKNBR w KQkq - 0 1\n[atomic:chess]\n")
    first, second = variants.define(str(path))
    assert first.rules is variants.find("my-game") is variants.find("MyGame")
    assert "my-game" in variants.playable() and "my-game" not in variants.names()
    assert second.rules is None and "is taken" in second.error
    with pytest.raises(OptionError, match="unknown variant"):
        variants.find("your-game")


def test_uci_takes_a_file(uci: Inside, tmp_path: Path, own_registry: None) -> None:
    path = tmp_path / "g.ini"
    path.write_text("[plain-start:chess]\n[bad:chess]\nwallingRule = duck\n")
    uci.send(f"setoption name VariantPath value {path}", "setoption name UCI_Variant value plain-start")
    said = "\n".join(uci.until("info string variant plain-start files 8 .*"))
    assert "1 of 2 games read" in said and "bad is refused: line 3: wallingRule = duck" in said
    uci.send(f"setoption name VariantPath value {tmp_path / 'none.ini'}")
    uci.until("info string .*cannot read definitions from .*none.ini.*")


def test_check_variant_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str], own_registry: None) -> None:
    path = tmp_path / "g.ini"
    path.write_text(EXAMPLES[2] + "[bad:chess]\nwallingRule = duck\n")
    assert main(["check-variant", str(path), "--games", "0"]) == 1
    out = capsys.readouterr().out
    assert "gryphon-race\t" in out and "goal" in out and "refused: line" in out
    assert main(["check-variant", str(path), "gryphon-race", "--games", "0"]) == 0
    assert "G t[FR]\n. . . o . o . ." in capsys.readouterr().out
    path.write_text("[chess-again:chess]\n")
    for games, said in (("1", "1 random game agree"), ("2", "2 random games agree")):
        assert main(["check-variant", str(path), "--games", games, "--depth", "1"]) == 0
        assert f" positions of {said} with the Board" in capsys.readouterr().out


def test_drawings() -> None:
    drawn = drawings(variants.find("madness-6x6")).split("\n\n")
    assert drawn[0].splitlines() == [
        "N N", ". . o . o .", ". o . . . o", ". . . N . .", ". o . . . o", ". . o . o .", ". . . . . ."]


@pytest.mark.parametrize("count", [FUZZ, pytest.param(10_000, marks=[pytest.mark.long, pytest.mark.timeout(7200)])])
def test_nonsense_gives_a_clear_line(count: int, tmp_path: Path, dice: random.Random) -> None:
    refused = understood = 0
    for _ in range(count):
        text = mutated("\n".join(dice.sample(SECTIONS, 2)), dice)
        try:
            found = read(tmp_path, text)
        except RulesError as error:
            assert str(error) and "\n" not in str(error)
            refused += 1
            continue
        for each in found:
            assert (each.rules is None) == bool(each.error) and "\n" not in each.error
            understood += each.rules is not None
            refused += each.rules is None
    assert refused > count // 5 and understood > count // 20


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_mutated_games_agree_with_their_boards(tmp_path: Path) -> None:
    """In a process and a cache of their own: each game is compiled, and a crash must not look like a pass."""
    seconds = os.environ.get("KINGMAKER_FUZZ_SECONDS", "240")
    places = {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}", "KINGMAKER_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-m", "support.mutated_games", seconds], cwd=ROOT, text=True, capture_output=True,
                          timeout=float(seconds) + 600, check=False, env={**os.environ, **places})
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    assert int(done.stdout.splitlines()[-1].split()[0]) >= min(3, float(seconds) // 60), done.stdout


def test_the_environment_names_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_registry: None) -> None:
    path = tmp_path / "g.ini"
    path.write_text("[from-outside:chess]\n")
    monkeypatch.setenv(variants.DEFINITIONS, f"{path}{os.pathsep}")
    variants._defined.cache_clear()
    assert "from-outside" in variants.playable()
    monkeypatch.undo()
    variants._defined.cache_clear()
    assert "from-outside" not in variants.playable()


def test_packages_add_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "some_games-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-games\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[kingmaker.variants]\npackaged = some_games:RULES\n")
    (tmp_path / "some_games.py").write_text(
        "from engine.rules import Rules\nRULES = Rules(name='packaged', source='a package', goal='d4/d5')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    variants._packaged.cache_clear()
    try:
        assert "packaged" in variants.playable()
        assert variants.find("packaged").goal == "d4/d5"
    finally:
        monkeypatch.undo()
        variants._packaged.cache_clear()
        variants._load.cache_clear()
    assert "packaged" not in variants.playable()
