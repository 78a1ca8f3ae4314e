"""What the XBoard steps share: the start of a process and of a game, moves, legality by our rules."""

from __future__ import annotations

import re

from bench.check.doctor.steps import Patient, Skip, Trouble
from bench.clients.xboard import Features
from engine.errors import FenError, MoveError
from engine.game import Game

MOVE = r"[a-h][1-8][a-h][1-8][qrbnQRBN]?|[O0]-[O0](-[O0])?"
OWN_STEP = re.compile(r"Error \(.*\): ?(nopost|easy)\b.*")  # of the commands between games, which have a step of their own
FEATURES = 2.0  # seconds that XBoard waits for a feature
SEARCH = 2.0  # times the patience: what a short search may take on a busy machine


def hello(patient: Patient) -> None:
    """Make a new process ready for a step: features accepted, a short clock, thinking hidden."""
    for name in read_features(patient):
        patient.talk.send(f"accepted {name}")
    patient.talk.send("new", "random", "level 40 0:10 0", "nopost", "easy")
    sync(patient)


def read_features(patient: Patient) -> Features:
    """What the engine declares until XBoard would wait no longer; less patiently if it declared nothing before."""
    return patient.xboard.greet(FEATURES if patient.features is None or len(patient.features) else 0.2, 6 * patient.patience)


def declared(patient: Patient) -> Features:
    """The features the engine declared; none if it never declared any."""
    return patient.features or Features()


def feature(patient: Patient, name: str) -> str:
    """A feature's value. Raises Skip if it is off or unknown."""
    if not declared(patient).on(name):
        raise Skip(f"it does not declare {name}=1")
    return declared(patient)[name]


def sync(patient: Patient) -> list[str]:
    """What it answers to the commands so far: up to the pong, or for half a second if it has no ping."""
    if declared(patient).get("ping") != "1":
        return patient.talk.listen(0.5)
    return patient.xboard.sync(SEARCH * patient.patience)


def play(patient: Patient, *moves: str) -> float:
    """Send moves in the form the engine asked for; returns when they were sent."""
    return patient.talk.send(*patient.xboard.moves(moves))


def moved(patient: Patient, seconds: float = 0.0) -> tuple[str, list[str], float]:
    """The engine's move, what it said before, and when it came."""
    lines = patient.answer(rf"move ({MOVE})\s*", seconds or SEARCH * patient.patience, "move")
    return lines[-1][1].split()[1], [line for _, line in lines[:-1] if not OWN_STEP.fullmatch(line)], lines[-1][0]


def fresh_game(patient: Patient, *lines: str) -> None:
    """Begin a game with a short clock, pondering and thinking off."""
    patient.talk.send("new", "level 40 0:10 0", "easy", "nopost", *lines)


def position(patient: Patient, fen: str) -> None:
    """Set up a position in force mode. Raises Skip."""
    feature(patient, "setboard")
    fresh_game(patient, "force", f"setboard {fen}")


def legal(move: str, *before: str, fen: str | None = None) -> str:
    """The move, checked by our rules. Raises Trouble."""
    try:
        game = Game("chess", fen)
        for text in before:
            game.push(spelt(text, game.turn))
        game.parse(spelt(move, game.turn))
    except (FenError, MoveError) as error:
        raise Trouble(f"move {move} is illegal: {error}") from None
    return move


def spelt(move: str, turn: int) -> str:
    """A move as our rules read it, castling as the king's move."""
    file = {"O-O": "g", "0-0": "g", "O-O-O": "c", "0-0-0": "c"}.get(move)
    return move.lower() if file is None else f"e{(1, 8)[turn]}{file}{(1, 8)[turn]}"
