"""Reading a file of definitions: sections `[name:base]`, lines `key = value`, comments behind `#`.

A section is its base's keys and its own. What is not understood is an IniError that names file, line and key; other sections of
the file are read all the same.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from engine.errors import RulesError
from engine.rules import Rules
from variants.ini.meaning import rules_of_section
from variants.ini.section import IniError, Section

MOST_BYTES, MOST_SECTIONS = 1 << 20, 2000
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+-]{0,40}")
BASES = Path(__file__).with_name("bases.ini")


@dataclass(frozen=True)
class Definition:
    """A section of a file: the rules it declares, or why it declares none."""

    name: str
    line: int
    rules: Rules | None
    error: str = ""


def read_definitions(path: str | Path) -> list[Definition]:
    """All sections of a file. Raises RulesError if it cannot be read or holds no section."""
    try:
        with Path(path).open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
        text = raw.decode("utf-8")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "it is not UTF-8 text"
        raise RulesError(f"cannot read definitions from {str(path)!r}: {why}") from error
    if len(raw) > MOST_BYTES:
        raise RulesError(f"{str(path)!r} is longer than {MOST_BYTES} bytes")
    found = _definitions(text, dict(_bases()))
    if not found:
        raise RulesError(f"{str(path)!r} has no section, such as [name:chess]")
    return found


@functools.cache
def _bases() -> dict[str, Section]:
    """Our own bases."""
    known: dict[str, Section] = {}
    for section, error in _sections(BASES.read_text(encoding="utf-8"), known):
        assert not error, error
        section.lines = dict.fromkeys(section.lines, 0)
        known[section.name] = section
    return known


def _definitions(text: str, known: dict[str, Section]) -> list[Definition]:
    found = []
    for section, error in _sections(text, known):
        if error:
            found.append(Definition(section.name, section.line, None, error))
            continue
        known[section.name] = section
        try:
            found.append(Definition(section.name, section.line, rules_of_section(section)))
        except RulesError as problem:
            why = str(problem)
            found.append(Definition(section.name, section.line, None, why if why.startswith("line ") else
                                    f"line {section.line}: {why}"))
    return found


def _sections(text: str, known: dict[str, Section]) -> list[tuple[Section, str]]:
    """(section, why it is refused or nothing) in the order of the file; a later section may build on an earlier one."""
    known = dict(known)
    found: list[tuple[Section, str]] = []
    section, error = Section("", 0), "begin"
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.partition("#")[0].strip()
        if not line:
            continue
        if line.startswith("["):
            section, error = _head(line, number, known, found)
            found.append((section, error))
            if len(found) > MOST_SECTIONS:
                raise RulesError(f"line {number}: more than {MOST_SECTIONS} sections")
        elif error == "begin":
            raise RulesError(f"line {number}: {line[:60]!r} stands before the first section")
        elif not error:
            error = _take(section, line, number)
            if error:
                found[-1] = section, error
                known.pop(section.name, None)
    return found


def _head(line: str, number: int, known: dict[str, Section], before: list[tuple[Section, str]]) -> tuple[Section, str]:
    if not line.endswith("]"):
        return Section(line[1:40], number), f"line {number}: {line[:60]!r} does not end in ']'"
    name, colon, base = (part.strip() for part in line[1:-1].partition(":"))
    if not NAME.fullmatch(name):
        return Section(name[:40], number), f"line {number}: {name[:60]!r} is not a name for a game"
    if any(section.name == name for section, _ in before):
        return Section(name, number), f"line {number}: a second section {name!r}"
    if not colon:
        section = Section(name, number)
    elif base in known:
        section = known[base].copy(name, number)
    else:
        refused = any(section.name == base for section, _ in before)
        why = "is refused itself" if refused else "is not known here"
        return Section(name, number), f"line {number}: the base {base[:40]!r} {why}"
    known[name] = section
    return section, ""


def _take(section: Section, line: str, number: int) -> str:
    key, equals, value = (part.strip() for part in line.partition("="))
    if not equals or not key:
        return f"line {number}: {line[:60]!r} is not 'key = value'"
    try:
        section.set(key, value, number)
    except IniError as problem:
        return str(problem)
    return ""
