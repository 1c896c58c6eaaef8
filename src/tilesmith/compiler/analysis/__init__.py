"""Analyses of the IR: they answer questions and change nothing."""
