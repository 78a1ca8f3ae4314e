"""Tables of endings: the value of every position of a material, made by retrograde analysis, kept in files and probed."""
