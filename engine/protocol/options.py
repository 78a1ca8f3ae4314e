"""One table of options, printed and parsed by both protocols and by the help. Imports nothing heavy."""

from __future__ import annotations

import difflib
import os
from typing import NamedTuple

import variants
from engine.errors import OptionError

Value = int | bool | str


class Option(NamedTuple):
    """One option: its name, its values, and what it does."""

    name: str
    kind: str  # spin, check, combo, string or button
    default: Value
    low: int
    high: int
    help: str
    xboard: str = ""  # its name as an XBoard option; empty if XBoard has a command for it, or no use

    def choices(self) -> list[str]:
        """The values of a combo: the variants."""
        return variants.playable() if self.kind == "combo" else []

    def parse(self, text: str) -> Value:
        """The value of a text. Raises OptionError with the text and what is allowed."""
        word = text.strip()
        if self.kind == "button":
            return True
        if self.kind == "check":
            if word.lower() not in ("true", "false", "1", "0", "on", "off"):
                raise OptionError(f"{self.name} {shown(word)} is neither true nor false")
            return word.lower() in ("true", "1", "on")
        if self.kind == "combo":
            return variants.resolve(word)
        if self.kind == "string":
            return EMPTY if word == "" else word
        number = whole(word)
        if number is None or not self.low <= number <= self.high:
            raise OptionError(f"{self.name} {shown(word)} is not an integer from {self.low} to {self.high}")
        return number


EMPTY = "<empty>"  # the value of a string that is not set
ELO = (800, 2100)  # of orthodox chess, see engine/protocol/strength.py

OPTIONS: tuple[Option, ...] = (
    Option("UCI_Variant", "combo", "chess", 0, 0, "the game to play; set it before the position", "Variant"),
    Option("VariantPath", "string", EMPTY, 0, 0, "file of further games in the format of variants.ini", "VariantPath"),
    Option("UCI_Chess960", "check", False, 0, 0, "write castling as king takes rook"),
    Option("Hash", "spin", 16, 1, 65536, "size of the transposition table in MiB; XBoard: memory"),
    Option("Threads", "spin", 1, 1, 256, "number of search threads; XBoard: cores"),
    Option("MultiPV", "spin", 1, 1, 256, "number of best lines to report", "MultiPV"),
    Option("Move Overhead", "spin", 20, 0, 5000, "milliseconds kept back on each move for communication",
           "Move Overhead"),
    Option("Ponder", "check", False, 0, 0, "allow the GUI to let the engine think on the opponent's time"),
    Option("Skill Level", "spin", 20, 0, 20, "strength of play, 20 for full strength", "Skill Level"),
    Option("UCI_LimitStrength", "check", False, 0, 0, "play at the strength of UCI_Elo instead", "Limit Strength"),
    Option("UCI_Elo", "spin", ELO[1], *ELO, "rating to play at, measured in orthodox chess", "Elo"),
    Option("UCI_AnalyseMode", "check", False, 0, 0, "analysis: full strength, whatever the three options above are"),
    Option("UCI_ShowWDL", "check", False, 0, 0, "report chances of win, draw, loss per mille with each score"),
    Option("Use NNUE", "check", True, 0, 0, "evaluate with the net of the game, if it has one", "Use NNUE"),
    Option("EvalFile", "string", EMPTY, 0, 0, "file of a net to use instead of the one that comes with the game", "EvalFile"),
    Option("TablePath", "string", EMPTY, 0, 0, "folder with tables of endings, made by `kingmaker table`", "TablePath"),
    Option("SyzygyPath", "string", EMPTY, 0, 0, "folders with Syzygy tables of chess, atomic and antichess", "SyzygyPath"),
    Option("Clear Hash", "button", False, 0, 0, "forget what was searched", "Clear Hash"),
)

TUNABLES: tuple[Option, ...] = ()  # the numbers of search/params.py, for tuners only: KINGMAKER_TUNE=1
if os.environ.get("KINGMAKER_TUNE", "") not in ("", "0"):
    from search.params import PARAMS

    TUNABLES = tuple(Option(row.name, "spin", row.start, row.least, row.most, f"step {row.step}; {row.meaning}", row.name)
                     for row in PARAMS)
    OPTIONS += TUNABLES


def shown(text: str) -> str:
    """A value for a message: quoted, printable, at most 60 characters."""
    return ascii(text if len(text) <= 60 else text[:60] + "...")


def whole(text: str) -> int | None:
    """The whole number in a text, at most 18 digits; None if it is none."""
    digits = text[1:] if text[:1] in ("-", "+") else text
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= 18 else None


def suggestion(word: str, known: list[str]) -> str:
    """`, did you mean 'go'?` if a known word is similar, or has the same letters, else nothing."""
    folded = {name.lower(): name for name in known}
    wanted = word[:60].lower()
    close = (difflib.get_close_matches(wanted, list(folded), 1, 0.65)
             or [name for name in folded if sorted(name) == sorted(wanted)])  # two letters swapped: `og` is only half like `go`
    return f", did you mean '{folded[close[0]]}'?" if close else ""


def find(name: str) -> Option:
    """The option with that name in either protocol, upper or lower case. Raises OptionError."""
    wanted = " ".join(name.split()).lower()
    for option in OPTIONS:
        if wanted == option.name.lower() or (option.xboard and wanted == option.xboard.lower()):
            return option
    raise OptionError(f"unknown option {shown(name.strip())}{suggestion(wanted, [option.name for option in OPTIONS])}")


def uci_line(option: Option) -> str:
    """The line by which UCI announces the option."""
    default = str(option.default).lower() if option.kind == "check" else str(option.default)
    line = f"option name {option.name} type {option.kind}"
    if option.kind != "button":
        line += f" default {default}"
    if option.kind == "spin":
        line += f" min {option.low} max {option.high}"
    return line + "".join(f" var {choice}" for choice in option.choices())


def xboard_feature(option: Option) -> str:
    """The feature by which XBoard learns of the option."""
    line = f"{option.xboard} -{option.kind}"
    if option.kind == "spin":
        line += f" {option.default} {option.low} {option.high}"
    elif option.kind == "check":
        line += f" {int(option.default)}"
    elif option.kind == "string":
        line += f" {option.default}"
    elif option.kind == "combo":
        own = variants.names()  # XBoard cuts long lines off
        line += " " + " /// ".join(f"*{name}" if name == option.default else name for name in option.choices() if name in own)
    return f'feature option="{line}"'


def help_text() -> str:
    """The table for `kingmaker --help`."""
    rows = []
    for option in OPTIONS:
        allowed = {"spin": f"{option.default} ({option.low}..{option.high})", "button": "button",
                   "check": str(option.default).lower(), "combo": str(option.default),
                   "string": str(option.default)}[option.kind]
        rows.append(f"  {option.name:<19}{allowed:<19}{option.help}")
    return "\n".join(rows)
