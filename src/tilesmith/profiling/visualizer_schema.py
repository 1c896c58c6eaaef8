"""The tables of ttnn's graph report, version 2.1: what ttnn-visualizer reads."""

from __future__ import annotations

SCHEMA_VERSION = "2.1"

_DEVICE_COLUMNS = (
    "device_id num_y_cores num_x_cores num_y_compute_cores num_x_compute_cores worker_l1_size l1_num_banks"
    " l1_bank_size address_at_first_l1_bank address_at_first_l1_cb_buffer num_banks_per_storage_core"
    " num_compute_cores num_storage_cores total_l1_memory total_l1_for_tensors"
    " total_l1_for_interleaved_buffers total_l1_for_sharded_buffers cb_limit"
)
_COMPARISON = "tensor_id int, golden_tensor_id int, matches int, desired_pcc float, actual_pcc float"

_TABLES = {
    "devices": ", ".join(f"{name} int" for name in _DEVICE_COLUMNS.split()),
    "operations": "operation_id int UNIQUE, name text, duration float",
    "operation_arguments": "operation_id int, name text, value text",
    "tensors": "tensor_id int UNIQUE, shape text, dtype text, layout text, memory_config text, device_id int,"
    " address int, buffer_type int",
    "device_tensors": "tensor_id int, device_id int, address int",
    "buffers": "operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int,"
    " buffer_layout int",
    "buffer_pages": "operation_id int, device_id int, address int, core_y int, core_x int, bank_id int,"
    " page_index int, page_address int, page_size int, buffer_type int",
    "captured_graph": "operation_id int, captured_graph text",
    "nodes": "operation_id int, unique_id int, node_operation_id int, name text",
    "edges": "operation_id int, source_unique_id int, sink_unique_id int, source_output_index int,"
    " sink_input_index int, key int",
    "input_tensors": "operation_id int, input_index int, tensor_id int",
    "output_tensors": "operation_id int, output_index int, tensor_id int",
    "source_files": "id INTEGER PRIMARY KEY, path text UNIQUE NOT NULL, contents text",
    "stack_traces": "operation_id int, stack_trace text, source_file_id int REFERENCES source_files(id)",
    "errors": "operation_id int, operation_name text, error_type text, error_message text, stack_trace text,"
    " timestamp text",
    "local_tensor_comparison_records": _COMPARISON,
    "global_tensor_comparison_records": _COMPARISON,
    "report_metadata": "key text UNIQUE, value text",
}

SCHEMA = "\n".join(f"CREATE TABLE {name}({columns});" for name, columns in _TABLES.items()) + (
    "\nCREATE INDEX idx_stack_traces_source_file_id ON stack_traces(source_file_id);\n"
)
