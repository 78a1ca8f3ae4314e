"""Ascending the Throne. Source: the rules sheet after the inventor, T. H. Jones."""

from __future__ import annotations

from variants.boards.mechanisms.succession import Succession


class AscendingBoard(Succession):
    """Orthodox chess with captured kings that are succeeded by queen, rook, bishop or knight, in this order."""

    aliases = ["Ascending the Throne", "ascending"]  # noqa: RUF012
    uci_variant = "ascending"
    xboard_variant = "ascending"
