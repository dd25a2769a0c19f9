"""The coder of earlier versions, which wrote long codes in many lanes: one symbol at a time.

Such codes must be read for ever, and nothing in the library writes them any more.
"""

from clusterbits.codec.varint import put_varint


class LaneEncoder:
    def __init__(self, lanes):
        self.wanted, self.lanes, self.words = lanes, [2**32], []
        self.in_lanes = 0

    def push(self, recorder):
        for record in reversed(recorder.records):
            for symbol in record.backwards():
                self.push_symbol(*symbol)

    def push_symbol(self, limit, freq, growth, start):
        # The last symbols are coded by one state, whose words become the others' first states.
        if len(self.lanes) == 1 and self.lanes[0] >= limit and len(self.words) == self.wanted - 1:
            self.lanes += [2**32 + word for word in self.words]
            self.words = []
        lane = -1 - self.in_lanes % len(self.lanes)
        state = self.lanes[lane]
        if state >= limit:
            self.words.append(state % 2**32)
            state >>= 32
        self.lanes[lane] = state + state // freq * growth + start
        self.in_lanes += len(self.lanes) > 1

    def finish(self):
        words = b"".join(word.to_bytes(4, "little") for word in self.words)
        if len(self.lanes) == 1:
            state = self.lanes[0]
            return b"\0" + words + state.to_bytes((state.bit_length() + 7) // 8, "little")
        packed = position = 0
        for state in self.lanes:
            below = state.bit_length() - 1
            packed |= (below - 32 | (state - (1 << below)) << 5) << position
            position += below + 5
        head = bytes([self.wanted.bit_length() - 1]) + put_varint(self.in_lanes)
        return head + packed.to_bytes((position + 7) // 8, "little") + words
