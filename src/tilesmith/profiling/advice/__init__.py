"""Advice: settings that were tried, and the time they are predicted to save."""

from tilesmith.profiling.advice.advice import Advice
from tilesmith.profiling.advice.advisor import Advisor
from tilesmith.profiling.advice.program_trial import ProgramTrial, with_settings
from tilesmith.profiling.advice.trial import Candidate, Trial

__all__ = ["Advice", "Advisor", "Candidate", "ProgramTrial", "Trial", "with_settings"]
