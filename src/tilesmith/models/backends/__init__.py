"""Where compiled models run: `Backend.create("tenstorrent" | "cpu" | "cuda")`."""

from tilesmith.models.backends.base import Backend, Executable

__all__ = ["Backend", "Executable"]
