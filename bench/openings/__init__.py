"""Positions to begin from: books, suites of forced wins, EPD files."""
