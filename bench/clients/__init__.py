"""Other engines as processes."""
