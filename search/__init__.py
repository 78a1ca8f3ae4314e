"""Search: alpha-beta over the compiled rules."""
