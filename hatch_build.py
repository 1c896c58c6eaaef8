"""What building the package compiles.

An installation from a checkout compiles the emulator's runtime, so that the first program need not wait for
it. A wheel stays free of machine code, and may be installed anywhere: the first use compiles. Built with
BUILD_WITH_RUNTIME=1 it is for one kind of computer, and brings the runtime, conversions of formats and the
kernels of `tilesmith init`.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "BUILD_WITH_RUNTIME"


class CompileRuntime(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the kernels of a new project need to run, once, while they are compiled."""
        return list(self.metadata.core.dependencies) if os.environ.get(VARIABLE) == "1" else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sys.path.insert(0, str(Path(self.root) / "src"))
        if version == "editable":
            self.compile_runtime()
            return
        build_data["force_include"][str(Path(self.root) / "examples")] = "tilesmith/examples"
        if os.environ.get(VARIABLE) == "1":
            self.compile_for_wheel(build_data)

    def compile_runtime(self) -> None:
        from tilesmith.emulator.runtime_build import runtime_job
        from tilesmith.errors import TilesmithError
        from tilesmith.settings import using
        from tilesmith.toolchain import compile_many, prebuilt

        try:
            with using(cache_dir=prebuilt.ROOT):
                compile_many([runtime_job()])
        except TilesmithError as error:
            self.app.display_warning(f"the runtime will be compiled at first use: {error}")

    def compile_for_wheel(self, build_data: dict[str, Any]) -> None:
        from tilesmith.cli.prebuild import prebuild

        folder = Path(self.directory) / "prebuilt"
        shutil.rmtree(folder, ignore_errors=True)
        prebuild(folder)
        build_data["force_include"][str(folder)] = "tilesmith/prebuilt"
        build_data["pure_python"] = False
        # It calls no function of Python's: one wheel serves every version.
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        shutil.rmtree(Path(self.directory) / "prebuilt", ignore_errors=True)
