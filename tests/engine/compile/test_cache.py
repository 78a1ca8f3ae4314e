"""The cache of compiled code: whom it trusts, what makes it stale, and processes that share it."""

from __future__ import annotations

import ast
import os
import pickle
import shutil
import stat
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import variants
from engine import notices
from engine.compile import folder as compiled_folder
from engine.compile import inner
from support.places import ROOT, TESTS

PACKAGES = ("engine", "search", "variants")
app = ROOT  # what the processes here run: a copy, as sources edited meanwhile are another stamp

# A game that compiles in a moment; from how many squares a piece gives check proves whose code ran.
SMALL = """
import sys
import chess
import numpy as np
from engine.compile.folder import cache_dir
from engine.core.legality import in_check_kernel
from engine.notices import WARNINGS
from engine.rules import BLACK, TYPES, WHITE, Piece, Rules

def count(letters):
    rules = Rules("small", "made up", chess.Board, pieces=(Piece("K", letters, royal=True),), pawn=None, castling=False)
    pos = np.zeros(rules.traits.words, np.uint64)
    pos[WHITE], found = 1 << 27, 0
    for square in range(64):
        pos[BLACK], pos[TYPES + 1] = 1 << square, 1 << 27 | 1 << square
        found += square != 27 and in_check_kernel(rules, pos, np.uint64(0))
    return int(found)

for letters in sys.argv[1:]:
    print(letters, count(letters))
print("misses", sum(in_check_kernel._cache_misses.values()) if cache_dir() else "none")
for line in WARNINGS:
    print("warning", line)
"""
COUNTS = {"K": 8, "N": 8, "D": 4, "WD": 8, "KN": 16, "KD": 12, "KND": 20}  # of a king on d4


# The one recursion of the core, by Python's call and by its own.
PERFT = """
import chess
import numpy as np
from engine.core.perft import perft
from engine.rules import BLACK, TYPES, WHITE, Piece, Rules
rules = Rules("small", "made up", chess.Board, pieces=(Piece("K", "K", royal=True),), pawn=None, castling=False,
              royal_safety=False)
pos = np.zeros(rules.traits.words, np.uint64)
pos[WHITE], pos[BLACK], pos[TYPES + 1] = 1 << 27, 1 << 63, 1 << 27 | 1 << 63
print(*(perft(rules, pos, depth) for depth in (1, 2, 3)))
"""


# One kept function inside another.
INNER = """
import sys
import numba
from engine.compile import jit

@jit.entry
def inner(x):
    return x * 3 + 1

@jit.entry
def outer(x):
    return inner(x) * 2

for name in sys.argv[1:]:
    print({"inner": inner, "outer": outer}[name](5))
print(sum(inner._cache_misses.values()), sum(outer._cache_misses.values()))
"""


class Said:
    """What a run of SMALL printed."""

    def __init__(self, text: str):
        lines = [line.split(" ", 1) for line in text.splitlines()]
        self.counts = {word: int(rest) for word, rest in lines if word in COUNTS}
        self.misses = next(rest for word, rest in lines if word == "misses")
        self.warnings = [rest for word, rest in lines if word == "warning"]


@pytest.fixture(autouse=True, scope="module")
def _app(tmp_path_factory: pytest.TempPathFactory) -> None:
    global app
    app = copied(tmp_path_factory.mktemp("app"))


def environment(cache: Path | str, root: Path | None = None) -> dict[str, str]:
    return {**os.environ, "KINGMAKER_CACHE": str(cache), "PYTHONPATH": str(root or app), "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONWARNINGS": "ignore"}


def start(cache: Path | str, *letters: str, root: Path | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", SMALL, *letters], env=environment(cache, root), cwd=root or app,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> Said:
    out, err = process.communicate(timeout=200)
    assert process.returncode == 0, err
    return Said(out)


def run(cache: Path | str, *letters: str, root: Path | None = None) -> Said:
    return finish(start(cache, *letters, root=root))


def copied(to: Path) -> Path:
    """A copy of the packages, to be edited or locked."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, to / package, ignore=shutil.ignore_patterns("__pycache__"))
    return to


@pytest.fixture(scope="module")
def filled(_app: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the code of K, to be copied."""
    cache = tmp_path_factory.mktemp("filled") / "cache"
    assert run(cache, "K").misses == "1"
    return cache


def listing(folder: Path) -> dict[str, float]:
    return {str(path.relative_to(folder)): path.stat().st_mtime for path in folder.rglob("*")}


def test_second_process_loads_and_folder_is_ours_alone(tmp_path: Path) -> None:
    cache = tmp_path / "deep" / "cache"
    first, second = run(cache, "K"), run(cache, "K", "D")
    assert first.counts == {"K": 8} and second.counts == {"K": 8, "D": 4}
    assert (first.misses, second.misses) == ("1", "1"), "the second run compiles only what is new"
    assert not first.warnings and not second.warnings
    for folder in (cache, *(path for path in cache.iterdir() if path.is_dir())):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700, folder
    assert list(cache.rglob("*.nbc")), "nothing was kept"


def test_a_kept_function_is_compiled_into_another_one(tmp_path: Path) -> None:
    """Its bitcode is kept for that purpose, and is read only then."""
    file = tmp_path / "two.py"
    file.write_text(INNER)
    said = [subprocess.run([sys.executable, str(file), *names], env=environment(tmp_path / "cache"), cwd=app, text=True,
                           capture_output=True, check=True).stdout.split()
            for names in (["inner"], ["outer"], ["outer", "inner"])]
    assert said == [["16", "1", "0"], ["32", "0", "1"], ["32", "16", "0", "0"]]


def test_another_kernel_finds_the_functions_inside(tmp_path: Path, filled: Path) -> None:
    """Here the same kernel again, of which only the functions that it calls are kept."""
    cache = shutil.copytree(filled, tmp_path / "cache")
    inside = {path.name: path.stat().st_mtime_ns for path in cache.rglob("*.inner")}
    assert len(inside) > 2
    for path in cache.rglob("*.nb?"):
        path.unlink()
    said = run(cache, "K")
    assert said.counts == {"K": 8} and said.misses == "1"
    assert {path.name: path.stat().st_mtime_ns for path in cache.rglob("*.inner")} == inside, "none is made anew"
    run(cache, "D")
    assert len(list(cache.rglob("*.inner"))) > len(inside), "those of another game are others"


def test_no_cache_file_has_unresolved_symbols(tmp_path: Path) -> None:
    """For recursion through several signatures, numba writes a file that kills the next process."""
    for _ in range(2):
        said = subprocess.run([sys.executable, "-c", PERFT], env=environment(tmp_path), cwd=app,
                              capture_output=True, text=True, check=False)
        assert (said.returncode, said.stdout.split()) == (0, ["8", "24", "192"]), said.stderr
    check_resolved(tmp_path)


def test_our_own_cache_has_no_unresolved_symbols(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the other tests have compiled so far, including the search."""
    folder = compiled_folder.cache_dir()
    modules = {str(path.parent) for path in TESTS.rglob("test_*.py")}
    monkeypatch.setattr(sys, "path", [*sys.path, *modules])  # a test's kernel names its module, which is imported to read it
    if folder is not None:
        check_resolved(folder, least=0)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", variants.names())
def test_whole_variants_in_two_processes_in_turn(tmp_path: Path, name: str) -> None:
    program = "import sys, variants; from search.warm import warm; warm(variants.find(sys.argv[1])); print('warm')"
    for _ in range(2):
        said = subprocess.run([sys.executable, "-c", program, name], env=environment(tmp_path), cwd=app, capture_output=True,
                              text=True, check=False)
        assert (said.returncode, said.stdout) == (0, "warm\n"), said.stderr
    check_resolved(tmp_path)


def check_resolved(folder: Path, least: int = 1) -> None:
    checked = 0
    for path in folder.rglob("*.nbc"):
        data = path.read_bytes()
        try:
            (_, _, (_, bitcode)), *_ = pickle.loads(data)[0]
        except ModuleNotFoundError:  # left by an older version, whose module has moved since: no process loads it again
            continue
        checked += 1
        for code in (data, zlib.decompress(bitcode)):
            assert b"numba.unresolved" not in code, path.name
            assert b"NRT_incref" not in code, f"{path.name} counts references, atomically"
    assert checked >= least
    for path in folder.rglob("*.inner"):
        code = zlib.decompress(path.read_bytes())
        assert b"numba.unresolved" not in code and b"NRT_incref" not in code, path.name


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_refuses_a_folder_others_can_write(tmp_path: Path, mode: int) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(mode)
    letters = ["K"] if mode == 0o777 else []
    said = run(cache, *letters)
    assert said.counts == dict.fromkeys(letters, 8) and said.misses == "none"
    assert len(said.warnings) == 1 and str(cache) in said.warnings[0] and "others can write" in said.warnings[0]
    assert not list(cache.rglob("*.nb?"))


def test_refuses_a_stamped_folder_others_can_write(tmp_path: Path, filled: Path) -> None:
    cache = shutil.copytree(filled, tmp_path / "cache")
    (stamped,) = (path for path in cache.iterdir() if path.is_dir())
    stamped.chmod(0o777)
    said = run(cache)
    assert said.misses == "none" and len(said.warnings) == 1 and stamped.name in said.warnings[0]


def test_refuses_a_link(tmp_path: Path) -> None:
    real, cache = tmp_path / "real", tmp_path / "cache"
    real.mkdir(mode=0o700)
    cache.symlink_to(real, target_is_directory=True)
    said = run(cache, "K")
    assert said.counts == {"K": 8} and said.misses == "none"
    assert len(said.warnings) == 1 and "link" in said.warnings[0]
    assert not list(real.rglob("*.nb?"))


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give folders away")
def test_refuses_a_folder_of_another_user(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    os.chown(cache, 12345, 12345)
    said = run(cache, "K")
    assert said.misses == "none" and len(said.warnings) == 1 and not list(cache.rglob("*.nb?"))


@pytest.mark.parametrize("place", ["file", "below-file", "nul", "long"])
def test_does_without_where_no_folder_can_be(tmp_path: Path, place: str) -> None:
    """Permission bits do not bind root, a regular file in the way does."""
    file = tmp_path / "file"
    file.write_text("")
    places = {"file": file, "below-file": file / "cache", "nul": "/dev/null/cache", "long": tmp_path / ("x" * 300)}
    letters = ["K"] if place == "file" else []
    said = run(str(places[place]), *letters)
    assert said.counts == dict.fromkeys(letters, 8) and said.misses == "none"
    assert len(said.warnings) == 1 and "no cache" in said.warnings[0]


def test_an_edit_in_another_file_is_compiled(tmp_path: Path) -> None:
    """Of its own, numba checks only the file of the compiled function; here a function that it calls is edited."""
    root, cache = copied(tmp_path / "app"), tmp_path / "cache"
    assert run(cache, "K", root=root).counts == {"K": 8}
    file = root / "engine" / "core" / "attackers.py"
    text = file.read_text()
    line = "return found & among"
    changed = text.replace(line, f"{line} & U(0xFFFF_FFFF)")
    assert changed != text
    before = file.stat()
    file.write_text(changed)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))  # not even its date shows it
    said = run(cache, "K", root=root)
    assert said.counts == {"K": 5} and said.misses == "1"
    file.write_text(text)
    said = run(cache, "K", root=root)
    assert said.counts == {"K": 8} and said.misses == "0", "the old code is still there, under its own name"


def test_a_checkout_reached_through_a_link_shares_its_code(tmp_path: Path, filled: Path) -> None:
    cache, link = shutil.copytree(filled, tmp_path / "cache"), tmp_path / "link"
    link.symlink_to(app, target_is_directory=True)
    said = subprocess.run([sys.executable, "-c", SMALL, "K"], env=environment(cache, link), cwd=tmp_path, capture_output=True,
                          text=True, timeout=200, check=True)
    assert Said(said.stdout).counts == {"K": 8} and Said(said.stdout).misses == "0"


# The cache disappears between two kernels; a file in its place keeps it from being made again.
DELETED = """
import shutil
from pathlib import Path
shutil.rmtree(cache_dir().parent)
if blocked:
    cache_dir().parent.write_text("")
"""


@pytest.mark.parametrize("blocked", [False, True])
def test_a_cache_deleted_meanwhile_does_no_harm(tmp_path: Path, blocked: bool) -> None:
    cache = tmp_path / "cache"
    program = SMALL.replace("for letters in sys.argv[1:]:\n", f"blocked = {blocked}{DELETED}for letters in sys.argv[1:]:\n")
    said = subprocess.run([sys.executable, "-c", program, "K"], env=environment(cache), cwd=app, capture_output=True, text=True,
                          timeout=200, check=False)
    assert said.returncode == 0, said.stderr
    assert Said(said.stdout).counts == {"K": 8}
    if not blocked:
        assert run(cache, "K").misses == "0"  # it is kept in the folder made again


# Edits the file named first once everything is imported, but not compiled yet.
EDITS = """
import sys
from pathlib import Path
import engine.core.legality
file = Path(sys.argv.pop(1))
text = file.read_text()
file.write_text(text.replace("return found & among", "return found & among & U(0xFFFF_FFFF)"))
"""


def test_an_edit_after_the_import_is_not_compiled(tmp_path: Path) -> None:
    """The stamp says what was imported: with the file as it was, the next process must not load another function."""
    root, cache = copied(tmp_path / "app"), tmp_path / "cache"
    file = root / "engine" / "core" / "attackers.py"
    text = file.read_text()
    program = subprocess.run([sys.executable, "-c", EDITS + SMALL, str(file), "K"], env=environment(cache, root), cwd=root,
                             capture_output=True, text=True, timeout=200, check=True)
    assert Said(program.stdout).counts == {"K": 8} and file.read_text() != text
    file.write_text(text)
    said = run(cache, "K", root=root)
    assert said.counts == {"K": 8} and said.misses == "0"


# What the engine does to numba is not done to others in the same process.
STRANGER = """
import numba
from numba.core import event
before = numba.config.CACHE_LOCATOR_CLASSES
from llvmlite.binding import ffi
callbacks = list(ffi.lib._lock._cblist)
import variants
from engine.game import Game
Game("chess").legal_moves
print(numba.config.CACHE_LOCATOR_CLASSES == before, list(ffi.lib._lock._cblist) == callbacks)
"""


def test_others_find_numba_as_they_left_it(tmp_path: Path) -> None:
    said = subprocess.run([sys.executable, "-c", STRANGER], env=environment(tmp_path / "cache"), cwd=app, capture_output=True,
                          text=True, timeout=200, check=True)
    assert said.stdout.split() == ["True", "True"]


def _kernels_of(tree: ast.Module) -> set[str]:
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)
            and any(ast.unparse(each).split("(")[0] in ("entry", "jit", "inline") for each in node.decorator_list)}


def test_kernels_outside_the_stamp_call_only_it_and_their_own_folder() -> None:
    """The stamp of such a kernel covers its own folder."""
    trees = {path: ast.parse(path.read_text()) for folder in (*PACKAGES, "bench") for path in (ROOT / folder).rglob("*.py")}
    outside = {path: names for path, tree in trees.items()
               if (names := _kernels_of(tree)) and not compiled_folder.is_stamped(str(path))}
    assert len(outside) >= 3
    for path in outside:
        for node in ast.walk(trees[path]):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                other = (ROOT / node.module.replace(".", "/")).with_suffix(".py")
                if {alias.name for alias in node.names} & outside.get(other, set()):
                    assert other.parent == path.parent, f"{path} imports a kernel from {other}"


def test_options_are_part_of_the_stamp(tmp_path: Path) -> None:
    program = "from engine.compile.folder import stamp; print(stamp())"
    stamps = set()
    for option in ("NUMBA_OPT=2", "NUMBA_OPT=1", "NUMBA_BOUNDSCHECK=1", "KINGMAKER_SLIDERS=lines", "NUMBA_CPU_NAME=generic"):
        extra = dict([option.split("=")])
        stamps.add(subprocess.run([sys.executable, "-c", program], env={**environment(tmp_path), **extra}, cwd=app,
                                  capture_output=True, text=True, check=True).stdout)
    assert len(stamps) == 5


def test_the_stamp_covers_every_kernel() -> None:
    """What is compiled, and all of ours that it imports when it is loaded, but for errors, warnings and places."""
    stamped = {path.relative_to(ROOT).as_posix() for path in compiled_folder.kernel_files()}
    for name in sorted(stamped):
        tree = ast.parse((ROOT / name).read_text())
        lines = [(node.module or "", node.names) for node in tree.body if isinstance(node, ast.ImportFrom)]
        for module in {name for name, _ in lines} | {f"{name}.{alias.name}" for name, some in lines for alias in some}:
            path = ROOT / module.replace(".", "/")
            if path.with_suffix(".py").is_file() and module not in ("engine.errors", "engine.notices", "engine.places"):
                assert path.with_suffix(".py").relative_to(ROOT).as_posix() in stamped, f"{name} imports {module}"
    compiled = {path.relative_to(ROOT).as_posix() for folder in PACKAGES for path in (ROOT / folder).rglob("*.py")
                if "compile.jit import" in path.read_text() and "\n@jit" in path.read_text()}
    assert compiled and compiled <= stamped


@pytest.mark.parametrize("rounds", [1, pytest.param(50, marks=[pytest.mark.long, pytest.mark.timeout(3600)], id="long")])
def test_two_processes_at_once_never_mix(tmp_path: Path, rounds: int) -> None:
    for number in range(rounds):
        cache = tmp_path / str(number)
        pair = [start(cache, "K", "KN", "D"), start(cache, "KD", "KND", "WD")]
        found = {**finish(pair[0]).counts, **finish(pair[1]).counts}
        assert found == {word: COUNTS[word] for word in found} and len(found) == 6
        after = run(cache, *COUNTS)
        assert after.counts == COUNTS, "what they left behind"
        assert after.misses == "1", "only N is new: no entry was lost"
        shutil.rmtree(cache)


def test_two_processes_at_once_compile_a_function_once(tmp_path: Path) -> None:
    pair = [start(tmp_path, "KND"), start(tmp_path, "KND")]
    said = [finish(process) for process in pair]
    assert [each.counts for each in said] == [{"KND": 20}] * 2
    assert sorted(each.misses for each in said) == ["0", "1"]


def test_a_killed_process_leaves_nothing_that_hurts(tmp_path: Path) -> None:
    process = start(tmp_path, "K", "KN", "KD", "KND")
    try:
        process.communicate(timeout=2.5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
    assert run(tmp_path, "K", "KN", "KD", "KND").counts == {word: COUNTS[word] for word in ("K", "KN", "KD", "KND")}


def test_spoilt_files_are_compiled_anew(tmp_path: Path, filled: Path) -> None:
    """A full disk leaves truncated files."""
    cache = shutil.copytree(filled, tmp_path / "cache")
    kept = [path for kind in ("*.nbi", "*.nbc", "*.inner") for path in cache.rglob(kind)]
    assert {path.suffix for path in kept} == {".nbi", ".nbc", ".inner"}
    for path in kept:
        path.write_bytes(path.read_bytes()[:40])
    for misses in ("1", "0"):
        said = run(cache, "K")
        assert said.counts == {"K": 8} and said.misses == misses and not said.warnings


SPOILT: tuple[Callable[[bytes], bytes], ...] = (
    lambda data: b"", lambda data: data[:len(data) // 2], lambda data: b"x" * len(data), lambda data: data[:-100] + bytes(100))


def test_spoilt_functions_are_compiled_anew(tmp_path: Path, filled: Path) -> None:
    """Those that the kernel calls are read; what only they call is compiled with them."""
    cache = shutil.copytree(filled, tmp_path / "cache")
    for path in cache.rglob("*.nb?"):
        path.unlink()
    spoilt = {}
    for number, path in enumerate(sorted(cache.rglob("*.inner"))):
        spoilt[path] = SPOILT[number % len(SPOILT)](path.read_bytes())
        path.write_bytes(spoilt[path])
    said = run(cache, "K")
    assert said.counts == {"K": 8} and said.misses == "1" and not said.warnings
    assert all(path.read_bytes() != data for path, data in spoilt.items()), "all are compiled anew"


def test_what_cannot_be_kept_leaves_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a full disk: the part is written, and cannot take its place."""
    (tmp_path / "taken.inner").mkdir()
    monkeypatch.setattr(notices, "WARNINGS", [])
    result = SimpleNamespace(
        library=SimpleNamespace(name="it", has_dynamic_globals=False,
                                _get_module_for_linking=lambda: SimpleNamespace(as_bitcode=lambda: b"bitcode")),
        fndesc=SimpleNamespace(), environment=None, signature=None, reload_init=(), _find_referenced_environments=tuple)
    inner._keep(tmp_path / "taken.inner", result)
    assert [path.name for path in tmp_path.iterdir()] == ["taken.inner"]
    assert len(notices.WARNINGS) == 1 and "not kept" in notices.WARNINGS[0]
    inner._keep(tmp_path / "free.inner", result)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["free.inner", "taken.inner"]


def test_read_only_install_works(tmp_path: Path) -> None:
    """Nothing is written beside the sources; root is not bound by the bits, so the listing is compared too."""
    root = copied(tmp_path / "app")
    for path in [root, *root.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = listing(root)
    try:
        for _ in range(2):
            said = run(tmp_path / "cache", "K", root=root)
            assert said.counts == {"K": 8} and not said.warnings
        homeless = {**environment("", root), "HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/cache"}
        del homeless["KINGMAKER_CACHE"]
        said = Said(subprocess.run([sys.executable, "-c", SMALL, "K"], env=homeless, cwd=tmp_path,
                                   capture_output=True, text=True, check=True).stdout)
        assert said.counts == {"K": 8} and len(said.warnings) == 1
        assert listing(root) == before
    finally:
        for path in [root, *(path for path in root.rglob("*") if path.is_dir())]:
            path.chmod(0o755)


def test_what_nobody_used_for_a_month_is_removed(tmp_path: Path) -> None:
    for name, days in (("old", 40), ("young", 3)):
        (tmp_path / name).mkdir(mode=0o700)
        (tmp_path / name / ".alive").touch()
        then = time.time() - days * 24 * 3600
        os.utime(tmp_path / name / ".alive", (then, then))
    tmp_path.chmod(0o700)
    assert run(tmp_path, "K").counts == {"K": 8}
    assert not (tmp_path / "old").exists() and (tmp_path / "young").exists()
