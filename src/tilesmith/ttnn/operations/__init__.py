"""ttnn.operations: golden functions under the names of ttnn's Python modules."""
