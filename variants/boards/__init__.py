"""The games as readable python-chess Boards, the second implementation of each: a module for each mechanism."""
