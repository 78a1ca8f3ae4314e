"""The further games: played like all others, but compiled only when somebody plays them.

No import of rules stands here, for the names alone must be quick to list.
"""

SINGLE = {  # name: module
    "antichess": "antichess", "crazyhouse": "crazyhouse", "kingofthehill": "kingofthehill", "3check": "three_check",
    "racingkings": "racingkings", "horde": "horde", "cylinder": "cylinder",
}
ARMIES = ("ff", "cc", "nn", "rr")
FAMILIES = {
    **{f"{family}-{white}-{black}": "armies" for family in ("armies", "ataturk", "ascending") for white in ARMIES
       for black in ARMIES},
    "tripunch": "tripunch", "ataturk-tripunch": "tripunch",
    **{f"madness-{king}": "mad_kings" for king in ("ferz", "threeleaper", "frog", "mao", "6x6")},
}
GAMES = {**SINGLE, **FAMILIES}
PICTURED = (  # games with a picture in the documentation; members of a family share them
    *SINGLE, "armies-ff-cc", "armies-nn-rr", "ataturk-ff-cc", "tripunch", "madness-ferz", "madness-threeleaper", "madness-frog",
    "madness-mao", "madness-6x6")
ALIASES = {  # those of the files, in plain form, as variants.plain() writes it
    "koth": "kingofthehill", "hill": "kingofthehill", "threecheck": "3check", "threechecks": "3check", "zh": "crazyhouse",
    "house": "crazyhouse", "racing": "racingkings", "anti": "antichess", "cylindrical": "cylinder",
}
