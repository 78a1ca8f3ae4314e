"""The Board of any declared game, by its declaration alone: pieces walk, moves are made to see whether they are legal."""

from variants.boards.declared.board import DeclaredBoard, DeclaredMove, declared_board

__all__ = ["DeclaredBoard", "DeclaredMove", "declared_board"]
