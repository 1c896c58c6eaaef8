"""Example ops from spec to stage 7 with `tilesmith op` alone, with their kernels."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.opsmith.specs_at_hand import EXAMPLES
from tests.opsmith.test_stages import red_then_green, tilesmith

from tilesmith.opsmith.journal import find_op

OPS = ("scale_rows", "masked_sum", "take_rows")


@pytest.mark.slow
@pytest.mark.parametrize("name", OPS)
def test_from_spec_to_stage_7(name: str, lasting_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(EXAMPLES / f"{name}_spec.md", lasting_folder)
    monkeypatch.chdir(lasting_folder)
    assert tilesmith("new", f"{name}_spec.md", "--out", "ops").exit_code == 0
    done = tilesmith("stage", "1-6", "--op", f"ops/{name}")
    assert done.exit_code == 0, done.output
    shutil.copytree(EXAMPLES / "kernels" / name, Path("ops") / name / "kernels", dirs_exist_ok=True)
    done = tilesmith("stage", "7", "--op", f"ops/{name}")
    assert done.exit_code == 0, done.output
    journal = find_op(Path("ops"))
    assert all(red_then_green(journal, stage) for stage in range(1, 8))
    assert "- **All Tests**: PASS" in tilesmith("log", "--op", f"ops/{name}").output
