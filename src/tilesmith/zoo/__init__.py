"""Models to try: `load("bert")` gives one with weights and an input; `run("bert")` compares it with torch."""

from tilesmith.zoo.catalogue import ENTRIES, find, load
from tilesmith.zoo.running import Outcome, run, run_sample
from tilesmith.zoo.sample import Entry, Sample

__all__ = ["ENTRIES", "Entry", "Outcome", "Sample", "find", "load", "run", "run_sample"]
