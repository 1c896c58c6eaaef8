"""The command's old place: runs conformance/random_models.py."""

from pathlib import Path
from runpy import run_path

if __name__ == "__main__":
    run_path(str(Path(__file__).parents[1] / "conformance" / "random_models.py"), run_name="__main__")
