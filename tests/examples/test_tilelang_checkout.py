"""The runner of TileLang's examples, on a checkout of three small ones: right, wrong, and for GPUs only."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conformance.tilelang_run.catalogue import find_examples

KERNEL = """
import torch
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def doubled(m, n):
    @T.prim_func
    def main(x: T.Tensor((m, n), "float32"), y: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(m, 32), threads=128) as by:
            block = T.alloc_shared((32, n), "float32")
            T.copy(x[by * 32, 0], block)
            for i, j in T.Parallel(32, n):
                block[i, j] = block[i, j] * FACTOR
            T.copy(block, y[by * 32, 0])

    return main


def main(m=40):
    x = torch.randn(m, 64, device="cuda")
    torch.testing.assert_close(doubled(m, 64)(x), 2 * x)


if __name__ == "__main__":
    main(4096)
"""
TEST = "import right\n\n\ndef test_right():\n    right.main()\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "examples" / "double"
    folder.mkdir(parents=True)
    (folder / "right.py").write_text(KERNEL.replace("FACTOR", "2"))
    (folder / "test_right.py").write_text(TEST)
    (folder / "wrong.py").write_text(KERNEL.replace("FACTOR", "3").replace("4096", "33"))
    (folder / "gpu.py").write_text(KERNEL.replace("block[i, j] * FACTOR", "T.call_extern('float32', 'f')"))
    return tmp_path


def test_examples_are_found_with_their_tests(checkout: Path) -> None:
    found = {example.path.stem: example for example in find_examples(checkout)}
    assert sorted(found) == ["gpu", "right", "wrong"]
    assert [name for _, name in found["right"].tests] == ["test_right"]
    assert found["gpu"].gpu_only == ("T.call_extern",)
    assert not found["wrong"].tests


@pytest.mark.slow
def test_outcomes_are_counted(checkout: Path, repository: Path) -> None:
    script = repository / "conformance" / "tilelang_examples.py"
    page = checkout / "page.md"
    command = [sys.executable, str(script), str(checkout), "--json", "--page", str(page)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout.splitlines()[-1])
    assert (told["passed"], told["failed"], told["total"]) == (1, 1, 2)
    assert "not close" in told["reasons"]["double/wrong.py"]
    assert told["gpu_only"] == {"double/gpu.py": "T.call_extern"}
    text = page.read_text(encoding="utf-8")
    assert "| passed: its own comparison held | 1 |" in text
    assert "| double/gpu.py | `T.call_extern` |" in text
    assert "Still running" not in text
