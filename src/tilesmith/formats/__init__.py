"""Data formats and tiles."""

from tilesmith.formats.data_format import DataFormat, TileShape, tile_bytes

__all__ = ["DataFormat", "TileShape", "tile_bytes"]
