"""The same workload on two executors, compared bit by bit and by error."""

from tilesmith.conformance.compare import TensorVerdict, Verdict
from tilesmith.conformance.run import Outcome, compare_targets, outcome_on
from tilesmith.conformance.target import Target

__all__ = ["Outcome", "Target", "TensorVerdict", "Verdict", "compare_targets", "outcome_on"]
