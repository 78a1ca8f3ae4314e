"""Web pages and pictures."""
