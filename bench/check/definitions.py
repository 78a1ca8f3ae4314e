"""`kingmaker check-variant`: what a file of definitions means, and whether the compiled games agree with their Boards."""

from __future__ import annotations

import random
from argparse import ArgumentParser, Namespace

import variants
from bench.printing import print_table
from engine.core.perft import perft
from engine.errors import CommandError, EngineError
from engine.game import Game
from engine.rules import Rules
from engine.text import parse_fen
from variants.boards.declared import DeclaredBoard, declared_board
from variants.boards.declared.walking import attacks, quiet
from variants.ini import Definition

PLIES = 60  # of a random game
BOARD_DEPTH = 2  # to which the Board counts, too
MOST_DEPTH = 6


def add_arguments(parser: ArgumentParser) -> None:
    """Add the file, the games and how much is tried."""
    parser.add_argument("file", metavar="FILE", help="definitions in the format of variants.ini")
    parser.add_argument("names", nargs="*", metavar="NAME", help="games to try; default: all that are understood")
    parser.add_argument("--games", type=int, default=2, metavar="N",
                        help="random games of each, 0 to read only; default: %(default)s")
    parser.add_argument("--depth", type=int, default=3, metavar="N", help="count so many plies; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the random games; default: %(default)s")


def run(args: Namespace) -> int:
    """Exit status: 0; 1 if a game is refused, or does not agree with its Board."""
    if not 0 <= args.games <= 1000 or not 1 <= args.depth <= MOST_DEPTH:
        raise CommandError(f"--games {args.games} --depth {args.depth}: 0 to 1000 games, 1 to {MOST_DEPTH} plies")
    found = variants.define(args.file)
    unknown = set(args.names) - {each.name for each in found}
    if unknown:
        raise CommandError(f"{args.file} has no section {min(unknown)!r}")
    chosen = [each for each in found if not args.names or each.name in args.names]
    print_table(["game", "line", "what it means"], [[each.name, str(each.line), summary(each)] for each in chosen])
    good = True
    for each in chosen:
        if each.rules is None:
            good = False
            continue
        if args.names:
            print(drawings(each.rules))
        if args.games:
            good &= try_game(each.rules, args.games, args.depth, args.seed)
    return 0 if good else 1


def summary(definition: Definition) -> str:
    """What a section means, or why it is refused."""
    rules = definition.rules
    if rules is None:
        return f"refused: {definition.error}"
    pieces = " ".join(f"{piece.letter}{'*' if piece.royal else ''}:{piece.betza}" for piece in rules.pieces)
    mechanisms = ", ".join(mechanism.name for mechanism in rules.traits.mechanisms)
    return f"{rules.files}x{rules.ranks} {pieces}" + (f"; {mechanisms}" if mechanisms else "")


def drawings(rules: Rules) -> str:
    """How each piece moves from the middle of an empty board: `o` moves and captures, `m` moves only, `c` captures only."""
    home = 8 * (rules.ranks // 2) + rules.files // 2
    blocks = []
    for piece in rules.pieces:
        goes, takes = (found(rules, piece.letter, 0, home, ()) for found in (quiet, attacks))
        rows = [f"{piece.letter} {piece.betza}"]
        for rank in reversed(range(rules.ranks)):
            squares = range(8 * rank, 8 * rank + rules.files)
            rows.append(" ".join(piece.letter if s == home else "o" if s in goes & takes else "m" if s in goes else
                                 "c" if s in takes else "." for s in squares))
        blocks.append("\n".join(rows))
    return "\n\n".join(blocks)


def try_game(rules: Rules, games: int, depth: int, seed: int) -> bool:
    """Play random games compiled and on the Board, and count; says what differs, and whether nothing does."""
    dice = random.Random(seed)
    try:
        board_class = declared_board(rules)
        positions = sum(random_game(rules, board_class, dice) for _ in range(games))
        compare_counts(rules, board_class, min(depth, BOARD_DEPTH))
        pos = parse_fen(rules, rules.start_fen)
        counts = " ".join(f"{perft(rules, pos, plies):,}" for plies in range(1, depth + 1))
    except EngineError as error:
        print(f"{rules.name}: {error}")
        return False
    played = f"{games} random game{'s' * (games != 1)}"
    print(f"{rules.name}: {positions} positions of {played} agree with the Board; perft {counts}", flush=True)
    return True


def compare_counts(rules: Rules, board_class: type[DeclaredBoard], depth: int) -> None:
    """Count the leaves of the start position both ways. Raises EngineError for a difference."""
    pos, board = parse_fen(rules, rules.start_fen), board_class()
    for plies in range(1, depth + 1):
        ours, theirs = perft(rules, pos, plies), leaves(board, plies)
        if ours != theirs:
            raise EngineError(f"DIFFERENT perft {plies} of {rules.start_fen}: {ours}, the Board counts {theirs}")


def leaves(board: DeclaredBoard, depth: int) -> int:
    """The leaves of the game tree, move by move."""
    moves = [] if board.play.end(board.place) is not None else list(board.legal_moves)
    if depth == 1:
        return len(moves)
    count = 0
    for move in moves:
        board.push(move)
        count += leaves(board, depth - 1)
        board.pop()
    return count


def random_game(rules: Rules, board_class: type[DeclaredBoard], dice: random.Random) -> int:
    """Play a game on both; returns how many positions it had. Raises EngineError for a difference."""
    game, board = Game(rules), board_class()
    for ply in range(PLIES):
        if game.fen() != board.fen():
            line = " ".join(game.move_stack)
            raise EngineError(f"DIFFERENT positions after {line}: {game.fen()}, the Board has {board.fen()}")
        ours, theirs = sorted(game.legal_moves()), sorted(move.uci() for move in board.legal_moves)
        if ours != theirs:
            odd = " ".join(sorted(set(ours) ^ set(theirs)))
            raise EngineError(f"DIFFERENT moves in {game.fen()}: {odd}")
        decided, end = game.verdict(), board.play.end(board.place)
        winner = None if end is None or end[1] is None else int(not end[1])
        if (decided is None) != (end is None) or (decided is not None and decided.winner != winner):
            raise EngineError(f"DIFFERENT ends in {game.fen()}: {decided}, the Board has {end}")
        if decided is not None or not ours:
            return ply + 1
        counted = perft(rules, game.pos, 1)
        if counted != len(ours):
            raise EngineError(f"DIFFERENT counts in {game.fen()}: {counted} of {len(ours)} moves")
        move = dice.choice(ours)
        game.push(move)
        board.push_uci(move)
    return PLIES
