"""The files of a match: places that cannot be written, a full disk, a command line that contradicts the results."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.match import command as match
from bench.match.files import Files, new_files, stored_setup
from bench.match.pgn import PgnFile
from bench.match.records import End, GameRecord, Ply
from bench.match.setup import differences, read_setup
from bench.match.store import Store
from engine.errors import CommandError
from support.places import BAD, ROOT

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
ENGINES = [word for name in "ab" for word in ("-engine", f"cmd={sys.executable}", f"args={BAD} good", f"name={name}")]
WORDS = ["match", *ENGINES, "-each", "tc=60", "-maxmoves", "2"]


def begun(folder: Path, *more: str, finished: int = 0) -> Path:
    """The results of a match as the command would have begun it, with some games finished."""
    parser = ArgumentParser()
    match.add_arguments(parser)
    path = folder / "r.sqlite"
    with ExitStack() as held, ExitStack() as undo:
        files = new_files(parser.parse_args([*WORDS[1:], "-results", str(path), *more]), held, undo)
        undo.pop_all()
        for number in range(1, finished + 1):
            fixture = next(game for game in files.setup.schedule.fixtures(0) if game.number == number)
            names = [engine.name for engine in files.setup.engines]
            files.keep(GameRecord(number, 1, fixture.pair, names[fixture.white], names[fixture.black], "chess", START,
                                  "1/2-1/2", End.MOVE_LIMIT, final_fen=START, plies=[Ply("e2e4", "e4")]))
    return path


# Places that cannot be written.


closed = pytest.mark.skipif(os.geteuid() == 0, reason="no permission binds root")


@pytest.mark.parametrize(("place", "why"), [
    ("{}/file/r", "Not a directory"), ("{}/folder", "Is a directory"), ("/proc/kingmaker/r", ""),
    pytest.param("{}/closed/r", "Permission denied", marks=closed),
    pytest.param("{}/closed/new/r", "Permission denied", marks=closed)])
@pytest.mark.parametrize("option", ["-pgnout", "-results"])
def test_a_place_that_cannot_be_written(option: str, place: str, why: str, tmp_path: Path,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    """It is named, with the reason, and nothing is made that would be in the way of the corrected command."""
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "closed").mkdir(mode=0o555)
    before = sorted(tmp_path.rglob("*"))
    path, other = place.format(tmp_path), str(tmp_path / "new" / "other")
    words = [option, path, "-results" if option == "-pgnout" else "-pgnout", other]
    assert main([*WORDS, *words]) == 2
    said = f"cannot write {'games' if option == '-pgnout' else 'results'} to {path}: {why}"
    if option == "-results" and path.endswith("folder"):
        said = f"-results {path} is a folder"
    heard = capsys.readouterr().err
    assert heard.startswith(f"kingmaker match: {said}") and heard.count("\n") == 1, heard
    assert sorted(tmp_path.rglob("*")) == before


def test_one_place_for_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "r"
    assert main([*WORDS, "-results", str(path), "-pgnout", str(path)]) == 2
    assert capsys.readouterr().err == f"kingmaker match: -pgnout and -results are both {path}\n"
    assert not list(tmp_path.iterdir())


def test_games_to_a_device_and_behind_a_link(tmp_path: Path) -> None:
    """Something that is not a file is never replaced by one; of a link, the file behind it is rewritten."""
    null = PgnFile(Path(os.devnull))
    null.append("1. e4 *\n")
    null.complete(["1. e4 *\n"])
    assert Path(os.devnull).is_char_device() and not list(Path(os.devnull).parent.glob("null.new"))
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    pipe = PgnFile(fifo)
    pipe.append("1. e4 *\n")
    pipe.complete(["never"])
    assert os.read(reader, 100) == b"1. e4 *\n" and fifo.is_fifo()
    os.close(reader)
    (tmp_path / "real").write_text("old\n")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    PgnFile(tmp_path / "link").complete(["new\n"])
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "old\nnew\n"
    (tmp_path / "real").write_text("[Event ")
    PgnFile(tmp_path / "link").complete(["[Event new]\n"])
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "[Event new]\n"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640


def test_games_of_others_stay_in_a_shared_file(tmp_path: Path) -> None:
    """Two matches and another program append to one PGN; the matches are resumed after a half game of the first."""
    pgn, other = tmp_path / "all.pgn", '[Event "C"]\r\n\r\n1. e4 *\r\n\r\n'
    paths = {}
    for name, finished in (("A", 2), ("B", 2)):
        (tmp_path / name).mkdir()
        paths[name] = begun(tmp_path / name, "-games", "2", "-event", name, "-pgnout", str(pgn), finished=finished)
    a, b = pgn.read_text().split('[Event "B"]')[0], '[Event "B"]' + pgn.read_text().partition('[Event "B"]')[2]
    with pgn.open("a", newline="") as file:
        file.write(other)
    before = pgn.read_bytes()
    for name in "ABA":
        assert main(["match", "-resume", "-results", str(paths[name])]) == 0
        assert pgn.read_bytes() == before
    first, second = (f'[Event "A"]{game}' for game in a.split('[Event "A"]')[1:])
    pgn.write_bytes((first + b + other + second[:150]).encode())  # killed while it wrote
    assert main(["match", "-resume", "-results", str(paths["A"])]) == 0
    assert pgn.read_bytes() == (first + b + other + second).encode()
    pgn.write_bytes((b + "1. e4").encode())  # somebody's half game at the end
    assert main(["match", "-resume", "-results", str(paths["A"])]) == 0
    assert pgn.read_bytes() == (b + "1. e4\n\n" + first + second).encode()


def test_results_that_are_only_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is made beside them, and in a folder that is read-only they can be read all the same."""
    path = begun(tmp_path, "-games", "2", finished=2)
    before = sorted(tmp_path.iterdir())
    store = Store.open(path)
    assert len(list(store.games())) == 2
    assert sorted(tmp_path.iterdir()) == before
    store.close()
    assert sorted(tmp_path.iterdir()) == before and not list(tmp_path.glob("*-wal"))
    writer = Store.open(path, write=True)  # a match that is still running
    writer.keep({"event": "now"})
    store = Store.open(path)
    assert store.setting("event") == "now"
    store.close()
    writer.close()

    def refused(*_: object, **__: object) -> sqlite3.Connection:
        error = sqlite3.OperationalError("attempt to write a readonly database")
        error.sqlite_errorcode = sqlite3.SQLITE_READONLY_DIRECTORY
        raise error

    monkeypatch.setattr(sqlite3, "connect", refused)
    with pytest.raises(CommandError, match="cannot be used: attempt to write a readonly database"):
        Store.open(path)


# A match that goes on.


@pytest.mark.parametrize(("words", "said"), [
    (["-variant", "atomic"], "-variant atomic (it has chess)"),
    (["-variant", "chess960", "-maxmoves", "9"], "-variant chess960 (it has chess); -maxmoves 9 (it has 2)"),
    (["-games", "2"], "-games 2 (3 games are finished of a match with 6)"),
    (["-games", "3", "-rounds", "2", "-norepeat"], "-norepeat"),
    (["-tournament", "gauntlet"], "-tournament gauntlet (it has roundrobin)"),
    (["-sprt", "elo0=0", "elo1=5"], "-sprt"),
    (["-resign", "score=500"], "-resign"),
    (["-draw", "score=5"], "-draw"),
    (["-seed", "7"], "-seed 7 (it has 1)"),
    (["-event", "Cup"], "-event Cup (it has none)"),
    (["-pgnout", "/x.pgn"], "-pgnout /x.pgn (it has none)"),
    (["-openings", "file=book"], "-openings file=book (it has none)"),
    (["-engine", "cmd=sh", "name=a", "-engine", "cmd=sh", "name=c", "-each", "tc=60"], "-engine a, c (it has a, b)"),
    ([*ENGINES, "-each", "tc=60", "option.Hash=3"],
     "-engine name=a with another option; -engine name=b with another option"),
])
def test_what_contradicts_the_stored_match_is_refused_by_name(words: list[str], said: str, tmp_path: Path,
                                                              capsys: pytest.CaptureFixture[str]) -> None:
    path = begun(tmp_path, "-games", "6", finished=3)
    before = path.read_bytes()
    assert main(["match", "-resume", "-results", str(path), *words]) == 2
    assert capsys.readouterr().err == f"kingmaker match: -resume: the match in {path} has other settings than {said}\n"
    assert path.read_bytes() == before


def test_settings_alone_are_of_no_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = begun(tmp_path, "-games", "6", finished=3)
    assert main(["match", "-resume", "-results", str(path), "-each", "tc=5"]) == 2
    assert "-each without -engine" in capsys.readouterr().err


@pytest.mark.parametrize("words", [
    [], ["-games", "3"], [*WORDS[1:], "-games", "3"], ["-rounds", "1", "-games", "3", "-seed", "1"]])
def test_a_match_may_become_shorter(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Down to the games that are finished; then there is nothing left to play."""
    path = begun(tmp_path, "-games", "3" if not words else "6", "-pgnout", str(tmp_path / "r.pgn"), finished=3)
    (tmp_path / "r.pgn").write_text("half a ga")
    assert main(["match", "-resume", "-results", str(path), *words]) == 0
    assert "a: +0 =3 -0" in capsys.readouterr().out and (tmp_path / "r.pgn").read_text().count("[Event ") == 3
    assert main(["match", "-resume", "-results", str(path)]) == 0  # it is kept


def test_a_match_may_become_longer(tmp_path: Path) -> None:
    """Openings continue in the book where they stopped, and start again at its end."""
    book = tmp_path / "a book.epd"
    book.write_text("".join(f"{START.rsplit(' ', 1)[0]} {number}\n" for number in range(1, 6)))
    path = begun(tmp_path, "-rounds", "2", "-openings", f"file={book}", "order=random", "-seed", "3", finished=3)
    found = stored_setup(store := Store.open(path))
    store.close()
    parser = ArgumentParser()
    match.add_arguments(parser)
    for words in (["-rounds", "7"], ["-rounds", "7", "-openings", f"file={book}", "order=random", "-variant", "chess"]):
        setup = read_setup(parser.parse_args(words), found)
        assert not differences(found, setup, {1, 2, 3})
        assert setup.schedule.total == 14 and setup.book[:2] == found.book and len(setup.book) == 7
        assert setup.engines == found.engines and setup.book[5:] == setup.book[:2]
    book.write_text(f"{START.rsplit(' ', 1)[0]} 9\n")
    assert differences(found, read_setup(parser.parse_args(["-rounds", "7"]), found), {1, 2, 3}) == [
        f"-openings file={book} order=random (the book has other positions now)"]
    assert not differences(found, read_setup(parser.parse_args([]), found), {1, 2, 3})  # not compared


# A disk that fills up.


def play(folder: Path, *words: str, limit: int | None = None) -> subprocess.CompletedProcess[str]:
    """The command, no file growing beyond `limit` bytes."""
    def bound() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run([sys.executable, "-m", "bench", *words, "-results", str(folder / "r.sqlite")], cwd=ROOT, timeout=100,
                          capture_output=True, text=True, check=False, preexec_fn=bound)


def numbers(folder: Path) -> list[int]:
    connection = sqlite3.connect(folder / "r.sqlite")
    try:
        return [row[0] for row in connection.execute("SELECT number FROM games ORDER BY number")]
    finally:
        connection.close()


def test_no_room_for_the_results_at_all(tmp_path: Path) -> None:
    done = play(tmp_path / "new", *WORDS, "-pgnout", str(tmp_path / "r.pgn"), limit=10_000)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"kingmaker match: cannot write results to {tmp_path}/new/r.sqlite: ")
    assert not list(tmp_path.iterdir())


def test_a_full_disk_ends_a_match_that_goes_on_later(tmp_path: Path) -> None:
    """The file is named, what is finished is kept, and with room again the rest is played."""
    pgn = tmp_path / "r.pgn"
    words = ["-games", "4", "-pgnout", str(pgn)]
    pgn.write_text("; " + 99_000 * "x" + "\n\n")  # the first to reach the limit
    done = play(tmp_path, *WORDS, *words, limit=100_000)
    kept = numbers(tmp_path)
    assert done.returncode == 1 and 0 < len(kept) < 4
    assert done.stderr == (f"kingmaker match: {pgn}: File too large\nstopped after {len(kept)} of 4 games; "
                           f"to resume: kingmaker match -results {tmp_path}/r.sqlite --resume\n")
    done = play(tmp_path, "match", "-resume")
    assert done.returncode == 0 and numbers(tmp_path) == [1, 2, 3, 4], done.stderr
    assert pgn.read_text().count("[Event ") == 4 and pgn.read_text().startswith("; xxx")


def test_results_on_a_full_disk_are_named(tmp_path: Path) -> None:
    """SQLite says it in its own way."""
    store = Store.open(begun(tmp_path, "-games", "6", finished=1), write=True)
    store.db.execute("PRAGMA max_page_count = 1")
    record = GameRecord(2, 1, 1, "b", "a", "chess", START, "1-0", End.CRASH, plies=[Ply("e2e4", "x" * 100_000)])
    with pytest.raises(OSError, match="database or disk is full") as caught:
        Files(stored_setup(store), store, None).keep(record)
    assert caught.value.filename == str(store.path) and store.numbers() == {1}
    store.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_logs_on_a_full_disk_are_named(tmp_path: Path) -> None:
    store = Store.open(begun(tmp_path, "-games", "6", finished=1), write=True)
    log = tmp_path / "r.sqlite.logs" / "2-black.log"
    log.parent.mkdir()
    log.symlink_to("/dev/full")
    record = GameRecord(2, 1, 1, "b", "a", "chess", START, "1-0", End.CRASH, logs=("", "> go"))
    with pytest.raises(OSError, match="No space left on device") as caught:
        Files(stored_setup(store), store, None).keep(record)
    assert caught.value.filename == str(log) and store.numbers() == {1}
    store.close()


needs_root = pytest.mark.skipif(os.geteuid() != 0 or shutil.which("mount") is None, reason="mounts a file system")


@needs_root
@pytest.mark.long
def test_a_small_file_system(tmp_path: Path) -> None:
    """All files of a match on one that is full after some games."""
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(tmp_path)], check=False,
                      capture_output=True).returncode:
        pytest.skip("may not mount here")
    try:
        done = play(tmp_path, *WORDS, "-maxmoves", "40", "-games", "400", "-pgnout", str(tmp_path / "r.pgn"), "-keeplogs")
        kept = numbers(tmp_path)
        assert done.returncode == 1 and 0 < len(kept) < 400
        assert "stopped after" in done.stderr and "Traceback" not in done.stderr and done.stderr.count("\n") == 2
        subprocess.run(["mount", "-o", "remount,size=100m", str(tmp_path)], check=True)
        done = play(tmp_path, "match", "-resume", "-games", str(len(kept) + 2))
        assert done.returncode == 0 and len(numbers(tmp_path)) == len(kept) + 2, done.stderr
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
