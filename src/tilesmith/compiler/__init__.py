"""The tile compiler: TileLang kernels -> Programs. `pipeline` lists its passes in order."""
