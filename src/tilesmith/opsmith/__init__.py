"""From an operation spec to an op: scaffold, seven test-first stages, and the log of what happened."""
