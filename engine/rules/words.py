"""The words of a position, by index; engine/core/position.py explains them."""

KEY, TURN, EP, CASTLING, ROYAL, MARKS, CLOCK, PLY, WHITE, BLACK, TYPES = range(11)
MARKS_OF_A_SIDE = 32  # where MARKS counts by side: bits of each
MAX_TYPES = 16  # a move has four bits for the type
HAND_BITS = 5  # of a type in a word of pieces in hand: up to 31 of them
TYPES_IN_HAND = 64 // HAND_BITS
