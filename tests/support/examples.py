"""Examples from the rules that both implementations of a game are tried on."""

from __future__ import annotations

# shatar: (FEN, move, the seventh field after it)
SERIES = [
    ("7k/6pp/8/8/8/8/8/KR6 w - - 0 1", "b1b8", "w"),  # shak by a rook
    ("7k/6pp/8/8/8/8/8/KJ6 w - - 0 1", "b1b8", "w"),  # by a berse
    ("7k/7p/8/6N1/8/8/8/K7 w - - 0 1", "g5f7", "w"),  # by a knight
    ("7k/7p/8/8/8/8/8/K1B5 w - - 0 1", "c1b2", "-"),  # tuk
    ("7k/p7/6P1/8/8/8/8/K7 w - - 0 1", "g6g7", "-"),  # zod
    ("7k/7p/8/8/8/8/8/K1B5 w - - 0 1 w", "c1b2", "w"),  # kept by another check
    ("7k/7p/8/8/8/8/8/K1B5 w - - 0 1 wb", "c1e3", "b"),  # cleared by a move without check; the other side's stays
    ("7k/7p/5N2/8/8/8/1B6/K7 w - - 0 1", "f6g4", "-"),  # a discovered tuk
    ("7k/7p/5N2/8/8/8/1B6/K6R b - - 0 1 w", "h8g7", "w"),  # a reply does not touch it
    ("7k/p7/8/4N3/8/8/1B6/K7 w - - 0 1", "e5f7", "w"),  # double check: the knight gives shak
]
