"""The games as python-chess Boards, the readable second implementation of each.

A file for each game says of which mechanisms it is composed; mechanisms/ has a module for each rule, base/ what all share.
"""

from variants.boards.base.drawing import TITLE_COLOR, svg
from variants.boards.base.naming import NamingMove, parse_uci_move
from variants.boards.base.pgn import register
from variants.boards.base.stateful import StatefulBoard

__all__ = ["TITLE_COLOR", "NamingMove", "StatefulBoard", "parse_uci_move", "register", "svg"]
