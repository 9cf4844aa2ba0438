"""Step 6: the trained vectors as the product ships them: 8 bits a number and one scale a row.

Writes `weights/docs-256.safetensors` and `weights/docs-256.tokenizer.json`, and prints their SHA-256.

usage: python training/quantise.py [TABLE.npy]
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from corpus import WORK

TARGET = WORK / "weights"
LARGEST = 127


def quantise(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows as int8, and what to multiply each by."""
    scale = np.abs(table).max(axis=1) / LARGEST
    rows = np.rint(table / np.maximum(scale, 1e-12)[:, None]).astype(np.int8)
    return rows, scale.astype(np.float32)


def main() -> None:
    """Write the files; the rounded table goes beside the trained one, so that the loss can be measured."""
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else WORK / "trained.npy"
    rows, scale = quantise(np.load(source).astype(np.float32))
    np.save(WORK / "quantised.npy", rows.astype(np.float32) * scale[:, None])
    TARGET.mkdir(parents=True, exist_ok=True)
    files = (TARGET / "docs-256.safetensors", TARGET / "docs-256.tokenizer.json")
    save_file({"rows": rows, "scale": scale}, str(files[0]))
    shutil.copyfile(WORK / "tokenizer.json", files[1])
    for file in files:
        print(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}  {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
