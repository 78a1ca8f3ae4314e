"""Which processor code is compiled for, and which way of finding sliding moves is its fastest."""

from __future__ import annotations

import functools
import os

import numba
from llvmlite import binding


def sliders() -> str:
    """`pext` where one instruction gathers bits fast, `lines` (obstruction difference) elsewhere.

    `fills` is `pext`, and moves are counted in all directions at once: for processors whose registers hold eight words.
    KINGMAKER_SLIDERS overrules. AMD before Zen 3 has the instruction in slow microcode.
    """
    wanted = os.environ.get("KINGMAKER_SLIDERS", "")
    name, features = processor()
    able = set(features.split(","))
    if wanted == "lines" or "+bmi2" not in able:
        return "lines"
    if wanted != "pext" and {"+avx512f", "+avx512vpopcntdq"} <= able:
        return "fills"
    return "pext" if wanted in ("pext", "fills") or name not in ("znver1", "znver2", "bdver4") else "lines"


@functools.cache
def processor() -> tuple[str, str]:
    """Name and features of the processor code is made for."""
    name = numba.config.CPU_NAME or binding.get_host_cpu_name()
    features = numba.config.CPU_FEATURES
    return name, binding.get_host_cpu_features().flatten() if features is None else features
