"""What is said of a collective between processes that did not end."""

from __future__ import annotations

from tilesmith.errors import CollectiveError


def left_alone(collective: str, error: RuntimeError, where: str = "") -> CollectiveError:
    """torch's process group says what it saw: a closed connection, a time that is up, a wrong size."""
    first = str(error).strip().splitlines()[0]
    seen = (first.partition("] ")[2] or first).partition(". This is typically")[0]
    return CollectiveError(
        f"the collective {collective} did not end: {seen}",
        where=where,
        remedy="see what the other processes said; each must run the same collectives, within the timeout of"
        " init_process_group",
    )
