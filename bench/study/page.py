"""A page with the results of studies and text written by hand: a row, a block of tables and a picture for each game.

The block of a game stands between `<!-- NAME: tables -->` and `<!-- NAME: end -->`, its row begins with `| [NAME](#NAME) |`;
the picture is in a folder next to the page and named after it.
"""

from __future__ import annotations

import re
from pathlib import Path

from bench.inputs import reason
from bench.outputs import check_writable
from bench.study.measures import Measures
from bench.study.plots import draw
from bench.study.tables import estimate, markdown, quarters, tables
from engine.errors import CommandError

COLUMNS = ("game", "games", "White's score", "first-move advantage, Elo", "draws", "plies, quartiles", "decided at ply",
           "won from behind", "legal moves")


def row(found: Measures) -> str:
    """The row of a game in the table of all of them."""
    cells = (f"[{found.variant}](#{found.variant})", str(found.games), estimate(found.score, percent=True),
             estimate(found.elo, 0, sign=True), estimate(found.draws, 0, percent=True), quarters(found.quartiles),
             estimate(found.settled, 0), estimate(found.comebacks, 0, percent=True), estimate(found.branching))
    return f"| {' | '.join(cells)} |"


def block(found: Measures, picture: str) -> str:
    """The picture and the tables of a game, without what its row shows."""
    told = "\n\n".join(map(markdown, tables(found)[1:]))
    words = f"Results, lengths, legal moves, special moves and values of the pieces in {found.games} games of {found.variant}"
    return (f"![{words}]({picture})\n\n<details><summary>Ends, special moves and values in numbers</summary>\n\n{told}\n\n"
            f"</details>")


def places(page: Path, name: str) -> tuple[str, re.Pattern[str], re.Pattern[str]]:
    """The text of the page, and where in it the block and the row of a game are. Raises CommandError if it has not got both."""
    try:
        text = page.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"--page {str(page)!r}: {reason(error)}") from None
    place = re.compile(rf"(<!-- {name}: tables -->\n).*?(<!-- {name}: end -->)", re.DOTALL)
    line = re.compile(rf"^\| \[{name}\]\(#{name}\) \|.*$", re.MULTILINE)
    for pattern, what in ((place, f"block <!-- {name}: tables -->"), (line, f"row | [{name}](#{name}) |")):
        if len(pattern.findall(text)) != 1:
            raise CommandError(f"--page {str(page)!r} has no {what}")
    return text, place, line


def picture_of(page: Path, name: str) -> Path:
    """The file of the picture of a game."""
    return page.parent / page.stem / f"{name}.svg"


def check(page: Path, name: str) -> None:
    """Raise CommandError unless the results of a game can be written into the page."""
    places(page, name)
    check_writable(page, picture_of(page, name))


def update(page: Path, found: Measures) -> None:
    """Write the results of one game into the page. Raises CommandError if it has no place for them, and leaves it unchanged."""
    name = found.variant
    text, place, line = places(page, name)
    picture = picture_of(page, name)
    try:
        shown = block(found, f"{page.stem}/{name}.svg")
        text = place.sub(lambda match: f"{match[1]}{shown}\n{match[2]}", text)
        text = line.sub(lambda _: row(found), text)
        picture.parent.mkdir(exist_ok=True)
        draw(found, picture)
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"--page {str(page)!r}: {error.strerror or error}") from None
