"""How a kernel is carried out, as data: schedules, the search, the database of those found."""

from tilesmith.schedules.cores import Mesh, Rectangle, Stationary
from tilesmith.schedules.schedule import Schedule
from tilesmith.schedules.tuning_database import TuningDatabase

__all__ = ["Mesh", "Rectangle", "Schedule", "Stationary", "TuningDatabase"]
