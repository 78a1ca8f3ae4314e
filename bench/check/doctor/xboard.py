"""The steps of the XBoard protocol, version 2, as Tim Mann and H. G. Muller wrote it down, and the ways a process ends."""

from __future__ import annotations

import re
import signal
import sys
import time

import variants
from bench.check.doctor.steps import Patient, Skip, Steps, check, ends, plain
from bench.check.doctor.xboard_common import (
    FEATURES,
    OWN_STEP,
    SEARCH,
    declared,
    feature,
    fresh_game,
    hello,
    legal,
    moved,
    play,
    position,
    read_features,
    sync,
)

STEPS = Steps()

THINKING = r"\s*(\d+)[+.]?\s+(-?\d+)\s+(\d+)\s+(\d+)(\s.*)?"
RESULT = r"(1-0|0-1|1/2-1/2)\s*\{.*\}.*"
MATE_IN_ONE = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"
KNOWN = frozenset((
    "ping", "setboard", "playother", "san", "usermove", "time", "draw", "sigint", "sigterm", "reuse", "analyze", "myname",
    "variants", "colors", "ics", "name", "pause", "nps", "debug", "memory", "smp", "egt", "option", "exclude", "done",
    "setscore", "highlight"))


# The start


@STEPS("silence at the start", "no line before the first command", advised=True, fresh=True)
def _(patient: Patient) -> str:
    said = patient.talk.listen(1.0)
    check(not said, f"{said[:1]}")
    return "nothing for a second"


@STEPS("protover 2", "features, or at least done=0, within 2 s", fresh=True)
def _(patient: Patient) -> str:
    patient.hello = hello  # also for one without features: it may speak version 1
    began = time.perf_counter()
    patient.features = features = read_features(patient)
    check(features or features.wrong, f"no feature line within {FEATURES:g} s")
    patient.name = plain(features.get("myname", "")) or patient.name
    check(not features.wrong, "; ".join(features.wrong))
    return f"{patient.name}, {len(features)} features, the first after {((features.first or began) - began) * 1000:.0f} ms"


@STEPS("feature names", "those of the standard; done=1 at last")
def _(patient: Patient) -> str:
    features = declared(patient)
    check(features, "it declared none")
    unknown = [name for name in features if not name.startswith("option ") and name not in KNOWN]
    check(not unknown, f"unknown: {', '.join(unknown)}")
    check(features.get("done") == "1", "no done=1: the GUI waits")
    return ", ".join(f"{name}={value}" for name, value in features.items() if value in "01" and name != "done")


@STEPS("useful features", "ping, setboard, usermove, sigint=0, reuse, colors=0", advised=True)
def _(patient: Patient) -> str:
    features = declared(patient)
    wanted = {"ping": "1", "setboard": "1", "usermove": "1", "sigint": "0", "colors": "0"}
    missing = [f"{name}={value}" for name, value in wanted.items() if features.get(name) != value]
    check(not missing, f"without {', '.join(missing)}")
    return "all"


@STEPS("engine options", "`NAME -KIND VALUES` as XBoard reads them")
def _(patient: Patient) -> str:
    told = declared(patient).options()
    if not told:
        raise Skip("it has none")
    for text in told:
        check(re.fullmatch(r".+ -(button|save|reset|check [01]|spin -?\d+ -?\d+ -?\d+|combo .+|(string|file|path|slider) ?.*)",
                           text), f"{text!r}")
    return f"{len(told)}"


@STEPS("accepted, rejected", "taken in silence")
def _(patient: Patient) -> str:
    patient.talk.send("accepted ping", "rejected colors", "rejected nonesuch")
    said = sync(patient)
    check(not said, f"{said[:1]}")
    return "silence"


@STEPS("ping", "pong with the same number")
def _(patient: Patient) -> str:
    feature(patient, "ping")
    patient.talk.send("ping 4711")
    patient.talk.until("pong 4711", 2.0)
    return "pong 4711"


@STEPS("commands of no consequence", "rating, computer, hint, bk, otim, draw, hard, easy and the like: no Error, no move")
def _(patient: Patient) -> str:
    features = declared(patient)
    told = [line for line, name in (("name Somebody", "name"), ("ics -", "ics")) if features.get(name) == "1"]
    fresh_game(patient, *told, "rating 2000 2100", "computer", "hint", "bk", "time 1000", "otim 1000", "draw", "hard", "easy",
               "post", "nopost", "random", "result * {no reason}")
    said = [line for line in sync(patient) if line.startswith(("Error", "move", "Illegal"))]
    check(not said, f"{said[:1]}")
    return "taken"


# Playing


@STEPS("usermove", "the engine, playing Black after `new`, answers with a legal move")
def _(patient: Patient) -> str:
    fresh_game(patient)
    play(patient, "e2e4")
    return f"move {legal(moved(patient)[0], 'e2e4')}"


@STEPS("force, go", "silence in force mode; `go` plays the side to move")
def _(patient: Patient) -> str:
    fresh_game(patient, "force")
    play(patient, "e2e4", "e7e5")
    early = [line for line in sync(patient) if line.startswith("move")]
    check(not early, f"{early[:1]} in force mode")
    patient.talk.send("go")
    return f"move {legal(moved(patient)[0], 'e2e4', 'e7e5')}"


@STEPS("playother", "the other side is played from the next move on")
def _(patient: Patient) -> str:
    feature(patient, "playother")
    fresh_game(patient, "force")
    play(patient, "e2e4")
    patient.talk.send("playother")
    play(patient, "e7e5")
    return f"move {legal(moved(patient)[0], 'e2e4', 'e7e5')}"


@STEPS("post", "ply score time nodes pv, whole numbers")
def _(patient: Patient) -> str:
    fresh_game(patient, "post", "st 1")
    play(patient, "e2e4")
    said = [line for line in moved(patient)[1] if line.strip() and not line.startswith(("#", "tell"))]
    patient.talk.send("nopost", "level 40 0:10 0")
    wrong = [line for line in said if not re.fullmatch(THINKING, line)]
    check(said and not wrong, f"{wrong[0]!r}" if wrong else "no line of thinking")
    return f"{len(said)} lines, the last {said[-1].strip()[:60]!r}"


@STEPS("nopost", "no lines of thinking")
def _(patient: Patient) -> str:
    fresh_game(patient)
    play(patient, "d2d4")
    said = [line for line in moved(patient)[1] if re.fullmatch(THINKING, line)]
    check(not said, f"{said[:1]}")
    return "none"


@STEPS("st", "1 s a move: answered after that, not half a second later")
def _(patient: Patient) -> str:
    fresh_game(patient, "st 1")
    sync(patient)
    began = play(patient, "e2e4")
    seconds = moved(patient)[2] - began
    check(seconds < 1.5, f"{seconds:.2f} s")
    return f"{seconds:.2f} s"


@STEPS("sd", "2 plies: answered at once")
def _(patient: Patient) -> str:
    fresh_game(patient, "sd 2", "level 40 5 0")
    sync(patient)
    began = play(patient, "e2e4")
    seconds = moved(patient)[2] - began
    patient.talk.send("new")
    check(seconds < 1.0, f"{seconds:.2f} s")
    return "at once"


@STEPS("time, otim", "1 s left: a move well before")
def _(patient: Patient) -> str:
    fresh_game(patient, "level 0 1 0", "time 100", "otim 6000")
    sync(patient)
    began = play(patient, "e2e4")
    seconds = moved(patient)[2] - began
    check(seconds < 0.8, f"{seconds:.2f} s")
    return f"{seconds:.2f} s"


@STEPS("fractional level", "`level 0 0:02 0.1`, as XBoard and Cute Chess send it: a move in time", advised=True)
def _(patient: Patient) -> str:
    fresh_game(patient, "level 0 0:02 0.1", "time 200", "otim 200")
    said = [line for line in sync(patient) if line.startswith("Error") and not OWN_STEP.fullmatch(line)]
    check(not said, f"{said[:1]}")
    began = play(patient, "e2e4")
    seconds = moved(patient)[2] - began
    check(seconds < 1.0, f"{seconds:.2f} s")
    return f"{seconds:.2f} s"


@STEPS("?", "a move at once")
def _(patient: Patient) -> str:
    fresh_game(patient, "st 30")
    sync(patient)
    play(patient, "e2e4")
    time.sleep(0.5)
    began = patient.talk.send("?")
    seconds = moved(patient, 5.0)[2] - began
    check(seconds < 1.0, f"{seconds:.2f} s")
    return f"{seconds * 1000:.0f} ms" if seconds > 0 else "it had moved already"


@STEPS("ping while thinking", "pong only after the move")
def _(patient: Patient) -> str:
    feature(patient, "ping")
    fresh_game(patient, "st 1")
    sync(patient)
    play(patient, "e2e4")
    patient.talk.send("ping 99")
    said = patient.talk.until("pong 99", SEARCH * patient.patience)
    check(any(line.startswith("move") for line in said), "pong before the move")
    return "after the move"


@STEPS("hard, easy", "with pondering on, pong at once after the move, and the next move is answered")
def _(patient: Patient) -> str:
    fresh_game(patient, "st 1", "hard")
    play(patient, "e2e4")
    first = moved(patient)[0]
    patient.talk.listen(0.3)
    sync(patient)
    legal(first, "e2e4")
    play(patient, "g1f3")
    second = legal(moved(patient)[0], "e2e4", first, "g1f3")
    patient.talk.send("easy")
    return f"{first}, then {second}"


@STEPS("undo, remove", "one move, two moves taken back; the game goes on from there")
def _(patient: Patient) -> str:
    fresh_game(patient, "force")
    play(patient, "e2e4", "e7e5", "g1f3")
    patient.talk.send("undo", "remove")
    play(patient, "d2d4")
    patient.talk.send("go")
    return f"after d2d4 {legal(moved(patient)[0], 'd2d4')}"


@STEPS("illegal move", "`Illegal move: e2e5`, and the position stays")
def _(patient: Patient) -> str:
    fresh_game(patient)
    play(patient, "e2e5")
    lines = patient.talk.until(r"Illegal move.*", 3.0, "Illegal move")
    check(re.fullmatch(r"Illegal move( \(.*\))?: ?e2e5", lines[-1]), f"{lines[-1]!r}")
    play(patient, "e2e4")
    return f"{lines[-1]!r}, then {legal(moved(patient)[0], 'e2e4')}"


@STEPS("unknown command", "`Error (unknown command): xyzzy`", advised=True)
def _(patient: Patient) -> str:
    fresh_game(patient, "force", "xyzzy")
    said = [line for line in sync(patient) if not OWN_STEP.fullmatch(line)]
    check(any(re.fullmatch(r"Error \(.*\): ?xyzzy.*", line) for line in said), f"{said[:1]}")
    return said[0]


@STEPS("setboard", "a position is read; after the mate it claims `1-0 {...}`")
def _(patient: Patient) -> str:
    feature(patient, "setboard")
    position(patient, MATE_IN_ONE)
    patient.talk.send("go")
    move = legal(moved(patient)[0], fen=MATE_IN_ONE)
    lines = patient.talk.until(RESULT, 3.0, "result claim")
    check(lines[-1].startswith("1-0"), f"{lines[-1]!r}")
    return f"move {move}, {lines[-1]!r}"


@STEPS("setboard, nonsense", "`tellusererror Illegal position`; it plays on", advised=True)
def _(patient: Patient) -> str:
    feature(patient, "setboard")
    fresh_game(patient, "force", "setboard 8/8/8 w - - 0 1")
    said = [line for line in sync(patient) if not OWN_STEP.fullmatch(line)]
    check(any(line.startswith("tellusererror Illegal position") for line in said), f"{said[:1]}")
    fresh_game(patient)
    play(patient, "e2e4")
    return f"{said[0]!r}, then {legal(moved(patient)[0], 'e2e4')}"


@STEPS("dummy move", "before setboard Cute Chess sends any move for White: never `Illegal move`", advised=True)
def _(patient: Patient) -> str:
    fresh_game(patient, "force")
    play(patient, "a2a3")
    feature(patient, "setboard")
    patient.talk.send("setboard 7k/8/5KQ1/8/8/8/8/8 b - - 0 1")
    said = [line for line in sync(patient) if "Illegal" in line]
    check(not said, f"{said[:1]}")
    return "taken"


@STEPS("memory, cores", "taken before `new`")
def _(patient: Patient) -> str:
    features = declared(patient)
    lines = [line for line, name in (("memory 64", "memory"), ("cores 2", "smp")) if features.get(name) == "1"]
    if not lines:
        raise Skip("it declares neither memory nor smp")
    patient.talk.send(*lines, "new")
    said = [line for line in sync(patient) if line.startswith("Error") and not OWN_STEP.fullmatch(line)]
    check(not said, f"{said[:1]}")
    fresh_game(patient, "st 1")
    play(patient, "e2e4")
    move = legal(moved(patient)[0], "e2e4")
    patient.talk.send("cores 1") if "cores 2" in lines else None
    return f"{', '.join(lines)}; move {move}"


@STEPS("analyze", "thinking for either side, `.` answered by stat01, undo and moves obeyed, `exit` ends it")
def _(patient: Patient) -> str:
    feature(patient, "analyze")
    fresh_game(patient, "post", "force")
    sync(patient)
    patient.talk.send("analyze")
    patient.talk.until(THINKING, 5.0, "thinking")
    play(patient, "e2e4")
    time.sleep(0.5)  # XBoard asks every two seconds, not in the moment between two positions
    patient.talk.send(".")
    stat = patient.talk.until("stat01:.*", 5.0, "stat01")[-1]
    check(re.fullmatch(r"stat01: \d+ \d+ \d+ \d+ \d+( \S.*)?", stat), f"{stat!r}")
    patient.talk.send("undo")
    patient.talk.until(THINKING, 5.0, "thinking")
    patient.talk.send("exit", "nopost")
    said = [line for line in sync(patient) if line.startswith("move")]
    check(not said, f"{said[:1]}")
    fresh_game(patient)
    play(patient, "e2e4")
    moved(patient)
    return stat


@STEPS("variants", "the games that XBoard does not know answer `variant` with setup or a new game")
def _(patient: Patient) -> str:
    names = [name for name in declared(patient).get("variants", "").split(",") if name]
    check("normal" in names, f"no `normal` in variants {','.join(names)[:80]!r}")
    ours = [name for name in names if name in variants.names() or name == "fischerandom"]
    setups = []
    for name in ours:
        patient.talk.send("new", f"variant {name}")
        said = sync(patient)
        wrong = [line for line in said if line.startswith(("Error", "Illegal"))]
        check(not wrong, f"{name}: {wrong[:1]}")
        setups += [name for line in said if line.startswith("setup ")]
    return f"{len(names)} in all, in common {', '.join(ours) or 'none'}; setup by {', '.join(setups) or 'none'}"


# The end


def thinking(patient: Patient) -> None:
    patient.greet()
    patient.talk.send("st 60")
    play(patient, "e2e4")
    patient.talk.listen(0.3)


@STEPS("quit", "ended within 1 s", fresh=True)
def _(patient: Patient) -> str:
    patient.greet()
    patient.talk.send("quit")
    return ends(patient, "quit")


@STEPS("quit while thinking", "ended within 1 s", fresh=True)
def _(patient: Patient) -> str:
    thinking(patient)
    patient.talk.send("quit")
    return ends(patient, "quit")


@STEPS("stdin closed", "ended within 1 s", advised=True, fresh=True)
def _(patient: Patient) -> str:
    patient.greet()
    patient.talk.hang_up()
    return ends(patient, "the end of its input")


@STEPS("stdin closed while analysing", "ended within 1 s", advised=True, fresh=True)
def _(patient: Patient) -> str:
    patient.greet()
    feature(patient, "analyze")
    patient.talk.send("post", "force", "analyze")
    patient.talk.listen(0.3)
    patient.talk.hang_up()
    return ends(patient, "the end of its input")


@STEPS("SIGTERM while thinking", "ended within 1 s", fresh=True)
def _(patient: Patient) -> str:
    if sys.platform == "win32":
        raise Skip("no such signal here")
    thinking(patient)
    patient.talk.process.terminate()
    return ends(patient, "SIGTERM")


@STEPS("SIGINT", "ignored where sigint=0 was declared", fresh=True)
def _(patient: Patient) -> str:
    if sys.platform == "win32":
        raise Skip("no such signal here")
    if declared(patient).get("sigint") != "0":
        raise Skip("it does not declare sigint=0")
    patient.greet()
    patient.talk.process.send_signal(signal.SIGINT)
    fresh_game(patient)
    play(patient, "e2e4")
    return f"move {moved(patient)[0]}"


@STEPS("stderr", "nothing there: XBoard reads it as if it were stdout", advised=True, fresh=True)
def _(patient: Patient) -> str:
    thinking(patient)
    patient.talk.send("quit")
    patient.talk.ended(2.0)
    said = bytes(patient.talk.errors).decode("utf-8", "replace").strip()
    check(not said, f"{said[:100]!r}")
    return "nothing"
