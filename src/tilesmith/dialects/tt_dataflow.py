"""The tt dialect: what only dataflow kernels do."""

from __future__ import annotations

from xdsl.ir import Dialect

TTDataflowDialect = Dialect("tt_dataflow", [], [])
