"""Runs the tests on copies of the tree, each with one fault, and keeps the results."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mutants import Mutant, MutantError

ROOT = Path(__file__).parent.parent.parent
STAGES = ("first", "test", "long")  # the tests a mutant names, the rest of make test, what make test-long has beyond
PATIENCE = {"first": 1800, "test": 3 * 3600, "long": 24 * 3600}  # seconds: after that a run hangs
# likely to notice, so first
RULE_TESTS = ("test_position", "test_text", "test_rare_rules", "test_odd_games", "test_boards", "test_games", "test_movegen",
              "test_perft", "test_search")
OWN_TEST = "tests/mutants/test_mutants.py"  # looks for the very texts a mutant changes
NO_TESTS = 5  # pytest's exit code if nothing was collected


@dataclass(frozen=True)
class Result:
    """What became of a mutant: the test that killed it and its stage, both None if it survived up to stage `upto`."""

    id: str
    tree: str  # digest of what was tested
    killer: str | None
    stage: str | None
    upto: str
    seconds: float

    def says_enough(self, upto: str) -> bool:
        """Whether nothing need be tried again to answer for the stages up to `upto`."""
        return self.killer is not None or STAGES.index(self.upto) >= STAGES.index(upto)


@dataclass
class Failure:
    """A run of pytest that failed; `test` is empty if none began."""

    test: str
    code: int
    hung: bool


class Runner:
    """Works in the folder `work`, which survives it: results, and an unchanged copy to check killers against."""

    def __init__(self, root: Path, work: Path, processes: int = 1, say: Callable[[str], None] = print):
        self.root, self.work, self.processes, self.say = root, work, processes, say
        self.results = work / "results.jsonl"
        self._healthy = set[str]()  # tests that pass on the unchanged tree

    @staticmethod
    def digest(tree: Path, mutant: Mutant, killer: str | None) -> str:
        """A hash of the mutant and of what decided about it: all sources and tests, of the test files only the killer's."""
        told = hashlib.sha256(repr((mutant.file, mutant.old, mutant.new)).encode())
        for folder in ("engine", "search", "variants", "bench", "tests"):
            for path in sorted((tree / folder).rglob("*")):
                name = path.relative_to(tree).as_posix()
                if not path.is_file() or name.startswith("tests/mutants/") or "__pycache__" in name:
                    continue
                if killer is None or not path.name.startswith("test_") or killer.startswith(name):
                    told.update(name.encode() + b"\0" + path.read_bytes())
        return told.hexdigest()[:16]

    def known(self, mutant: Mutant, upto: str) -> Result | None:
        """What an earlier run found out, if nothing has changed since."""
        if not self.results.is_file():
            return None
        for line in reversed(self.results.read_text(encoding="utf-8").splitlines()):
            result = Result(**json.loads(line))
            if result.id == mutant.id and result.says_enough(upto):
                if result.tree == self.digest(self.root, mutant, result.killer):
                    return result
        return None

    def judge(self, mutant: Mutant, upto: str) -> Result:
        """Try the stages up to `upto` one by one until a test fails. Raises MutantError if the mutation cannot be made."""
        began = time.monotonic()
        mutant.source(self.root)
        tree = self._copy(mutant.id)
        before = (tree / mutant.file).read_bytes()
        mutant.apply(tree)
        killer, reached = None, None
        try:
            for stage in STAGES[:STAGES.index(upto) + 1]:
                killer = self._first_failure(tree, stage, mutant)
                if killer is not None:
                    reached = stage
                    break
            (tree / mutant.file).write_bytes(before)
            digest = self.digest(tree, mutant, killer)  # of the copy: the tree may have moved on meanwhile
        finally:
            shutil.rmtree(tree.parent)
        result = Result(mutant.id, digest, killer, reached, upto, round(time.monotonic() - began, 1))
        with self.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(result)) + "\n")
        return result

    def _copy(self, name: str) -> Path:
        """A fresh copy of the tree without what git ignores; its compiled code goes beside it."""
        folder = self.work / name
        shutil.rmtree(folder / "tree", ignore_errors=True)
        ignored = (self.root / ".gitignore").read_text(encoding="utf-8").split()
        shutil.copytree(self.root, folder / "tree", ignore=shutil.ignore_patterns(".git", *(x.strip("/") for x in ignored)))
        return folder / "tree"

    def _words(self, stage: str, mutant: Mutant) -> list[str]:
        """The arguments of pytest in a stage."""
        if stage == "first":
            return shlex.split(mutant.tests)
        found = {path.stem: path.relative_to(self.root).as_posix() for path in sorted((self.root / "tests").rglob("test_*.py"))}
        likely = [found[stem] for stem in RULE_TESTS if stem in found]
        files = [*likely, *(name for name in found.values() if name not in likely and name != OWN_TEST)]
        many = ["-n", str(self.processes), "--dist", "loadfile"] if self.processes > 1 else []
        return [*files, *many, *(["-m", "long"] if stage == "long" else [])]

    def _first_failure(self, tree: Path, stage: str, mutant: Mutant) -> str | None:
        """The first test of a stage that fails because of the mutant: again when alone, and not on the unchanged tree."""
        passed_over: list[str] = []
        while True:
            failure = self._pytest(tree, [*self._words(stage, mutant), *passed_over], PATIENCE[stage])
            if failure is None:
                return None
            if failure.code == NO_TESTS and (stage == "long" or passed_over):
                return None
            if not failure.test:
                raise MutantError(f"{mutant.id}: pytest ends with {failure.code} before any test: {mutant.tests}")
            if not self._passes_unchanged(failure.test):
                self.say(f"{mutant.id}: {failure.test} fails without the mutant too, passed over")
            elif self._alone(tree, failure.test) is None:
                self.say(f"{mutant.id}: {failure.test} failed once and not again, passed over")
            else:
                return failure.test
            passed_over += ["--deselect", failure.test]

    def _alone(self, tree: Path, test: str) -> Failure | None:
        return self._pytest(tree, [test, "-m", "long or not long"], PATIENCE["first"])

    def _passes_unchanged(self, test: str) -> bool:
        if test not in self._healthy:
            tree = self.work / "unchanged" / "tree"
            if not self._healthy:
                tree = self._copy("unchanged")
            if self._alone(tree, test) is not None:
                return False
            self._healthy.add(test)
        return True

    def _pytest(self, tree: Path, words: Sequence[str], patience: float) -> Failure | None:
        """Run pytest in a copy up to the first failure; None if all pass."""
        watch = tree.parent / "watch"
        watch.unlink(missing_ok=True)
        environment = {**os.environ, "KINGMAKER_CACHE": str(tree.parent / "cache"), "MUTANTS_WATCH": str(watch),
                       "PYTHONPATH": os.pathsep.join((str(tree), str(tree / "tests")))}
        command = [sys.executable, "-m", "pytest", "-x", "-p", "mutants.watch", "-p", "no:cacheprovider", *words]
        with (tree.parent / "output").open("wb") as output:
            process = subprocess.Popen(command, cwd=tree, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT, start_new_session=True)
            hung = False
            try:
                process.wait(patience)
            except subprocess.TimeoutExpired:
                hung = True
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        if process.returncode == 0:
            return None
        notes = watch.read_text(encoding="utf-8").splitlines() if watch.is_file() else []
        failed = [line.removeprefix("failed ") for line in notes if line.startswith("failed ")]
        begun = [line.removeprefix("began ") for line in notes if line.startswith("began ")]
        return Failure(next(iter(failed), begun[-1] if begun else ""), process.returncode, hung)
