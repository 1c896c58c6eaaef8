"""TileLang -> the tile dialect. Only the modules named tilelang* know TVM's IR."""
