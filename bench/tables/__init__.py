"""Tables of endings: making, checking and asking them."""
