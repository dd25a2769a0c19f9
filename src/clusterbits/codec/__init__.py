"""The code that q0 is the length of: classes, encoded for someone who has the clusters."""

from clusterbits.codec.lengths import CodeLength, CodeLengths, code_lengths
from clusterbits.codec.messages import decode, encode

__all__ = ["CodeLength", "CodeLengths", "code_lengths", "decode", "encode"]


def __dir__() -> list[str]:
    return __all__
