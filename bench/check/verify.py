"""`kingmaker verify`: checks every move and result of finished games with second implementations of the rules."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path

import chess

import variants
from bench.extras import need
from bench.match.claims import Claim, read_games
from bench.match.records import End, GameRecord
from bench.match.store import Store
from engine.errors import CommandError
from engine.game import Game, Reason
from engine.rules.traits import Traits
from variants.boards import StatefulBoard

Ending = tuple[End, chess.Color | None]  # why, and the winner


RESULTS = {1: "1-0", 0: "0-1", None: "1/2-1/2"}  # by the winner: chess.WHITE, chess.BLACK
COUNTED = (End.REPETITION, End.FIFTY_MOVES)
CLAIMABLE = (*COUNTED, End.MATERIAL)  # not every program ends the game then
ON_THE_MOVE = (End.TIME, End.ILLEGAL)  # can only happen to the side to move
MAY_BE_DRAWN = (End.TIME, End.CRASH, End.STALL, End.RESIGN_RULE)  # if the opponent cannot win, for example


def add_arguments(parser: ArgumentParser) -> None:
    """Add the file and --pyffish."""
    parser.add_argument("file", type=Path, help="results of kingmaker match (SQLite), or a PGN")
    parser.add_argument("--pyffish", action="store_true", help="check with Fairy-Stockfish's pyffish too, if it knows the game")


def run(args: Namespace) -> int:
    """Exit status: 0 if all games agree, 1 otherwise."""
    if args.pyffish:
        need("pyffish")
    seen: Counter[str] = Counter()
    wrong = 0
    for record, troubles in games(args.file):
        if args.pyffish and variants.find(record.variant).fairy_name:
            seen["pyffish"] += 1
            troubles += look_with_pyffish(record)
        for trouble in troubles:
            print(f"game {record.number} ({record.white} - {record.black}): {trouble}")
        wrong += bool(troubles)
        seen["games"] += 1
        seen["moves"] += len(record.plies)
        seen[f"end {record.reason.value}"] += 1
    if not seen["games"]:
        raise CommandError(f"{args.file} has no games")
    ends = ", ".join(f"{name.removeprefix('end ')} {count}" for name, count in seen.most_common() if name.startswith("end "))
    both = f" and pyffish ({seen['pyffish']} games)" if args.pyffish else ""
    agree = "all agree" if not wrong else "1 game disagrees" if wrong == 1 else f"{wrong} games disagree"
    games_moves = ", ".join(f"{seen[f'{what}s']} {what}{'s' * (seen[f'{what}s'] != 1)}" for what in ("game", "move"))
    print(f"{games_moves} checked with python-chess Boards{both}: {agree}\nends: {ends}")
    return int(wrong > 0)


def games(path: Path) -> Iterator[tuple[GameRecord, list[str]]]:
    """The games of a file, and what is wrong with each. Raises CommandError if it has none."""
    try:
        with path.open("rb") as file:
            database = file.read(16) == b"SQLite format 3\0"
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror or error}") from None
    if database:
        with closing(Store.open(path)) as store:
            for record in store.games():
                yield record, list(look(record))
    else:
        for record, claim, troubles in read_games(path):
            yield record, troubles or list(look(record) if claim is None else look_at_claim(record, claim))


def look(record: GameRecord) -> Iterator[str]:
    """What the game's Board, a second implementation of its rules, finds wrong with a game that Kingmaker refereed."""
    board = yield from _replayed(record, end_of)
    if board is None:
        return
    end = end_of(board)
    if end is None and by_rule(record.reason):
        yield f"{record.reason.value} at the end of a game that is not over"
    elif end is not None and (end[0], RESULTS[end[1]]) != (record.reason, record.result) and not record.reason.fault:
        yield f"is {RESULTS[end[1]]} by {end[0].value}, not {record.result} by {record.reason.value}"
    if record.fault is not None and record.result != ("0-1", "1-0")[record.fault]:
        yield f"{record.result} though {('White', 'Black')[record.fault]} is at fault"
    wanted = possible_results(record.reason)
    if not by_rule(record.reason) and record.result not in wanted:
        yield f"{record.result} by {record.reason.value}, which is {' or '.join(wanted)}"
    elif record.reason in ON_THE_MOVE and record.result == RESULTS[board.turn]:
        yield f"{record.result} by {record.reason.value} of {('White', 'Black')[board.turn]}, who was not to move"


def look_at_claim(record: GameRecord, claim: Claim) -> Iterator[str]:
    """The same for a game of another program, which may ignore draws that have to be claimed and describes the end in words."""
    board = yield from _replayed(record, inevitable_end_of)
    if board is None:
        return
    end, told = end_of(board), claim.end
    if end is not None and (told is None or not told.fault):  # a move that came too late may have been recorded, and be mate
        by_board = RESULTS[end[1]]
        if record.result == by_board:
            record.reason = end[0]
            return
        if end[0] not in CLAIMABLE:
            yield f"is {by_board} by {end[0].value}, not {record.result}"
            return
    if told is None:
        if record.result != "*":
            yield f"{record.result}, but the game is not over, and neither Termination nor the last comment says why it ended"
    elif by_rule(told):
        if not (told is End.MATERIAL and board.is_insufficient_material() and record.result == RESULTS[None]):
            yield f"{record.result} by {told.value} ({claim.text}), but the game is not over"
    elif claim.result is not None:
        if record.result != claim.result:
            yield f"{record.result}, but {claim.text} is {claim.result}"
    elif told not in MAY_BE_DRAWN and record.result not in (wanted := possible_results(told)):
        yield f"{record.result} by {told.value} ({claim.text}), which is {' or '.join(wanted)}"


def _replayed(record: GameRecord, over: Callable[[chess.Board], Ending | None]) -> Generator[str, None, chess.Board | None]:
    """Yield what is wrong; return the Board after the last move, or None if it was not reached."""
    new_board = variants.find(record.variant).board
    board = new_board(record.fen, chess960=record.chess960)
    for number, ply in enumerate(record.plies, 1):
        end = over(board)
        if end is not None:
            yield f"continues at ply {number}, but was {RESULTS[end[1]]} by {end[0].value}"
            return None
        try:
            move = board.parse_uci(ply.move)
        except (ValueError, chess.IllegalMoveError) as error:
            yield f"ply {number}: {error}"
            return None
        if board.san(move) != ply.san:
            yield f"ply {number}: {ply.move} is {board.san(move)}, not {ply.san}"
        board.push(move)
    # Read back: python-chess writes counted checks in another place.
    if board.fen() != record.final_fen and new_board(record.final_fen, chess960=record.chess960).fen() != board.fen():
        yield f"ends at {board.fen()}, not at {record.final_fen}"
    return board


def possible_results(reason: End) -> tuple[str, ...]:
    """The results that are possible with a reason other than the rules' own."""
    if reason is End.VOID:
        return ("*",)
    if reason is End.TABLE:  # tables know wins and draws
        return tuple(RESULTS.values())
    drawn = reason in (End.AGREED, End.DRAW_RULE, End.MOVE_LIMIT)
    return (RESULTS[None],) if drawn else (RESULTS[1], RESULTS[0])


def by_rule(reason: End) -> bool:
    """Whether the rules of the game know this reason."""
    return reason.value in {rule.value for rule in Reason}


def end_of(board: chess.Board) -> Ending | None:
    """The reason and the winner if the game is over by its Board, else None."""
    if isinstance(board, StatefulBoard):
        end = board.ending()
        return (End(end[0]), end[1]) if end else None
    rules = variants.find(str(board.uci_variant))
    traits = rules.traits
    if board.is_variant_end():
        return variant_end(traits), _winner(board)
    if not any(board.generate_legal_moves()):
        return (End.CHECKMATE, not board.turn) if board.is_check() else (End.STALEMATE, _winner(board))
    if rules.material_draws and _dead(board):
        return End.MATERIAL, None
    if traits.repetitions and board.is_repetition(traits.repetitions):
        return End.REPETITION, None
    return (End.FIFTY_MOVES, None) if 0 < traits.progress_limit <= board.halfmove_clock else None


def variant_end(traits: Traits) -> End:
    """The end that a game has beyond those of chess."""
    if traits.captures_explode:
        return End.EXPLOSION
    if traits.goal is not None:
        return End.GOAL
    if traits.checks_to_win:
        return End.CHECK_LIMIT
    return End.STALEMATE if traits.stalemate == "win" else End.EXTINCTION  # without pieces there are no moves


def _winner(board: chess.Board) -> chess.Color | None:
    """Who wins by the rule that ended the game; None for a draw."""
    return not board.turn if board.is_variant_loss() else board.turn if board.is_variant_win() else None


def inevitable_end_of(board: chess.Board) -> Ending | None:
    """The same without draws that have to be claimed."""
    end = end_of(board)
    return None if end is not None and end[0] in CLAIMABLE else end


def _dead(board: chess.Board) -> bool:
    """King against king with at most one knight or bishop: the only dead positions of the rules sheet."""
    others = board.occupied & ~board.kings
    return chess.popcount(others) <= 1 and not others & ~(board.knights | board.bishops)


def look_with_pyffish(record: GameRecord) -> list[str]:
    """What Fairy-Stockfish finds wrong: an illegal move, a game that should have ended before, another result."""
    import pyffish

    name = variants.find(record.variant).fairy_name
    fen = " ".join(record.fen.split()[:6])
    moves, frc = [ply.move for ply in record.plies], record.chess960
    if variants.find(record.variant).opening:  # its shatar begins after the obligatory moves
        game = Game(record.variant, record.fen)
        while len(game.moves) < len(moves) and len(game.moves) < 2 and len(game.legal_moves()) == 1:
            game.push(moves[len(game.moves)])
        fen, moves = " ".join(game.fen().split()[:6]), moves[len(game.moves):]
    for number in range(len(moves)):
        legal = pyffish.legal_moves(name, fen, moves[:number], frc)
        if moves[number] not in legal:
            return [f"pyffish: ply {number + 1}, {moves[number]} is not legal"]
        over, _ = pyffish.is_immediate_game_end(name, fen, moves[:number], frc)
        if over:
            return [f"pyffish: over before ply {number + 1}"]
    if record.reason.fault or not by_rule(record.reason):
        return []
    over, value = pyffish.is_immediate_game_end(name, fen, moves, frc)
    if not over and not pyffish.legal_moves(name, fen, moves, frc):
        over, value = True, pyffish.game_result(name, fen, moves, frc)
    if not over and record.reason in COUNTED:
        over, value = pyffish.is_optional_game_end(name, fen, moves, frc)
    if not over and record.reason is End.MATERIAL:
        over, value = all(pyffish.has_insufficient_material(name, fen, moves, frc)), 0
    if not over:
        return [f"pyffish: not over, but {record.reason.value}"]
    white_moves = (fen.split()[1] == "w") == (len(moves) % 2 == 0)
    found = "1/2-1/2" if value == 0 else "1-0" if (value > 0) == white_moves else "0-1"
    return [] if found == record.result else [f"pyffish: {found}, not {record.result} by {record.reason.value}"]


