"""What a section means: the Rules it declares."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from engine.rules import Face, Pawn, Piece, Rules, Worth, betza
from engine.rules.declared import Declared
from engine.rules.geometry import LARGEST, SMALLEST, board_of
from engine.squares import FILES, square_name
from variants.ini.keys import OBEYED, TRAITS, VALUES
from variants.ini.section import IniError, Section

CENTIPAWN = 100 / 270  # of Fairy-Stockfish's units: its rook is worth 1276, ours 472


class Meaning:
    """A section being read; errors name the line of the key."""

    def __init__(self, section: Section):
        self.section = section
        self.files, self.ranks = self._size("maxFile"), self._size("maxRank")

    def error(self, key: str, why: str) -> IniError:
        """The error about a key."""
        line = self.section.lines.get(key) or self.section.line
        return IniError(f"line {line}: {key} = {self.text(key)[:60]}: {why}")

    def text(self, key: str) -> str:
        """What the section says, or the default."""
        return self.section.values.get(key, OBEYED.get(key, ""))

    def flag(self, key: str) -> bool:
        """A boolean."""
        text = self.text(key).lower()
        if text not in VALUES["boolean"]:
            raise self.error(key, "neither true nor false")
        return text == "true"

    def choice(self, key: str) -> str:
        """One of the words of VALUES."""
        if self.text(key) not in VALUES[key]:
            raise self.error(key, f"none of {', '.join(VALUES[key])}")
        return self.text(key)

    def number(self, key: str) -> int:
        """A number from 0 to 9999."""
        text = self.text(key)
        if not re.fullmatch("[0-9]{1,4}", text):
            raise self.error(key, "no number")
        return int(text)

    def _size(self, key: str) -> int:
        text = self.text(key)
        number = FILES.find(text.lower()) + 1 if key == "maxFile" and len(text) == 1 and text.isalpha() else None
        number = self.number(key) if number is None else number
        if not SMALLEST <= number <= LARGEST:
            raise self.error(key, f"boards have from {SMALLEST} to {LARGEST} files and ranks")
        return number

    def letters(self, key: str, all_of: str) -> str:
        """Capitals of pieces; `-` for none."""
        text = self.text(key).replace(" ", "")
        if text in ("-", "", "*"):
            return text.strip("-")
        for letter in text:
            if letter.upper() not in all_of:
                raise self.error(key, f"no piece {letter!r}")
        return "".join(dict.fromkeys(text.upper()))

    def letters_or_fewer(self, key: str, all_of: str) -> str:
        """The same; what the game lacks is left out if the key has its value by default."""
        if key in self.section.values:
            return self.letters(key, all_of)
        return "".join(letter for letter in self.text(key).upper() if letter in all_of)

    def region(self, key: str) -> str:
        """Squares run together, those that the board has; `*1` is a rank, `a*` a file."""
        found = []
        for word in self.text(key).replace("-", " ").split():
            match = re.fullmatch(r"([a-l*])([0-9]{1,2}|\*)", word.lower())
            if not match:
                raise self.error(key, f"{word[:20]!r} is neither a square nor a rank or file")
            found += [f"{file}{rank}" for file in FILES[:self.files] for rank in range(1, self.ranks + 1)
                      if match[1] in ("*", file) and match[2] in ("*", str(rank))]
        return "".join(sorted(set(found)))

    def zones(self, white: str, black: str) -> str:
        """Two regions as a zone, as a declaration would write it (equal rules share their code); empty if both are."""
        ours, theirs = self.region(white), self.region(black)
        board = board_of(self.files, self.ranks)
        turned = sorted(square_name(board.opposite(square)) for square in board.squares_named(ours))
        return f"{ours}/{theirs}" if "".join(turned) != theirs else ours


def rules_of_section(section: Section) -> Rules:
    """The rules of a section. Raises RulesError; IniError if it is about a key."""
    given = Meaning(section)
    names = section.pieces
    pawn_name = next((name for name, letter in names.items() if letter == "P" and _is_pawn(given, name)), None)
    letters = "".join(names.values())
    pieces = [(name, letter) for name, letter in names.items() if name != pawn_name]
    extinction = _extinction(given, letters)
    royal = {names["king"]} if "king" in names else set()
    traits: dict[str, Any] = {}
    if extinction and given.flag("extinctionPseudoRoyal"):
        _pseudo_royal(given, extinction, royal, traits)
    elif extinction:
        _plain_extinction(given, extinction, royal, traits)
    if given.flag("blastOnCapture"):
        traits.update(captures_explode=True, touching_kings_check=False)
    traits.update(_own_traits(given))
    if traits.get("title_order"):
        royal -= {letter for letter in royal if letter in traits["title_order"]}
    _rules_of_play(given, letters, traits)
    if not royal and not traits.get("title_order"):
        traits["royal_safety"] = False
    declared = tuple(Piece(letter, _moves(given, name), royal=letter in royal) for name, letter in pieces)
    castles = given.flag("castling") and "K" in letters and bool(traits.get("castling_partner"))
    traits["castling"] = castles and not traits.get("several_kings") and not traits.get("driven_king") and (
        "K" in royal or "K" in traits.get("title_order", ""))
    return Rules(
        name=section.name, source="a definition", board="", files=given.files, ranks=given.ranks, pieces=declared,
        pawn=None if pawn_name is None else _pawn(given, pawn_name, letters, traits), start_fen=_start(given),
        values=_values(given, letters), xboard=_face(given), **traits)


def _is_pawn(given: Meaning, name: str) -> bool:
    if name == "pawn":
        return True
    return given.text("pawnTypes").lower() == "p"


def _moves(given: Meaning, name: str) -> str:
    notation = given.section.betza[name]
    try:
        betza.parse(notation)
    except Exception as problem:
        line = given.section.lines.get(name) or given.section.line
        raise IniError(f"line {line}: {name} = {given.section.pieces[name].lower()}:{notation[:60]}: {problem}") from None
    return notation


def _pawn(given: Meaning, name: str, letters: str, traits: dict[str, Any]) -> Pawn:
    """The pawn: orthodox, or a custom piece whose moves and captures are leaps that differ."""
    chosen = given.letters_or_fewer("promotionPieceTypes", letters)  # a set: their order says nothing
    promotes = "".join(letter for letter in reversed(letters) if letter in chosen and letter != "P")
    zone = given.zones("promotionRegionWhite", "promotionRegionBlack") if promotes else ""
    common = {"promotion_zone": zone, "promotes_to": promotes}
    if name == "pawn":
        doubles = given.zones("doubleStepRegionWhite", "doubleStepRegionBlack") if given.flag("doubleStep") else ""
        return Pawn(double_step_zone=doubles, **common)
    _moves(given, name)
    match = re.fullmatch(r"((?:[fbrlsv]*m[fbrlsv]*[WF])+)((?:[fbrlsv]*c[fbrlsv]*[WF])+)", given.section.betza[name])
    if not match:
        line = given.section.lines.get(name) or given.section.line
        raise IniError(f"line {line}: {name} = p:{given.section.betza[name][:60]}: a pawn has steps W and F only, first those "
                       "that move (m), then those that capture (c)")
    return Pawn(step=match[1].replace("m", ""), capture=match[2].replace("c", ""), double_step_zone="", **common)


def _extinction(given: Meaning, letters: str) -> str:
    kinds = given.letters("extinctionPieceTypes", letters)
    value = given.choice("extinctionValue")
    if value == "draw":
        raise given.error("extinctionValue", "extinction wins or loses here")
    return "" if value == "none" else kinds


def _pseudo_royal(given: Meaning, kinds: str, royal: set[str], traits: dict[str, Any]) -> None:
    """Pieces that are treated like kings: they become royal."""
    if given.choice("extinctionValue") != "loss" or kinds == "*":
        raise given.error("extinctionPseudoRoyal", "only where the loss of certain types loses")
    royal |= set(kinds)
    placement = given.text("startFen").split(" ")[0].split("[")[0]
    several = max((placement.count(letter) for kind in kinds for letter in (kind, kind.lower())), default=0) > 1
    count = given.number("extinctionPieceCount")
    if count > 1 or (several and count != 1) or (several and len(kinds) > 1):
        raise given.error("extinctionPieceCount", "with several royal pieces of a type, all must be safe: it must be 1")
    if several:
        traits["several_kings"] = True


def _plain_extinction(given: Meaning, kinds: str, royal: set[str], traits: dict[str, Any]) -> None:
    count, wins = given.number("extinctionPieceCount"), given.choice("extinctionValue") == "win"
    if given.flag("blastOnCapture"):
        if royal or len(kinds) != 1 or kinds == "*" or count or wins:
            raise given.error("blastOnCapture", "explosions go with the loss of one type only, such as k")
        royal |= set(kinds)
        traits["royal_safety"] = False
        return
    traits.update(extinction=kinds, extinction_count=count, extinction_wins=wins)


def _own_traits(given: Meaning) -> dict[str, Any]:
    """The traits that only we have."""
    kinds = {declared.name: declared.type for declared in fields(Declared)}
    found: dict[str, Any] = {}
    for key in TRAITS:
        if key in given.section.values:
            name = re.sub("([A-Z])", lambda match: "_" + match[1].lower(), key)
            text = given.text(key)
            if kinds[name] == "bool" or (name == "driven_king" and text.lower() in VALUES["boolean"]):
                found[name] = given.flag(key)
            elif kinds[name] == "int":
                found[name] = given.number(key)
            elif name == "castling_files":
                found[name] = text.lower()
            else:
                found[name] = text if name == "driven_king" else text.upper()
    return found


def _rules_of_play(given: Meaning, letters: str, traits: dict[str, Any]) -> None:
    _goal(given, letters, traits)
    if given.flag("checkCounting"):
        counts = re.search(r" ([0-9]{1,2})\+\1( |$)", given.text("startFen"))
        if not counts:
            raise given.error("checkCounting", "the start FEN does not say how many checks win, such as 3+3")
        traits["checks_to_win"] = int(counts[1])
    traits["checks_forbidden"] = not given.flag("checking")
    traits["captures_forced"] = given.flag("mustCapture")
    traits["stalemate"] = given.choice("stalemateValue")
    traits["progress_limit"] = 2 * given.number("nMoveRule")
    traits["repetitions"] = given.number("nFoldRule")
    _drops(given, traits)
    partner = given.letters_or_fewer("castlingRookPieces", letters)
    if len(partner) > 1:
        raise given.error("castlingRookPieces", "one type castles with the king")
    if partner:
        traits.setdefault("castling_partner", partner)
    if given.flag("castling") and "castling_files" not in traits and partner:
        traits["castling_files"] = _castling_files(given)


def _goal(given: Meaning, letters: str, traits: dict[str, Any]) -> None:
    both = given.region("flagRegion")
    zone = given.zones("flagRegionWhite", "flagRegionBlack") or (f"{both}/{both}" if both else "")
    if zone:
        traits["goal"], traits["goal_types"] = zone, given.letters("flagPiece", letters) or "*"
        traits["goal_answered"] = given.flag("flagMove")
    elif given.flag("flagMove"):
        raise given.error("flagMove", "there is no flagRegion")


def _drops(given: Meaning, traits: dict[str, Any]) -> None:
    takes = given.flag("capturesToHand")
    if not given.flag("pieceDrops"):
        if takes:
            raise given.error("capturesToHand", "without pieceDrops nothing can be dropped")
        return
    closed = [word for word, key in (("first", "firstRankPawnDrops"), ("last", "promotionZonePawnDrops"))
              if not given.flag(key)]
    if "last" in closed and (given.region("promotionRegionWhite"), given.region("promotionRegionBlack")) not in (
            (_rank(given, given.ranks), _rank(given, 1)), ("", "")):
        raise given.error("promotionZonePawnDrops", "with a promotion region that is not the last rank")
    regions = [given.region(key) or "".join(_rank(given, rank + 1) for rank in range(given.ranks))
               for key in ("dropRegionWhite", "dropRegionBlack")]
    zone = "/".join(regions) if given.region("dropRegionWhite") or given.region("dropRegionBlack") else ""
    traits.update(drops=True, captures_to_hand=takes, pawn_drops=" ".join(closed), drop_zone=zone)


def _rank(given: Meaning, rank: int) -> str:
    return "".join(f"{file}{rank}" for file in FILES[:given.files])


def _castling_files(given: Meaning) -> str:
    goals = []
    for key in ("castlingQueensideFile", "castlingKingsideFile"):
        text = given.text(key).lower()
        file = FILES.find(text) if len(text) == 1 else int(text) - 1 if text.isdigit() else -1
        if not 0 <= file < given.files:
            if key not in given.section.values:
                return ""
            raise given.error(key, "no file of the board")
        goals.append(file)
    west, east = goals
    if west + 1 >= given.files or east < 1:
        raise given.error("castlingKingsideFile", "no file of the board is left for the rook")
    goals = [west, west + 1, east, east - 1]
    usual = [file for pair in board_of(given.files, given.ranks).castling_files for file in pair]
    return "" if goals == usual else "".join(FILES[file] for file in goals)


def _start(given: Meaning) -> str:
    """The start FEN with all fields; Fairy-Stockfish's may lack some."""
    fields_given = given.text("startFen").split()
    if not fields_given:
        raise given.error("startFen", "empty")
    board, *rest = fields_given
    turn = rest.pop(0) if rest and rest[0] in ("w", "b") else "w"
    numbers = [word for word in rest if re.fullmatch(r"[0-9]{1,5}", word)]
    checks = [word for word in rest if re.fullmatch(r"\+?[0-9]+\+[0-9]+", word)]
    words = [word for word in rest if word not in numbers and word not in checks]
    _check_board(given, board)
    castling, passed, *more = [*words, "-", "-"][:max(2, len(words))]
    if more or len(numbers) > 2 or len(checks) > 1:
        raise given.error("startFen", "too many fields")
    clock, number = [*numbers, *("0", "1")[len(numbers):]]
    return " ".join([board, turn, castling, passed, *checks, clock, number])


def _check_board(given: Meaning, text: str) -> None:
    """Raises IniError for a board of another size, or with pieces that the game lacks."""
    ranks = text.partition("[")[0].split("/")
    if len(ranks) != given.ranks:
        raise given.error("startFen", f"{len(ranks)} ranks on a board of {given.ranks}")
    letters = set(given.section.pieces.values())
    for rank in ranks:
        wrong = [letter for letter in rank if letter.upper() not in letters and letter not in "12345678~"]
        if wrong:
            raise given.error("startFen", f"no piece {wrong[0]!r}")
        files = sum(int(letter) if letter.isdigit() else 1 for letter in rank.replace("~", ""))
        if files != given.files:
            raise given.error("startFen", f"{rank!r} is {files} files long on a board of {given.files}")


def _values(given: Meaning, letters: str) -> dict[str, Worth]:
    tables = []
    for key in ("pieceValueMg", "pieceValueEg"):
        table = {}
        for word in given.text(key).split():
            match = re.fullmatch(r"([A-Za-z]):(-?[0-9]{1,5})", word)
            if not match or match[1].upper() not in letters:
                raise given.error(key, f"{word[:20]!r} is not a value of a piece, such as p:150")
            table[match[1].upper()] = round(int(match[2]) * CENTIPAWN)
        tables.append(table)
    middle, end = tables
    return {letter: Worth((middle.get(letter, end.get(letter, 0)), end.get(letter, middle.get(letter, 0))))
            for letter in letters if letter in middle or letter in end}


def _face(given: Meaning) -> Face:
    """What XBoard is told: the template, and White's half of the table of pieces."""
    template, table = given.text("variantTemplate"), given.text("pieceToCharTable")
    if template not in ("fairy", "shogi", "bughouse"):
        raise given.error("variantTemplate", "none of fairy, shogi, bughouse")
    if not re.fullmatch(r"[A-Za-z.+~'!=|^*:0-9-]*", table):
        raise given.error("pieceToCharTable", "no table of pieces")
    given.number("pocketSize")
    return Face(parent=template)
