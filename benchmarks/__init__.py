"""Measurements and long-running comparisons; every script here can be run by itself."""
