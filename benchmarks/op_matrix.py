"""The command's old place: runs conformance.op_matrix."""

from runpy import run_module

if __name__ == "__main__":
    run_module("conformance.op_matrix", run_name="__main__", alter_sys=True)
