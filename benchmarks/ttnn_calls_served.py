"""The command's old place: runs conformance/ttnn_calls_served.py."""

from pathlib import Path
from runpy import run_path

if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "conformance" / "ttnn_calls_served.py"), run_name="__main__")
