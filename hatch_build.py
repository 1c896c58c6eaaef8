"""Installing from a checkout compiles the emulator's runtime, so that the first program need not wait for it.

A wheel stays free of machine code: it may be installed anywhere, and then the first use compiles.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileRuntime(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's name
        if version != "editable":
            return
        sys.path.insert(0, str(Path(self.root) / "src"))
        from tilesmith.emulator.runtime_build import runtime_job
        from tilesmith.errors import TilesmithError
        from tilesmith.settings import using
        from tilesmith.toolchain import compile_many, prebuilt

        try:
            with using(cache_dir=prebuilt.ROOT):
                compile_many([runtime_job()])
        except TilesmithError as error:
            self.app.display_warning(f"the runtime will be compiled at first use: {error}")
