"""Every call that is compared, from the files of its groups."""

from __future__ import annotations

from conformance.ttnn_api.call import Call
from conformance.ttnn_api.calls_elementwise import ELEMENTWISE
from conformance.ttnn_api.calls_grid_sample import GRID_SAMPLE
from conformance.ttnn_api.calls_host import HOST
from conformance.ttnn_api.calls_movement import MOVEMENT
from conformance.ttnn_api.calls_products import PRODUCTS
from conformance.ttnn_api.calls_rows import ROWS


def all_calls() -> list[Call]:
    return [*ELEMENTWISE, *MOVEMENT, *PRODUCTS, *ROWS, *GRID_SAMPLE, *HOST]
