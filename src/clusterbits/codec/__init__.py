"""The code that q0 is the length of: classes, encoded for someone who has the clusters."""

from clusterbits.codec.coding import decode, encode
from clusterbits.codec.lengths import CodeLength, CodeLengths, code_lengths

__all__ = ["CodeLength", "CodeLengths", "code_lengths", "decode", "encode"]


def __dir__() -> list[str]:
    return __all__
