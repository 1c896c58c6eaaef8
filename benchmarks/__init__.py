"""Measurements; every script here can be run by itself. Suites of right results are in conformance/."""
