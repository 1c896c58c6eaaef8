"""The tile compiler: TileLang kernels -> Programs. `pipeline` lists its passes in order."""

from __future__ import annotations

from typing import Any

from tilesmith.compiler.pass_group import Pass
from tilesmith.compiler.pass_result import PassResult


def _call(step: Pass, kernel: Any) -> PassResult:
    from tilesmith.compiler.pass_calls import call  # only a called pass needs the pipeline

    return call(step, kernel)


Pass.caller = staticmethod(_call)
