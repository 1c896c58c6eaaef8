"""The command's old place: runs conformance.simulator."""

from runpy import run_module

if __name__ == "__main__":
    run_module("conformance.simulator", run_name="__main__", alter_sys=True)
