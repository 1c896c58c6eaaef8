"""Suites that judge what tilesmith computes by others: torch, TileLang, the vendor's vectors and simulator.

Scripts here run whole suites; tests run samples of them. Neither imports from `benchmarks` or `tests`.
"""
