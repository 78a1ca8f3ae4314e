"""One module for each rule beyond orthodox chess. A game's Board is composed of them."""
