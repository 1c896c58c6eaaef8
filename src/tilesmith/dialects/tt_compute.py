"""The tt dialect: what only compute kernels do."""

from __future__ import annotations

from xdsl.ir import Dialect

TTComputeDialect = Dialect("tt_compute", [], [])
