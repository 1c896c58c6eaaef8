"""Random TileLang kernels: drawn, printed, computed with a bound for every element, run, judged, shrunk."""
