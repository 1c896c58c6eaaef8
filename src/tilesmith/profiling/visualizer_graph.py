"""What ttnn's graph capture would say of a program: its call, its tensors, its circular buffers."""

from __future__ import annotations

from typing import Any

from tilesmith.profiling.model import ProgramProfile, TensorTraffic
from tilesmith.profiling.vendor_names import inputs_and_outputs, op_code

Node = dict[str, Any]


def captured_graph(program: ProgramProfile) -> list[Node]:
    """The nodes in order. The call has the CSV's OP CODE as its name, which links the two reports."""
    graph = _Graph()
    name = op_code(program)
    inputs, outputs = inputs_and_outputs(program)
    graph.add("capture_start")
    for tensor in inputs:
        graph.add("tensor", _tensor(tensor))
    graph.add("function_start", {"name": name, "inputs": str(len(inputs))}, [one.name for one in inputs])
    for cb in program.circular_buffers:
        params = {
            "address": str(cb.address),
            "core_range_set": cb.core_ranges.replace(" .. ", " - "),
            "size": str(cb.size),
            "globally_allocated": str(int(cb.on_tensor)),
            "device_id": "0",
        }
        graph.add("circular_buffer_allocate", params)
    graph.add("circular_buffer_deallocate_all", {"device_id": "0"})
    graph.add("function_end", {"name": name})
    for tensor in outputs:
        graph.add("tensor", _tensor(tensor))
    graph.add("capture_end")
    return graph.nodes


class _Graph:
    def __init__(self) -> None:
        self.nodes: list[Node] = []

    def add(
        self, node_type: str, params: dict[str, str] | None = None, arguments: list[str] | None = None
    ) -> None:
        """Each node follows the one before it."""
        counter = len(self.nodes)
        if self.nodes:
            self.nodes[-1]["connections"].append(counter)
        self.nodes.append(
            {
                "counter": counter,
                "node_type": node_type,
                "params": params or {},
                "arguments": arguments or [],
                "connections": [],
                "stacking_level": 1,
            }
        )


def _tensor(tensor: TensorTraffic) -> dict[str, str]:
    return {"tensor_id": str(tensor.id), "shape": f"Shape({list(tensor.shape)})"}
