"""The two IRs of the tile compiler: `tile` (what happens to tiles) and `tt` (circular buffers, NoC, DST)."""
