"""The steps of UCI: the standard of April 2006, options that GUIs rely on, and the ways a process ends."""

from __future__ import annotations

import signal
import sys
import time

import variants
from bench.check.doctor.steps import Patient, Skip, Steps, Trouble, check, ends, plain
from bench.check.doctor.uci_common import (
    all_options,
    answer,
    begin,
    hello,
    legal,
    no_answer,
    option,
    ready,
    search,
    set_option,
    stop,
)
from bench.clients.process import EngineGoneError, NoAnswerError
from engine.errors import MoveError
from engine.game import Game

STEPS = Steps()

MATE_IN_ONE = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"
MATE_IN_TWO = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"  # a1a6, by Paul Morphy
MATED = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
SHUFFLE = "g1f3 g8f6 f3g1 f6g8"
REQUIRED = ("depth", "score", "nodes", "nps", "time", "pv")


# The start


@STEPS("silence at the start", "no line before the first command", advised=True, fresh=True)
def _(patient: Patient) -> str:
    said = patient.talk.listen(1.0)
    check(not said, f"{said[0]!r}" if said else "")
    return "nothing for a second"


@STEPS("uci", "id name, id author, options, then `uciok` alone on its line", fresh=True)
def _(patient: Patient) -> str:
    patient.hello = hello
    began = time.perf_counter()
    try:
        lines = patient.uci.greet(patient.patience)
    except (NoAnswerError, EngineGoneError):
        patient.give_up()
        raise
    seconds, said = lines[-1].when - began, [line for _, line in lines]
    patient.options = patient.uci.options
    names = [name for line in said if line.startswith("id name ") and (name := line.removeprefix("id name ").strip())]
    patient.name = plain(names[0]) if names else patient.name
    wrong = [] if said[-1] == "uciok" else [f"{said[-1]!r} has blanks"]
    wrong += [] if len(names) == 1 else [f"{len(names)} lines `id name`"]
    wrong += [] if any(line.startswith("id author ") for line in said) else ["no `id author`"]
    check(not wrong, ", ".join(wrong))
    return f"{names[0]}, {len(patient.options)} options, {seconds * 1000:.0f} ms"


@STEPS("option lines", "type, default, min, max, var as the standard has them")
def _(patient: Patient) -> str:
    wrong = [found.wrong for found in all_options(patient).values() if found.wrong]
    check(not wrong, "; ".join(wrong))
    return "all well formed"


@STEPS("isready", "`readyok` within 15 s of the first time (Cute Chess's limit)", fresh=True)
def _(patient: Patient) -> str:
    all_options(patient)
    patient.uci.greet(patient.patience)
    return f"{ready(patient, min(15, 1.5 * patient.patience)) * 1000:.0f} ms"


@STEPS("ucinewgame", "accepted, `readyok` after it")
def _(patient: Patient) -> str:
    patient.talk.send("ucinewgame")
    return f"ready after {ready(patient) * 1000:.0f} ms"


@STEPS("Hash, Threads", "a new value is taken, and a search with it answers")
def _(patient: Patient) -> str:
    given = {}
    for name, value in (("Hash", 32), ("Threads", 2)):
        found = all_options(patient).get(name.lower())
        if found is None or found.wrong or found.kind != "spin" or not int(found.min or 0) <= value <= int(found.max or 0):
            continue
        set_option(patient, name, value)
        given[name] = found.default
    if not given:
        raise Skip("it has neither as a spin with room for it")
    best = legal(search(patient, "startpos", "depth 4").best)
    for name, default in given.items():
        set_option(patient, name, default)
    return f"{', '.join(given)}: bestmove {best}"


@STEPS("debug, register", "accepted in silence, or at most by an info string", advised=True)
def _(patient: Patient) -> str:
    patient.talk.send("debug off", "register later")
    patient.talk.send("isready")
    said = [line for line in patient.talk.until("readyok", patient.patience)[:-1] if line]
    loud = [line for line in said if not line.startswith(("info string", "registration"))]
    check(not loud, f"{loud[:1]}")
    return "accepted"


# Searching


@STEPS("go depth", "info lines as in the standard, whole numbers, `bestmove` legal and first of the last pv")
def _(patient: Patient) -> str:
    done = search(patient, "startpos", "depth 6")
    last = done.last
    legal(done.best)
    depths = [info["depth"] for info in done.lines if info.get("multipv", 1) == 1 and "bound" not in info]
    check(depths and depths == sorted(depths) and depths[-1] >= 6, f"depths {depths}")
    check(last["pv"][0] == done.best, f"pv {last['pv'][0]}, bestmove {done.best}")
    return f"depth {depths[-1]}, bestmove {done.best}"


@STEPS("info fields", f"{', '.join(REQUIRED)} in the last line", advised=True)
def _(patient: Patient) -> str:
    last = search(patient, "startpos", "movetime 300").last
    missing = [field for field in REQUIRED if field not in last]
    check(not missing, f"without {', '.join(missing)}")
    more = [field for field in ("seldepth", "multipv", "hashfull") if field in last]
    return f"all, and {', '.join(more)}" if more else "all"


@STEPS("legal variations", "every move of every pv, and the ponder move, is legal")
def _(patient: Patient) -> str:
    done, moves = search(patient, f"startpos moves e2e4 {SHUFFLE.split()[1]}", "depth 8"), 0
    for info in done.lines:
        game = Game("chess")
        game.push("e2e4")
        game.push(SHUFFLE.split()[1])
        for text in info["pv"]:
            try:
                game.push(text)
            except MoveError:
                raise Trouble(f"{text} in pv {' '.join(info['pv'])}") from None
            moves += 1
    check(done.ponder is None or done.last["pv"][1:2] in ([done.ponder], []),
          f"ponder {done.ponder} is not the second of the pv")
    return f"{moves} moves of {len(done.lines)} lines, ponder {done.ponder}"


@STEPS("position with moves", "read; the answer is legal there")
def _(patient: Patient) -> str:
    position = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4 e7e5 e1e2 e8e7"
    return f"bestmove {legal(search(patient, position, 'depth 5').best, position)}"


@STEPS("go movetime", "the answer after 300 ms, not 150 ms later")
def _(patient: Patient) -> str:
    seconds = search(patient, "startpos", "movetime 300").seconds
    check(0.1 <= seconds <= 0.45, f"{seconds * 1000:.0f} ms")
    return f"{seconds * 1000:.0f} ms"


@STEPS("go nodes", "5000 nodes are not exceeded by more than as many")
def _(patient: Patient) -> str:
    done = search(patient, "startpos", "nodes 5000")
    nodes = max((info.get("nodes", 0) for info in done.infos), default=0)
    check(nodes <= 10_000, f"{nodes} nodes")
    return f"{nodes} nodes reported, bestmove {legal(done.best)}"


@STEPS("go mate", "a mate in two is found and answered")
def _(patient: Patient) -> str:
    done = search(patient, MATE_IN_TWO, "mate 2")
    check(done.best == "a1a6", f"bestmove {done.best}")
    check(("mate", 2) in [info.get("score") for info in done.lines], "no `score mate 2`")
    return f"score mate 2, bestmove {done.best}"


@STEPS("searchmoves", "no other move is played")
def _(patient: Patient) -> str:
    done = search(patient, "startpos", "depth 4 searchmoves a2a3 h2h4")
    check(done.best in ("a2a3", "h2h4"), f"bestmove {done.best}")
    return f"bestmove {done.best}"


@STEPS("go wtime btime", "1 s left with 10 ms a move: it answers with time to spare")
def _(patient: Patient) -> str:
    seconds = search(patient, "startpos", "wtime 1000 btime 1000 winc 10 binc 10").seconds
    check(seconds < 0.8, f"{seconds * 1000:.0f} ms")
    return f"{seconds * 1000:.0f} ms"


@STEPS("go movestogo", "1 s for one move: it answers in time")
def _(patient: Patient) -> str:
    seconds = search(patient, "startpos", "wtime 1000 btime 1000 movestogo 1").seconds
    check(seconds < 1.0, f"{seconds * 1000:.0f} ms")
    return f"{seconds * 1000:.0f} ms"


@STEPS("go wtime alone", "100 ms and no word of the other side (fastchess): in time")
def _(patient: Patient) -> str:
    seconds = search(patient, "startpos", "wtime 100").seconds
    check(seconds < 0.1, f"{seconds * 1000:.0f} ms")
    return f"{seconds * 1000:.0f} ms"


@STEPS("go with no time left", "wtime 1, and wtime -50: a move at once")
def _(patient: Patient) -> str:
    took = [search(patient, "startpos", f"wtime {left} btime 1000").seconds for left in (1, -50)]
    check(max(took) < 0.25, f"{max(took) * 1000:.0f} ms")
    return f"{took[0] * 1000:.0f} and {took[1] * 1000:.0f} ms"


@STEPS("go infinite", "no `bestmove` before `stop`, then within 1 s")
def _(patient: Patient) -> str:
    begin(patient, "infinite")
    no_answer(patient, 0.7, "stop")
    return f"{stop(patient, 1.0) * 1000:.1f} ms after stop"


@STEPS("go infinite, mate found", "no `bestmove` before `stop`, mate or not")
def _(patient: Patient) -> str:
    begin(patient, "infinite", MATE_IN_ONE)
    no_answer(patient, 1.0, "stop")
    return f"{stop(patient, 1.0) * 1000:.1f} ms after stop"


@STEPS("go infinite, no move", "mated: no `bestmove` before `stop`", advised=True)
def _(patient: Patient) -> str:
    begin(patient, "infinite", MATED)
    no_answer(patient, 0.3, "stop")
    stop(patient, 1.0)
    return "waited"


@STEPS("stop at once", "`go infinite` and `stop` in one write: exactly one `bestmove`")
def _(patient: Patient) -> str:
    for _ in range(5):
        patient.talk.send("position startpos", "go infinite", "stop")
        patient.talk.until("bestmove .*", 2.0, "bestmove")
    no_answer(patient, 0.2, "the next go")
    return "one each, five times"


@STEPS("stop without a search", "silence, and ready", advised=True)
def _(patient: Patient) -> str:
    patient.talk.send("stop", "isready")
    said = patient.talk.until("readyok", patient.patience)[:-1]
    check(not [line for line in said if line.startswith("bestmove")], f"{said[:1]}")
    return "silence"


@STEPS("isready while searching", "`readyok` at once, and the search goes on")
def _(patient: Patient) -> str:
    begin(patient, "infinite")
    time.sleep(0.2)
    began = patient.talk.send("isready")
    lines = patient.talk.timed("readyok", 1.0)
    check(not any(line.startswith("bestmove") for _, line in lines), "it ended the search")
    stop(patient)
    return f"{(lines[-1][0] - began) * 1000:.1f} ms"


@STEPS("ponder, ponderhit", "no `bestmove` before `ponderhit`; then in the time given")
def _(patient: Patient) -> str:
    begin(patient, "ponder wtime 1000 btime 1000", "startpos moves e2e4 e7e5")
    no_answer(patient, 1.2, "ponderhit")
    began = patient.talk.send("ponderhit")
    seconds = patient.talk.timed("bestmove .*", 1.0, "bestmove")[-1][0] - began
    return f"{seconds * 1000:.0f} ms after ponderhit"


@STEPS("ponder, movetime", "the time counts from `ponderhit`", advised=True)
def _(patient: Patient) -> str:
    begin(patient, "ponder movetime 300")
    no_answer(patient, 0.6, "ponderhit")
    began = patient.talk.send("ponderhit")
    seconds = patient.talk.timed("bestmove .*", 2.0, "bestmove")[-1][0] - began
    check(0.1 <= seconds <= 0.45, f"{seconds * 1000:.0f} ms after ponderhit")
    return f"{seconds * 1000:.0f} ms after ponderhit"


@STEPS("ponder, stop", "no `bestmove` before `stop`, also with mate found and depth reached")
def _(patient: Patient) -> str:
    begin(patient, "ponder depth 3", MATE_IN_ONE)
    no_answer(patient, 0.7, "stop")
    return f"{stop(patient, 1.0) * 1000:.1f} ms after stop"


@STEPS("MultiPV", "three lines with different first moves, numbered, the best one first")
def _(patient: Patient) -> str:
    option(patient, "MultiPV")
    set_option(patient, "MultiPV", 3)
    done = search(patient, "startpos", "depth 5")
    set_option(patient, "MultiPV", 1)
    last = done.lines[-3:]
    numbers = [info.get("multipv") for info in last]
    check(numbers == [1, 2, 3], f"multipv {numbers}")
    check(len({info["pv"][0] for info in last}) == 3, "the same first move twice")
    scores = [info["score"][1] for info in last]
    check(scores == sorted(scores, reverse=True), f"scores {scores}")
    check(done.best == last[0]["pv"][0], f"bestmove {done.best} is not the best line's {last[0]['pv'][0]}")
    return f"{' '.join(info['pv'][0] for info in last)}, scores {scores}"


@STEPS("UCI_ShowWDL", "three numbers that add up to 1000")
def _(patient: Patient) -> str:
    option(patient, "UCI_ShowWDL")
    set_option(patient, "UCI_ShowWDL", True)
    done = search(patient, "startpos", "depth 5")
    set_option(patient, "UCI_ShowWDL", False)
    seen = [info.get("wdl") for info in done.lines]
    check(seen and all(wdl and sum(wdl) == 1000 for wdl in seen), f"wdl {seen[-1:]}")
    return f"wdl {seen[-1]}"


@STEPS("UCI_LimitStrength, UCI_Elo", "a legal move at the lowest rating")
def _(patient: Patient) -> str:
    option(patient, "UCI_LimitStrength")
    lowest = option(patient, "UCI_Elo").min
    set_option(patient, "UCI_Elo", lowest)
    set_option(patient, "UCI_LimitStrength", True)
    best = legal(search(patient, "startpos", "movetime 200").best)
    set_option(patient, "UCI_LimitStrength", False)
    return f"UCI_Elo {lowest}: bestmove {best}"


@STEPS("Skill Level", "a legal move at the lowest level")
def _(patient: Patient) -> str:
    found = option(patient, "Skill Level")
    set_option(patient, "Skill Level", found.min)
    best = legal(search(patient, "startpos", "movetime 200").best)
    set_option(patient, "Skill Level", found.default)
    return f"level {found.min}: bestmove {best}"


@STEPS("UCI_AnalyseMode", "taken, and a search with it answers")
def _(patient: Patient) -> str:
    option(patient, "UCI_AnalyseMode")
    set_option(patient, "UCI_AnalyseMode", True)
    best = legal(search(patient, "startpos", "depth 4").best)
    set_option(patient, "UCI_AnalyseMode", False)
    return f"bestmove {best}"


@STEPS("currmove", "after 3 s, with its number", advised=True)
def _(patient: Patient) -> str:
    done = search(patient, "startpos", "movetime 4200", 4.2)
    moves = [info for info in done.infos if "currmove" in info]
    check(moves, "none in 4.2 s")
    check(all("currmovenumber" in info for info in moves), "without currmovenumber")
    for info in moves:
        legal(info["currmove"])
    return f"{len(moves)}, the last {moves[-1]['currmove']}, number {moves[-1]['currmovenumber']}"


@STEPS("no legal move", "mate and stalemate: `bestmove (none)` or `0000`, no crash")
def _(patient: Patient) -> str:
    seen = []
    for fen in (MATED, STALEMATE):
        seen.append(search(patient, fen, "movetime 100").best)
        check(seen[-1] in ("(none)", "0000", "NULL"), f"bestmove {seen[-1]}")
    return f"bestmove {' and '.join(seen)}"


@STEPS("drawn by repetition", "still a legal move: the GUI decides when a game ends")
def _(patient: Patient) -> str:
    position = f"startpos moves {SHUFFLE} {SHUFFLE} {SHUFFLE}"
    return f"bestmove {legal(search(patient, position, 'depth 4').best, position)}"


@STEPS("a game of 600 plies", "read and answered in time")
def _(patient: Patient) -> str:
    position = "startpos moves " + " ".join([SHUFFLE] * 150)
    done = search(patient, position, "movetime 100")
    check(done.seconds < 1.0, f"{done.seconds * 1000:.0f} ms")
    return f"bestmove {legal(done.best)} after {done.seconds * 1000:.0f} ms"


# Variants


@STEPS("UCI_Chess960", "castling as king takes rook is read and written")
def _(patient: Patient) -> str:
    option(patient, "UCI_Chess960")
    set_option(patient, "UCI_Chess960", True)
    position = "4k3/8/8/8/8/8/8/4K2R w H - 0 1"
    done = search(patient, position, "depth 3 searchmoves e1h1")
    after = search(patient, f"{position} moves e1h1", "depth 3")
    set_option(patient, "UCI_Chess960", False)
    check(done.best == "e1h1", f"bestmove {done.best} though only e1h1 was allowed")
    legal(after.best, f"{position} moves e1h1", chess960=True)
    return f"e1h1, then {after.best}"


@STEPS("UCI_Variant", "in each game that we know too, a legal answer at two positions")
def _(patient: Patient) -> str:
    common = [name for name in variants.names() if name in option(patient, "UCI_Variant").var]
    for name in common:
        set_option(patient, "UCI_Variant", name)
        ready(patient, 6 * patient.patience)
        rules = variants.find(name)
        game = Game(rules)
        for move in rules.opening:
            game.push(move)
        for _ in range(2):
            fen = " ".join(game.fen().split()[:6])
            try:
                best = legal(search(patient, fen, "depth 3").best, fen, name)
            except Trouble as trouble:
                raise Trouble(f"{name}, {fen}: {trouble}") from None
            game.push(best)
    set_option(patient, "UCI_Variant", "chess")
    ready(patient)
    return ", ".join(common)


# What is no command


@STEPS("nonsense", "unknown words, empty lines, bytes that are no text: it lives and is ready")
def _(patient: Patient) -> str:
    patient.talk.raw(b"\nxyzzy\n   \n\xff\xfe\x80 go\nposition\ngo dpeth 3\nstop\nsetoption\nsetoption name Nonesuch value 1\n")
    patient.talk.send("stop")
    ready(patient)
    patient.talk.listen(0.3)  # a `go` with words that are none may be answered
    return "alive"


@STEPS("blanks", "`\\r\\n`, tabs and blanks around words are read")
def _(patient: Patient) -> str:
    patient.talk.raw(b"  position \t startpos   moves  e2e4 \r\n")
    patient.talk.raw(b"\tgo   depth   3  \r\n")
    best = answer(patient)[-1][1].split()[1:2]
    return f"bestmove {legal(' '.join(best), 'startpos moves e2e4')}"


@STEPS("illegal move in position", "it lives; the position before stays, or the moves before it count")
def _(patient: Patient) -> str:
    patient.talk.send("position startpos moves e2e4", "position startpos moves e2e4 e2e4")
    ready(patient)
    patient.talk.send("go depth 3")
    best = answer(patient)[-1][1].split()[1:2]
    return f"bestmove {legal(' '.join(best), 'startpos moves e2e4')}"


# The end


@STEPS("quit", "ended within 1 s, status 0", fresh=True)
def _(patient: Patient) -> str:
    patient.greet()
    patient.talk.send("quit")
    seen = ends(patient, "quit")
    check(seen.startswith("status 0"), seen)
    return seen


@STEPS("quit while searching", "ended within 1 s", fresh=True)
def _(patient: Patient) -> str:
    patient.greet()
    begin(patient, "infinite")
    patient.talk.listen(0.3)
    patient.talk.send("quit")
    return ends(patient, "quit")


@STEPS("stdin closed", "ended within 1 s", advised=True, fresh=True)
def _(patient: Patient) -> str:
    patient.greet()
    patient.talk.hang_up()
    return ends(patient, "the end of its input")


@STEPS("stdin closed while searching", "ended within 1 s", advised=True, fresh=True)
def _(patient: Patient) -> str:
    patient.greet()
    begin(patient, "infinite")
    patient.talk.listen(0.3)
    patient.talk.hang_up()
    return ends(patient, "the end of its input")


@STEPS("SIGTERM while searching", "ended within 1 s", fresh=True)
def _(patient: Patient) -> str:
    if sys.platform == "win32":
        raise Skip("no such signal here")
    patient.greet()
    begin(patient, "infinite")
    patient.talk.listen(0.3)
    patient.talk.process.terminate()
    return ends(patient, "SIGTERM")


@STEPS("SIGINT", "ignored: a terminal's Ctrl-C is meant for the GUI", advised=True, fresh=True)
def _(patient: Patient) -> str:
    if sys.platform == "win32":
        raise Skip("no such signal here")
    patient.greet()
    patient.talk.process.send_signal(signal.SIGINT)
    ready(patient)
    return "ready"


@STEPS("stderr", "nothing there: some GUIs read it as if it were stdout", advised=True, fresh=True)
def _(patient: Patient) -> str:
    patient.greet()
    search(patient, "startpos", "depth 5")
    patient.talk.send("quit")
    patient.talk.ended(2.0)
    said = bytes(patient.talk.errors).decode("utf-8", "replace").strip()
    check(not said, f"{said[:100]!r}")
    return "nothing"
