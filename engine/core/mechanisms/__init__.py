"""Rules beyond FIDE chess, a module each."""
