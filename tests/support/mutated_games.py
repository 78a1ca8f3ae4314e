"""Definitions with a few letters, lines or words changed: those that are still understood must be what their Boards are.

`python -m support.mutated_games SECONDS [SEED]` compiles as many of them as it has time for, plays random games against the
Boards and counts leaves. Its last line is the number of games; the exit status is 1 if one differed.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.check.definitions import compare_counts, random_game
from engine.errors import EngineError, RulesError
from engine.rules import Rules
from engine.text import parse_fen
from support.places import ROOT
from variants.boards.declared import declared_board
from variants.ini import read_definitions
from variants.ini.reader import BASES

_PAGE = (ROOT / "docs" / "define.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```ini\n(.*?)^```$", _PAGE, re.MULTILINE | re.DOTALL)
_PARTS = "\n".join([*EXAMPLES, BASES.read_text(encoding="utf-8")]).split("\n[")
SECTIONS = [_PARTS[0], *("[" + part for part in _PARTS[1:])]
GAMES = 3  # random ones of each
MOST_LEAVES = 4000  # that a Board counts


def mutated(text: str, dice: random.Random) -> str:
    """A file with a few letters, lines or words changed."""
    lines = text.splitlines()
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(len(lines))
        line = lines[at]
        kind = dice.randrange(6)
        if kind == 0 and line:
            place = dice.randrange(len(line))
            lines[at] = line[:place] + dice.choice("kqKQ*[]:=-09/ @~é\t") + line[place + 1:]
        elif kind == 1:
            lines[at] = line[:dice.randrange(len(line) + 1)]
        elif kind == 2:
            lines.insert(at, dice.choice(lines))
        elif kind == 3 and len(lines) > 1:
            del lines[at]
        elif kind == 4 and "=" in line:
            other = dice.choice([each for each in lines if "=" in each])
            lines[at] = line.partition("=")[0] + "=" + other.partition("=")[2]
        else:
            lines[at] = line + dice.choice(["0", "x", " true", ":N", "99999999999", "*" * 50])
    return "\n".join(lines)


def games(dice: random.Random, folder: Path) -> Iterator[tuple[str, Rules]]:
    """Mutated definitions that are understood and are no known game, each with its text, without end."""
    path, seen = folder / "games.ini", set()
    for section in SECTIONS:
        path.write_text(section, encoding="utf-8")
        seen |= {each.rules.traits.digest for each in read_definitions(path) if each.rules is not None}
    while True:
        text = mutated("\n".join(dice.sample(SECTIONS, 2)), dice)
        path.write_text(text, encoding="utf-8")
        try:
            found = read_definitions(path)
        except RulesError:
            continue
        for each in found:
            if each.rules is not None and each.rules.traits.digest not in seen:
                seen.add(each.rules.traits.digest)
                yield text, each.rules


def differs(rules: Rules, dice: random.Random) -> str:
    """How a compiled game differs from its Board; empty if it does not."""
    board_class = declared_board(rules)
    try:
        for _ in range(GAMES):
            random_game(rules, board_class, dice)
        wide = len(list(board_class().legal_moves)) ** 2 > MOST_LEAVES
        compare_counts(rules, board_class, 1 if wide else 2)
    except EngineError as error:
        return str(error)
    return ""


def main(seconds: float, seed: str) -> int:
    """Exit status: 0, or 1 if a game differed from its Board."""
    dice, end, tried, wrong = random.Random(seed), time.monotonic() + seconds, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for text, rules in games(dice, Path(folder)):
            if time.monotonic() > end:
                break
            try:
                parse_fen(rules, rules.start_fen)
            except EngineError as error:  # a start position that the game's own rules forbid is refused when it is played
                print(f"{rules.name}: {error}")
                continue
            tried += 1
            difference = differs(rules, dice)
            if difference:
                wrong += 1
                print(f"{rules.name}: {difference}\n{text}\n", flush=True)
    print(f"{tried} games, {wrong} of them not as their Boards")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "1"))
