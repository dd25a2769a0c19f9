"""Compile the kernels for NVIDIA's GPUs: needs nvcc, and no GPU.

    python tools/make_kernels.py

The driver compiles PTX for its GPU when it is loaded. It is written for the oldest GPUs that nvcc
knows, and in the oldest version of PTX that has all that is used, so that older drivers read it.
"""

import hashlib
import re
import subprocess
from pathlib import Path

KERNELS = Path(__file__).parents[1] / "src/clusterbits/ingest/kernels"
VERSION, TARGET = "7.0", "compute_75"


def main():
    source, target = KERNELS / "pairs.cu", KERNELS / "pairs.ptx"
    subprocess.run(["nvcc", "-O3", f"-arch={TARGET}", "-ptx", "-o", target, source], check=True)
    lines = target.read_text().splitlines()
    code = "\n".join(line for line in lines if line and not line.lstrip().startswith("//"))
    code = re.sub(r"^\.version .*$", f".version {VERSION}", code, flags=re.MULTILINE)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    head = f"// Made by tools/make_kernels.py of pairs.cu, whose SHA-256 is {digest}."
    target.write_text(f"{head}\n{code}\n")


if __name__ == "__main__":
    main()
