"""Kingmaker in graphical user interfaces."""
