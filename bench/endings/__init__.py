"""`kingmaker endings`: fits the evaluation of elementary endings to their tables."""
