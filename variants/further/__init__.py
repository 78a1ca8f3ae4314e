"""The further games: played like all others, but compiled only when somebody plays them.

No import of rules stands here, for the names alone must be quick to list.
"""

SINGLE = {  # name: module
    "antichess": "antichess", "crazyhouse": "crazyhouse", "kingofthehill": "kingofthehill", "3check": "three_check",
    "racingkings": "racingkings", "horde": "horde",
}
GAMES = {**SINGLE}
ALIASES = {  # in plain form, as variants.plain() writes it
    "koth": "kingofthehill", "hill": "kingofthehill", "threecheck": "3check", "threechecks": "3check", "zh": "crazyhouse",
    "house": "crazyhouse", "racing": "racingkings", "anti": "antichess",
}
