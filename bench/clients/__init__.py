"""Engines to talk to: processes over UCI and the XBoard protocol, and players in this process with their game loop."""
