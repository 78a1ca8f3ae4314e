"""What the Boards share, whatever their game: state that follows the moves, FEN and EPD, endings, drawings, PGN."""
