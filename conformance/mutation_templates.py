"""Do the checks find mistakes in the kernels of Winograd's convolutions? Each call goes wrong, singly.

    python -m conformance.mutation_templates [--form winograd2] [--json]

As conformance/mutation.py does with the examples: synchronisation and set-up calls of generated kernels are
dropped, moved, or given other numbers and buffers. A mutant is `found` if a check reports it, `same` if its
result is that of the kernel as it is, and `missed` if the result is another and no check says so.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import tilesmith
from conformance.mutation_run import STEP_LIMIT
from conformance.mutation_switch import VARIABLE, Mutant, Rewriter
from tilesmith import settings
from tilesmith.errors import EmulatorGap, GeneratedCodeFault, InternalFault, KernelFindings, UserError
from tilesmith.models.planning.steps import Launch
from tilesmith.program import Program


def switched(program: Program, folder: Path, numbers: Any) -> tuple[Program, list[Mutant]]:
    """A program whose kernels go wrong as an environment variable says."""
    mutants: list[Mutant] = []
    kernels = []
    for number, kernel in enumerate(program.kernels):
        path = folder / f"{next(numbers)}_{number}.cpp"
        path.write_text(kernel.kernel_source, encoding="utf-8")
        rewriter = Rewriter(path, numbers)
        kernels.append(replace(kernel, kernel_source=rewriter.rewrite()))
        mutants += rewriter.mutants
    return replace(program, kernels=tuple(kernels)), mutants


def outcome(executable: Any, program: Program, step: Launch, wanted: list[Any]) -> tuple[str, str]:
    try:
        executable.device.run(program)
    except KernelFindings as caught:
        return "found", caught.findings[0].check
    except (UserError, GeneratedCodeFault) as caught:  # the findings of generated code
        return "found", type(caught).__name__
    except (EmulatorGap, InternalFault) as caught:
        return "gap", str(caught.what)
    made = [executable.tensor(storage).to_numpy() for storage in step.outputs]
    same = all(np.array_equal(a, b, equal_nan=True) for a, b in zip(made, wanted, strict=True))
    return ("same", "") if same else ("missed", "another result")


def judge(form: str, seeds: range) -> tuple[Counter[str], list[str]]:
    torch.manual_seed(0)
    compiled: Any = tilesmith.compile(
        nn.Conv2d(33, 40, 3, padding=1).eval(), convolution=form, optimization_level="O1", checks="on"
    )
    compiled(torch.randn(1, 33, 9, 7))
    executable, numbers = compiled.executable, count(1)
    outcomes: Counter[str] = Counter()
    missed: list[str] = []
    with tempfile.TemporaryDirectory() as folder, settings.using(step_limit=STEP_LIMIT, checks="on"):
        for step in (one for one in executable.plan.steps if isinstance(one, Launch)):
            program = executable.program(step)
            executable.device.run(program)
            wanted = [executable.tensor(storage).to_numpy().copy() for storage in step.outputs]
            altered, mutants = switched(program, Path(folder), numbers)
            for mutant in mutants:
                os.environ[VARIABLE] = str(mutant.number)
                found = ("same", "")
                for seed in seeds:
                    with settings.using(seed=seed):
                        found = outcome(executable, altered, step, wanted)
                    if found[0] != "same":
                        break
                outcomes[found[0]] += 1
                if found[0] in ("missed", "gap"):
                    missed.append(
                        f"{step.template.name}:{mutant.line}: {mutant.kind}: {mutant.content} {found[1]}"
                    )
                    print(missed[-1], flush=True)
            os.environ[VARIABLE] = "0"
            executable.device.run(program)
            print(form, step.template.name, len(mutants), dict(outcomes), flush=True)
    return outcomes, missed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--form", nargs="*", default=["winograd2", "winograd4"])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    for form in given.form:
        outcomes, missed = judge(form, range(given.seeds))
        if given.json:
            print(json.dumps({"form": form, **outcomes, "which": missed}))


if __name__ == "__main__":
    main()
