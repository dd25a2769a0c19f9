"""Whole numbers in as few bytes as they need: seven bits a byte, the lowest first."""

from clusterbits.errors import CodeError

# Nine bytes hold 63 bits: more than any count.
_LONGEST = 9


def put_varint(number: int) -> bytes:
    """Return the bytes of a number; all but the last have their high bit set.

    >>> put_varint(300).hex()
    'ac02'
    """
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def take_varint(code: bytes, begin: int) -> tuple[int, int]:
    """Return the number that begins there, and where it ends.

    >>> take_varint(bytes.fromhex("ac02"), 0)
    (300, 2)
    """
    number = 0
    for place, byte in enumerate(code[begin : begin + _LONGEST]):
        number |= (byte & 127) << 7 * place
        if byte < 128:
            return number, begin + place + 1
    raise CodeError("the code is damaged: a number in it does not end.")
