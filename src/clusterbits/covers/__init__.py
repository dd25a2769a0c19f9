"""Clusterings that are not partitions: soft memberships and overlapping clusters.

`soft_code` is Dom's code length for `Memberships`; `overlapping` has the measures between two
covers, `fuzzy` those between two fuzzy partitions.
"""

from clusterbits.covers.fuzzy import frobenius_adjusted_rand, fuzzy_rand
from clusterbits.covers.memberships import Memberships
from clusterbits.covers.overlapping import bcubed_extended, omega, overlapping_nmi
from clusterbits.covers.soft_code import SoftCode, q0_soft, soft_code

__all__ = [
    "Memberships",
    "SoftCode",
    "bcubed_extended",
    "frobenius_adjusted_rand",
    "fuzzy_rand",
    "omega",
    "overlapping_nmi",
    "q0_soft",
    "soft_code",
]


def __dir__() -> list[str]:
    return __all__
