"""Files for results are checked before the work: what cannot be written is refused at once, and nothing is left behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import bench.run
from bench.__main__ import main
from bench.openings import book, puzzles
from bench.outputs import check_writable
from bench.study import command as study
from engine.errors import CommandError


def test_what_can_be_written_stays_as_it_was(tmp_path: Path) -> None:
    kept, new = tmp_path / "kept", tmp_path / "folder" / "new"
    kept.write_text("text")
    check_writable(kept, new, Path(os.devnull))
    assert kept.read_text() == "text" and not new.exists() and new.parent.is_dir()


@pytest.mark.parametrize(("path", "why"), [
    ("", "it is a folder"), ("file/x", "Not a directory"), ("x" * 300, "File name too long"),
])
def test_what_cannot_be_written_is_named(tmp_path: Path, path: str, why: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match=f"^cannot write '.*{path}': {why}$"):
        check_writable(tmp_path / path)


@pytest.mark.parametrize(("words", "said"), [
    (["run", "--pgn", "FOLDER"], "cannot write 'FOLDER': it is a folder"),
    (["openings", "atomic", "-o", "FOLDER"], "cannot write 'FOLDER': it is a folder"),
    (["puzzles", "atomic", "GAMES", "-o", "FOLDER"], "cannot write 'FOLDER': it is a folder"),
    (["endings", "chess", "KQvK", "-o", "FOLDER"], "cannot write 'FOLDER': it is a folder"),
    (["study", "atomic", "-o", "x", "--page", "GAMES"], "--page 'GAMES' has no block <!-- atomic: tables -->"),
])
def test_commands_look_before_they_work(tmp_path: Path, words: list[str], said: str, monkeypatch: pytest.MonkeyPatch,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    for module, work in ((bench.run, "prepare"), (book, "make_book"), (puzzles, "mine"), (study, "play")):
        monkeypatch.setattr(module, work, lambda *_: pytest.fail("the work has begun"))
    monkeypatch.chdir(tmp_path)
    Path("FOLDER").mkdir()
    Path("GAMES").touch()
    assert main(words) == 2
    assert capsys.readouterr().err == f"kingmaker {words[0]}: {said}\n"
    assert {path.name for path in tmp_path.iterdir()} == {"FOLDER", "GAMES"}
