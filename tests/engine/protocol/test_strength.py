"""Playing below full strength: how lines are judged, and that an announced mate is given."""

from __future__ import annotations

import random
import re

import pytest

from bench.data import SUITES
from engine.game import Game
from engine.protocol import strength
from engine.protocol.session import Session
from engine.protocol.xboard import play as xboard_play
from engine.text import legal_moves
from search.limits import MATE, Info, Limits
from support.talk import Inside

LEVELS = (0, 5, 10, 15, 19, 2100)  # the last one as UCI_Elo
AT_ONCE = (  # a mate in one among many slower wins
    "5k2/8/5K2/8/8/8/8/7R w - - 0 1", "6k1/5ppp/8/8/8/8/5PPP/QR1R2K1 w - - 0 1", "k7/8/1K6/8/8/8/1QQ5/2R5 w - - 0 1",
    "3k4/8/3K4/8/8/8/8/1QQR4 w - - 0 1", "k7/8/2K5/8/8/8/8/1R1QQQ2 w - - 0 1", "8/8/8/8/4q3/2k5/7q/K7 b - - 0 1")
HEAVY = ("4k3/8/8/8/8/8/8/Q2QK3 w - - 0 1", "8/5k2/8/8/8/8/8/QQQQK3 w - - 0 1", "8/8/8/4k3/8/8/8/R3K2R w - - 0 1",
         "8/2k5/8/8/8/2P5/PP1P4/RRRRK3 w - - 0 1", "8/8/8/4k3/8/8/8/3QK3 w - - 0 1")


def line(rank: int, score: int) -> Info:
    """One of the lines to choose among."""
    return Info(5, 5, rank, score, "", 1000, 1.0, 0, (rank,))


def session_of(variant: str, level: int) -> Session:
    """One that plays a variant at a level."""
    session = Session(lambda text: None)
    session.values["UCI_Variant"] = variant
    if level > strength.FULL:
        session.values["UCI_LimitStrength"], session.values["UCI_Elo"] = True, level
    else:
        session.values["Skill Level"] = level
    return session


def think(session: Session, limits: Limits) -> tuple[int, int | None]:
    """The move, and in how many moves it is said to mate."""
    said: list[Info] = []
    ticket = session.ticket()
    best = session.think(ticket, limits, said.append)
    session.done(ticket)
    assert best.move is not None
    mates = [info.mate for info in said if not info.bound and info.mate is not None and info.mate > 0]
    return best.move, min(mates, default=None)


@pytest.mark.parametrize("level", [0, 5, 10, 15, 19, 20])
def test_mates_are_not_judged(level: int, dice: random.Random) -> None:
    """However large the error and the other scores: a mate is played, the quickest, and one's own is the last resort."""
    given = strength.of_level(level)
    for _ in range(500):
        scores = [MATE - 3, MATE - 1, 9000, dice.randrange(-9000, 9000), -MATE + 2, -MATE + 8, MATE - 7]
        dice.shuffle(scores)
        lines = {rank: line(rank, score) for rank, score in enumerate(scores, 1)}
        for best in (MATE - 1, MATE - 3, MATE - 7):
            chosen = strength.choose(lines, given, dice)
            assert chosen is not None and chosen.score == best
            del lines[chosen.multipv]
        for _ in range(2):
            chosen = strength.choose(lines, given, dice)
            assert chosen is not None and chosen.mate is None
            del lines[chosen.multipv]
        chosen = strength.choose(lines, given, dice)
        assert chosen is not None and chosen.score == -MATE + 8


@pytest.mark.parametrize("level", LEVELS)
def test_a_mate_at_once_is_played(level: int) -> None:
    session = session_of("chess", level)
    for fen in AT_ONCE:
        session.set_position(fen, [])
        game = session.game
        mates = [text for text in game.legal_moves() if mated(fen, text)]
        assert 0 < len(mates) < len(game.legal_moves()) / 2
        for _ in range(5):
            session.clear()
            move, announced = think(session, Limits(depth=12))
            assert game.text(move) in mates and announced == 1, fen


def mated(fen: str, text: str) -> bool:
    """Whether a move ends the game."""
    game = Game("chess", fen)
    game.push(text)
    return game.result() in ("1-0", "0-1")


def play_out(session: Session, fen: str, chance: random.Random) -> tuple[int, bool]:
    """Play against random moves: how often an announced mate came nearer, and whether it came.

    Each mate announced must come a move nearer with each move, and be there in the end.
    """
    session.set_position(fen, [])
    session.clear()
    game, us = session.game, session.game.turn
    owed, kept = None, 0
    while game.outcome() is None and len(game.moves) < 80:
        if game.turn != us:
            session.push(chance.choice([int(move) for move in legal_moves(game.rules, game.pos)]))
            continue
        move, mate = think(session, Limits(movetime=5000))
        assert owed is None or (mate is not None and mate <= owed), (fen, game.fen(), owed, mate)
        kept += owed is not None
        owed = None if mate is None else mate - 1
        session.push(move)
        if mate == 1:
            outcome = game.outcome()
            assert outcome is not None and outcome.winner == us, game.fen()
    return kept, owed == 0


def suite(variant: str) -> list[str]:
    """Positions with a mate in a few moves."""
    lines = (SUITES / f"{variant}.epd").read_text().splitlines()
    return [" ".join(text[1].split()) for entry in lines if (text := re.match(r"(.*?) bm .* dm \d+;", entry))]


@pytest.mark.parametrize("level", LEVELS)
def test_a_mate_that_was_announced_is_given(level: int, dice: random.Random) -> None:
    """Level 0 seldom sees a mate before it is there: the positions are played again until five came nearer."""
    session = session_of("chess", level)
    kept = came = 0
    for _ in range(6):
        found = [play_out(session, fen, dice) for fen in (*HEAVY, *suite("chess")[:16])]
        kept += sum(nearer for nearer, _ in found)
        came += sum(given for _, given in found)
        assert came >= 9
        if kept >= 5:
            break
    assert kept >= 5


@pytest.mark.long
@pytest.mark.parametrize("variant", ["chess", "atomic", "shatar", "ataturk", "madness", "ascending", "warmspit"])
def test_a_mate_that_was_announced_is_given_in_every_game(variant: str, dice: random.Random) -> None:
    for level in LEVELS:
        session = session_of(variant, level)
        assert sum(play_out(session, fen, dice)[1] for fen in suite(variant)) > 10


def test_variety_in_the_opening_is_no_reason_to_miss_a_mate(xboard: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slower mate scores a few points less: among moves that are nearly as good it is not."""
    monkeypatch.setattr(xboard_play, "RANDOM_MARGIN", 200)
    xboard.send("random")
    for _ in range(8):
        xboard.send("setboard 5k2/8/5K2/8/8/8/8/7R w - - 0 1", "go")
        assert "move h1h8" in xboard.until("1-0 .*", 20)
        xboard.send("force")
