"""The command's old place: runs conformance/transformers_families.py."""

from pathlib import Path
from runpy import run_path

if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "conformance" / "transformers_families.py"), run_name="__main__")
