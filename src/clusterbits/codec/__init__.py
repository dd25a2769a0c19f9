"""The code itself: the classes sent to someone who has the clusters, in the bits q0 promises."""

from clusterbits.codec.coding import CodeLength, decode, encode
from clusterbits.codec.lengths import CodeLengths, code_lengths

__all__ = ["CodeLength", "CodeLengths", "code_lengths", "decode", "encode"]
