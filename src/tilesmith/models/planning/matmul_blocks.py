"""Templates of a matrix product for every schedule that is worth a look, the likely fastest first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache

from tilesmith.arch import Arch
from tilesmith.kernels.linear import Linear
from tilesmith.models.planning.steps import Launch
from tilesmith.models.planning.views import BYTES, Storage, padded
from tilesmith.schedules.product import Product
from tilesmith.schedules.product_ranking import product_choices


def product_candidates(
    step: Launch, arch: Arch, fidelity: str, in_l1: Collection[Storage] = ()
) -> list[Linear]:
    """The template of a launch with other blocks, by how long each should take."""
    template = step.template
    assert isinstance(template, Linear)
    return list(_templates(template, product_of(step, fidelity, in_l1), arch.product))


@lru_cache(maxsize=256)
def _templates(template: Linear, product: Product, chip: str) -> tuple[Linear, ...]:
    """Thousands, so that the equal layers of a model share them."""
    choices = product_choices(product, chip)
    if template.x_access != "block" or template.x_transposed:
        choices = tuple(choice for choice in choices if choice.mesh is None)
    return tuple(replace(template, block=choice.block, mesh=choice.mesh) for choice in choices)


def product_of(step: Launch, fidelity: str, in_l1: Collection[Storage] = ()) -> Product:
    """The product that a launch computes, whose other operands and results lie in DRAM."""
    template = step.template
    assert isinstance(template, Linear)
    numbers = step.numbers
    cols = padded(numbers["n"])
    results = [step.storages[result.out.name] for result in template.epilogue.results]
    return Product(
        padded(numbers["m"]),
        cols,
        padded(numbers["k"]),
        numbers["nb1"] * numbers["nb2"],
        template.weights,
        BYTES[step.storages["x"].dtype] * (3 if template.dtype == "int8" else 1),  # split in two
        BYTES[step.storages["w0"].dtype],
        len(template.epilogue.operands),
        fidelity,
        all(storage.cols == cols for storage in results),
        all(storage.rows == padded(numbers["m"]) * numbers["nb1"] * numbers["nb2"] for storage in results),
        not any(
            numbers.get(f"w{number}_{stride}{batch}", 0)
            for number in range(template.weights)
            for stride in ("row", "col")
            for batch in (1, 2)
        ),
        _depth_ends_alone(step, template),
        step.storages["x"] in in_l1,
        all(storage in in_l1 for storage in results),
    )


def _depth_ends_alone(step: Launch, template: Linear) -> bool:
    """Whether both operands end where their tensors do: a block beyond reads nothing but zeros."""
    if template.x_access != "block" or template.dtype == "int8":
        return False
    weights = (step.storages[f"w{number}"] for number in range(template.weights))
    ends = [one.cols if template.transposed else one.rows for one in weights]
    x = step.storages["x"]
    ends.append(x.rows if template.x_transposed else x.cols)
    return all(end == padded(step.numbers["k"]) for end in ends)
