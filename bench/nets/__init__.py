"""Training nets: data from self-play, shuffled; the trainer; what a net is worth."""
