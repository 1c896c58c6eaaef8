"""Random calls of ttnn's operations, one after another on one tensor, each judged by torch."""
