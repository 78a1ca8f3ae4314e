"""Runs commands of `kingmaker` in turn in one process, because starting a process takes longer than most of them do."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from support.places import ROOT

MAIN = """
import contextlib, io, json, sys, traceback
from bench.__main__ import main
done = {}
for words in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            status = main(words)
        except BaseException:
            status = None
            traceback.print_exc()
    done[words[0]] = [status, out.getvalue(), err.getvalue()]
print(json.dumps(done))
"""


class Done(NamedTuple):
    """What a command did; no exit status if it raised."""

    status: int | None
    out: str
    err: str


def run_in_turn(rows: Mapping[str, Sequence[str]], python: str = sys.executable, patience: float = 280,
                environment: Mapping[str, str] | None = None) -> dict[str, Done]:
    """Run each command with its words, in this order."""
    done = subprocess.run([python, "-c", MAIN], cwd=ROOT, capture_output=True, text=True, timeout=patience, check=False,
                          env=environment, input=json.dumps([[name, *words] for name, words in rows.items()]))
    assert done.returncode == 0, done.stderr
    return {name: Done(*row) for name, row in json.loads(done.stdout.splitlines()[-1]).items()}
