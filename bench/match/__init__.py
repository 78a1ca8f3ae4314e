"""The arbiter: engines over UCI or XBoard play matches of any of our games, our rules being the referee."""
