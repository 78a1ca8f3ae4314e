"""The documentation is true: examples of docs/variants/ are played, pictures drawn again, the README's Python is run."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path
from typing import NamedTuple

import chess
import chess.variant
import pytest

import variants
from bench.__main__ import main
from bench.report.pictures import draw, pictured, position
from engine.errors import FenError, MoveError
from engine.game import Game
from engine.protocol.xboard.faces import faces
from engine.rules import Picture
from support.places import ROOT
from variants.boards import StatefulBoard
from variants.further import GAMES, PICTURED

PAGE = (ROOT / "docs" / "variants.md").read_text(encoding="utf-8")
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "variants").glob("*.md"))}  # by game


class Example(NamedTuple):
    """A fenced block: the page, the line at which the block starts there, and its text, one directive per line."""

    page: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.page} line {self.line}"


def fenced(page: str, text: str, language: str) -> list[Example]:
    """The fenced blocks of a language in the Markdown text of a page."""
    blocks = re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Example(page, text.count("\n", 0, block.start(1)) + 1, block[1]) for block in blocks]


def with_examples() -> list[Path]:
    """The modules whose docstrings have examples."""
    files = [path for folder in ("engine", "search", "variants", "bench") for path in sorted((ROOT / folder).rglob("*.py"))]
    return [path for path in files if ">>>" in path.read_text(encoding="utf-8")]


class Check:
    """Plays an example with the compiled rules and with the Board, side by side."""

    def __init__(self, variant: str, fen: str | None = None) -> None:
        self.game = Game(variant, fen)
        self.board: chess.Board = self.game.rules.board(fen or self.game.rules.start_fen)
        self.agree()

    def agree(self) -> None:
        moves = sorted(self.game.legal_moves())
        assert moves == sorted(map(self.board.uci, self.board.legal_moves)), self.game.fen()
        assert self.game.fen() == self.board.fen()
        assert self.game.in_check() == self.board.is_check()
        outcome = self.game.outcome()
        if isinstance(self.board, StatefulBoard):
            assert self.board.end_reason() == (outcome.reason.value if outcome else None)
        assert self.board.result() == self.game.result()

    def moves(self, text: str) -> None:
        for move in text.split():
            assert move in self.game.legal_moves(), f"{move} in {self.game.fen()}"
            self.game.push(move)
            self.board.push_uci(move)
            self.agree()

    def legal(self, text: str) -> None:
        assert not set(text.split()) - set(self.game.legal_moves()), self.game.fen()

    def only(self, text: str) -> None:
        assert sorted(text.split()) == sorted(self.game.legal_moves()), self.game.fen()

    def illegal(self, text: str) -> None:
        for move in text.split():
            with pytest.raises(MoveError):
                self.game.parse(move)
            with pytest.raises(ValueError, match="illegal"):
                self.board.parse_uci(move)

    def san(self, text: str) -> None:
        """`san d1h5 Qh5`: how a move is written, and that it is read as that move."""
        move, san = text.split()
        assert self.board.san(self.board.parse_uci(move)) == san
        self.reads(f"{san} {move}")

    def reads(self, text: str) -> None:
        """`reads Qd1++(Ke1--) K@d1`: SAN that is understood."""
        san, move = text.split()
        assert self.board.uci(self.board.parse_san(san)) == move

    def same(self, text: str) -> None:
        """`same d1d1 K@d1`: UCI that is understood."""
        other, move = text.split()
        assert self.game.text(self.game.parse(other)) == move == self.board.uci(self.board.parse_uci(other))

    def becomes(self, text: str) -> None:
        assert self.game.fen() == text

    def check(self, text: str) -> None:
        assert self.game.in_check() == {"yes": True, "no": False}[text]

    def result(self, text: str) -> None:
        outcome = self.game.outcome()
        assert text == (f"{outcome.result} {outcome.reason.value}" if outcome else "*"), self.game.fen()

    def refused(self, text: str) -> None:
        with pytest.raises(FenError):
            Game(self.game.rules, text)
        with pytest.raises(ValueError, match=r"\w"):
            self.game.rules.board(text)


DIRECTIVES = ("moves", "legal", "only", "illegal", "san", "reads", "same", "becomes", "check", "result", "refused")


@pytest.mark.parametrize("example", [each for name, page in PAGES.items() for each in fenced(name, page, "kingmaker")], ids=str)
def test_example(example: Example) -> None:
    lines = [line.split(" ", 1) for line in example.text.splitlines()]
    assert lines[0][0] == "variant"
    has_fen = lines[1][0] == "fen"
    check = Check(lines[0][1], lines[1][1] if has_fen else None)
    for word, text in lines[1 + has_fen:]:
        assert word in DIRECTIVES, f"unknown directive {word!r}"
        getattr(check, word)(text)


@pytest.mark.parametrize("name", variants.names())
def test_every_game_has_its_page(name: str) -> None:
    page = PAGES[name]
    assert page.startswith(f"# {name}\n")
    assert f"](../pictures/{name}.svg)" in page
    assert f"variant {name}\n" in page
    for word in ("Rules", "FEN", "Moves", "he end", "here to play"):
        assert word in page
    assert f"[`{name}`](variants/{name}.md)" in PAGE


def test_no_other_game_has_a_page() -> None:
    assert set(PAGES) == set(variants.names())
    assert all(variants.find(name).picture != Picture() for name in variants.names())


@pytest.mark.parametrize("name", variants.names())
def test_start_positions_of_the_page(name: str) -> None:
    """If a page gives the start position in its text, it is that of the rules."""
    for fen in re.findall(r"The start is `([^`]+)`", PAGES[name]):
        assert fen == variants.find(name).start_fen


@pytest.mark.parametrize("name", pictured())
def test_picture_is_what_the_code_draws(name: str) -> None:
    path = ROOT / "docs" / "pictures" / f"{name}.svg"
    assert path.read_text(encoding="utf-8") == draw(name), "run kingmaker pictures"
    assert path.stat().st_size < 60_000


def test_pictures_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pictures", "-o", str(tmp_path / "new" / "folder")]) == 0
    drawn = sorted(path.name for path in (tmp_path / "new" / "folder").iterdir())
    assert drawn == sorted(f"{name}.svg" for name in pictured())
    assert len(capsys.readouterr().out.splitlines()) == len(drawn)


@pytest.mark.parametrize("name", PICTURED)
def test_squares_lit_in_a_picture_are_where_the_piece_may_go(name: str) -> None:
    """The Board, which shares no code with the kernels, says so; the piece is the one in the middle of the lit squares."""
    rules = variants.find(name)
    lit = "".join(squares for squares, what in rules.picture.fill if what == "reach")
    if rules.goal:
        assert lit in rules.goal
        return
    if not lit:
        return
    board, wanted = position(rules, rules.picture), {lit[at:at + 2] for at in range(0, len(lit), 2)}
    reached: dict[str, set[str]] = {}
    for move in board.legal_moves:
        reached.setdefault(move.uci()[:2], set()).add(move.uci()[2:4])
    assert wanted in reached.values()


def test_every_further_game_has_a_picture_and_its_source_in_the_page() -> None:
    families = {"armies": "armies-ff-cc", "ataturk": "ataturk-ff-cc", "ascending": "ataturk-ff-cc", "tripunch": "tripunch"}
    for name in GAMES:
        shown = name if name in PICTURED else families[name.split("-")[0]]
        assert f"](pictures/{shown}.svg)" in PAGE, name
        assert variants.find(name).source in PAGE, name
    assert all(f"](pictures/{name}.svg)" in PAGE for name in PICTURED)


@pytest.mark.parametrize("name", ["variants", *(f"variants/{name}" for name in PAGES)])
def test_links_and_pictures_of_the_pages_exist(name: str) -> None:
    path = ROOT / "docs" / f"{name}.md"
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


def test_links_and_pictures_of_the_gui_page_exist() -> None:
    page = (ROOT / "docs" / "gui.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", page):
        assert (ROOT / "docs" / target).exists(), target
    assert {f"pictures/xboard-{name}.png" for name in variants.names()} <= set(re.findall(r"\]\(([^)]+png)\)", page))


def test_where_to_play() -> None:
    """The table's names are those XBoard is offered, and every game's Board can be had as the page says."""
    assert {*variants.names()} <= {face.variant for face in faces().values()}
    assert faces()["nocheck-blast"].variant == "nocheckatomic" and "`nocheck-blast`" in PAGES["nocheckatomic"]
    variants.register_boards()
    for name in variants.names():
        board = variants.find(name).board
        assert board.uci_variant == name
        if issubclass(board, StatefulBoard):
            assert chess.variant.find_variant(name) is board


@pytest.mark.parametrize("name", [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in with_examples()])
def test_docstrings_run(name: str) -> None:
    """Examples in docstrings do what they say."""
    tests = doctest.DocTestFinder().find(importlib.import_module(name))
    runner = doctest.DocTestRunner(verbose=False)
    report: list[str] = []
    assert sum(runner.run(test, out=report.append).attempted for test in tests), "no example was found"
    assert runner.failures == 0, "".join(report)


def test_readme_python_runs() -> None:
    """Blocks of Python with a prompt are run, one after another, in one namespace."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = [block for block in fenced("README.md", text, "python") if ">>>" in block.text]
    assert blocks
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner(verbose=False)
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(block.text, names, str(block), "README.md", block.line)
        report: list[str] = []
        assert runner.run(test, out=report.append, clear_globs=False).failed == 0, "".join(report)
        names = test.globs
