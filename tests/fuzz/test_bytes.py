"""Files and codes that were changed, cut, or are any bytes at all: read, or refused in words."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hostile import examples
from support.mutations import mutated
from support.targets import TARGETS

# Where one of these stands, a reader of text decides something.
letters = st.text(",;|\t\"'\\\n\r\x00\ufeff{}[]:.-01aé ", max_size=60)


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_bytes(name):
    target = TARGETS[name]
    samples = target.samples()
    mutants = st.builds(
        lambda sample, seed: mutated(sample, random.Random(seed)),
        st.sampled_from(samples),
        st.integers(0, 2**32),
    )
    any_bytes = st.binary(max_size=60) | letters.map(str.encode)
    begun = st.builds(lambda sample, rest: sample[:16] + rest, st.sampled_from(samples), any_bytes)

    @examples(8)
    @given(mutants | begun | any_bytes)
    def check(data):
        target.read(data)

    check()
