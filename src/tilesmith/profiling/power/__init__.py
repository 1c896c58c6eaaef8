"""Power and energy: read from a card, or estimated from activity."""

from tilesmith.profiling.power.estimate import Activity, Power, estimate, power_of
from tilesmith.profiling.power.reading import PowerSampler, PowerSource, find_source

__all__ = ["Activity", "Power", "PowerSampler", "PowerSource", "estimate", "find_source", "power_of"]
