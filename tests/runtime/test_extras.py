"""Without torch and TileLang, as on a computer with a card: what needs them says so in a sentence."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tilesmith.errors import MissingPackageError
from tilesmith.extras import EXTRAS, naming_extras

SCRIPT = """
import sys
for name in ("torch", "tilelang"):
    sys.modules[name] = None
import numpy as np
import tilesmith
from tilesmith.cli import main
from tilesmith.errors import MissingPackageError

def tell(work):
    try:
        work()
    except MissingPackageError as error:
        print(error.what, "|", error.remedy)

with tilesmith.open_device("wormhole") as device:
    ones = device.from_numpy(np.ones((32, 32), np.float32))
    print(ones.to_numpy().sum())
    tell(ones.to_torch)
tell(lambda: tilesmith.compile(lambda a: a))
tell(lambda: tilesmith.CompiledModel)
sys.argv[1:] = ["zoo", "list"]
main()
"""


def test_without_torch_sentences_name_it() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    torch = "PyTorch's tensors and models need the package torch, which is not installed"
    tilelang = "TileLang kernels need the package tilelang, which is not installed"
    assert done.stdout.splitlines() == [
        "1024.0",
        f"{torch} | pip install 'tilesmith[torch]'",
        f"{tilelang} | pip install 'tilesmith[tilelang]'",
        f"{torch} | pip install 'tilesmith[torch]'",
    ]
    assert done.stderr.splitlines()[0] == torch
    assert done.returncode == 1


@pytest.mark.parametrize("name", EXTRAS)
def test_every_extra_is_named(name: str) -> None:
    with pytest.raises(MissingPackageError, match=name), naming_extras():
        raise ModuleNotFoundError(name=name)


def test_other_packages_are_left_to_python() -> None:
    with pytest.raises(ModuleNotFoundError), naming_extras():
        raise ModuleNotFoundError(name="something_else")
