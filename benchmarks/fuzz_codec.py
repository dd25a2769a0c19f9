"""Fuzz `decode`: no input may crash it, hang it, or be answered wrongly without an error.

    python benchmarks/fuzz_codec.py [inputs]            # seeded mutations, 100,000 by default
    python benchmarks/fuzz_codec.py --atheris [options] # coverage-guided, e.g. -max_total_time=300

Half of the mutants get a right checksum for what they say, as an attacker would give them, so that
everything behind the checksum is reached; those may turn out to be codes of other labels. The
mutations live in tests/support/mutations.py, and a short run of them is in the test suite.
"""

import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))


def mutations_run(inputs):
    from support import mutations

    samples = mutations.samples()
    others = [code for code, _, _ in samples]
    rng = random.Random(2024)
    refused = slowest = 0
    start = time.perf_counter()
    for _ in range(inputs):
        sample, honest = rng.choice(samples), rng.random() < 0.5
        if honest:
            code = mutations.mutated(sample[0], rng, others)
            honest = code != sample[0]
        else:
            code = mutations.sealed(mutations.mutated(sample[0][:-8], rng, others))
        begin = time.perf_counter()
        refused += mutations.try_decoding(code, sample, honest)
        slowest = max(slowest, time.perf_counter() - begin)
    print(
        f"{inputs:,} inputs in {time.perf_counter() - start:.0f} s: {refused:,} refused, the others"
        f" are codes of labels; the slowest took {slowest * 1e3:.0f} ms; no crash, no wrong answer"
    )


def atheris_run(arguments):
    import tempfile

    import atheris

    with atheris.instrument_imports(include=["clusterbits.codec"]):
        from support import mutations

        import clusterbits.codec  # noqa: F401

    samples = mutations.samples()

    def one_input(data):
        if len(data) < 2:
            return
        sample = samples[data[0] % len(samples)]
        code = bytes(data[2:])
        if data[1] & 1:
            mutations.try_decoding(code, sample, honest=code != sample[0])
        else:
            mutations.try_decoding(mutations.sealed(code), sample, honest=False)

    with tempfile.TemporaryDirectory() as corpus:
        for i, (code, _, _) in enumerate(samples):
            Path(corpus, str(i)).write_bytes(bytes([i, 0]) + code[:-8])
        atheris.Setup([sys.argv[0], "-max_len=1024", "-timeout=10", *arguments, corpus], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    if "--atheris" in sys.argv:
        atheris_run([argument for argument in sys.argv[1:] if argument != "--atheris"])
    else:
        mutations_run(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
