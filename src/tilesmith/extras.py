"""Packages that only some of tilesmith needs, and what to do where one is missing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tilesmith.errors import MissingPackageError


@dataclass(frozen=True)
class Extra:
    """What a package is for, and how it is installed."""

    purpose: str
    remedy: str


EXTRAS = {
    "torch": Extra("PyTorch's tensors and models", "pip install 'tilesmith[torch]'"),
    "tilelang": Extra("TileLang kernels", "pip install 'tilesmith[tilelang]'"),
    "transformers": Extra("models of the zoo", "pip install 'tilesmith[zoo]'"),
    "diffusers": Extra("models of the zoo", "pip install 'tilesmith[zoo]'"),
}


@contextmanager
def naming_extras() -> Iterator[None]:
    """In place of an import that fails for lack of one of these packages, a sentence that names it.

    >>> with naming_extras():
    ...     raise ModuleNotFoundError("No module named 'tilelang'", name="tilelang")
    Traceback (most recent call last):
    tilesmith.errors.MissingPackageError: TileLang kernels need the package tilelang, which is not installed
    ...
    """
    try:
        yield
    except ModuleNotFoundError as problem:
        package = (problem.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        extra = EXTRAS[package]
        raise MissingPackageError(
            f"{extra.purpose} need the package {package}, which is not installed",
            where=sys.executable,
            remedy=extra.remedy,
        ) from problem
