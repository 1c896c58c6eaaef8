"""What people type wrongly: each answer is a sentence and a fix, and none a traceback."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from tilesmith.cli.invocation import invoke

SAMPLE = Path(__file__).parents[1] / "compiler" / "passes" / "sample_ir" / "add.mlir"

MISUSED = {
    "docter": "write `tilesmith doctor`",
    "--verion": "write --version",
    "doctor --jsn": "write --json",
    "doctor extra": "`tilesmith doctor --help`",
    "settings --yaml": "`tilesmith settings --help`",
    "cache": "one of show, clear",
    "cache shw": "write `tilesmith cache show`",
    "cache clear --older-than soon": "a number of days",
    "cache clear --older-than -1": "from 0",
    "compile": "file.py:kernel",
    "opt --passes": "requires an argument",
    "profile": "a Python file",
    "profile --jsn good.py": "write --json",
    "run": "a Python file",
    "run --chekcs off good.py": "write --checks",
    "bench": "`zoo list` prints",
    "bench mlp --accuracy small": "how results must correlate",
    "tune mlp --candidates 0": "schedules that are timed",
    "dashboard --port 999999": "from 1 to 65535",
    "dashboard --port zero": "from 1 to 65535",
    "conformance": "a recording",
    "export add.mlir": "a new directory",
    "init": "a new folder",
    "init hello --kernel cuda": "--kernel metal",
    "init hello --model --op": "give one of",
    "estimate": "a folder with a config.json",
    "estimate . --batch many": "texts that are generated at a time",
    "examples": "one of list, copy",
    "examples lst": "write `tilesmith examples list`",
    "op": "one of new, stage, status, log, agent",
    "op agent --format pdf": "none of agents, skill, all",
    "zoo": "one of list, run, generate",
    "zoo rn mlp": "write `tilesmith zoo run`",
    "help": "write `tilesmith --help`",
    "doctor --json extra": "`tilesmith doctor --help`",
    "cache clear --older-than nan": "from 0",
    "init hello --kernel": "`tilesmith init --help`",
    "op stage -1": "`tilesmith op stage --help`",
    "run -m": "a Python file",
    "run --board n300 good.py": "--nproc-per-node 4",
    "run --nproc-per-node 1000000 good.py": "each with a chip",
    "run --nproc-per-node -1 good.py": "each with a chip",
    "runs": "one of list, show",
    "runs list --limit 0": "at most so many",
    "runs show -1": "`tilesmith runs show --help`",
    "compare": "numbers, tags, last",
    "compile add.mlir --formats A=Bfp8_b,A=Float32": "name A once",
    "conformance add.mlir --sizes M=1,M=2": "name M once",
    "dashboard --port 99999999999999999999": "from 1 to 65535",
}
"""Arguments that mean nothing: exit code 2."""

FAILED = {
    "estimate nowhere": "name a folder with a config.json",
    "compile nothing.py": "write file.py:kernel",
    "compile nothing.py:kernel": "there is no file nothing.py",
    "compile good.py:missing": "good.py has no missing",
    "compile 'good.py:maker(1)'": "it takes ()",
    "compile broken.py:kernel": "make it load in Python",
    """compile "good.py:maker(open('x'))" """: "with plain values",
    "compile good.py:number": "this is no kernel",
    "compile add.mlir --arch atari": "choose one of: wormhole",
    "compile add.mlir --fidelity HiFi9": "choose one of: LoFi",
    "compile add.mlir --formats A=Bfp9": "choose one of Float32",
    "compile add.mlir --formats Z=Bfp8_b": "the parameters are A, B, C",
    "compile add.mlir --formats nonsense": "--formats B=Bfp8_b,C=Float32",
    "compile add.mlir --out good.py": "File exists",
    "opt nothing.mlir": "cannot read nothing.mlir",
    "opt add.mlir -p no-such-pass": "tilesmith opt --list",
    "opt add.mlir -p all --arch atari": "choose one of: wormhole",
    "opt add.mlir -p all --formats nonsense": "--formats B=Bfp8_b,C=Float32",
    "opt add.mlir -p all --trace nowhere/at/all.html": "No such file or directory",
    "opt good.py": "cannot be read as IR",
    "profile nothing.py": "there is no file nothing.py",
    "profile -m no.such.module": "there is no module no.such.module",
    "profile good.py": "ran no program",
    "run nothing.py": "there is no file nothing.py",
    "run -m no.such.module": "there is no module no.such.module",
    "run --checks maybe good.py": "one of on, off",
    "bench nosuchmodel": "choose one of: mlp",
    "tune nosuchmodel": "choose one of: mlp",
    "tune mlp --tiny --out good.py": "cannot read schedules: it is no file of schedules",
    "bench mlp --levels O9": "levels are O0",
    "bench mlp --weights nothing.bin": "no checkpoint at nothing.bin",
    "bench good.py:number": "returns a torch.nn.Module",
    "conformance nothing.npz": "--record",
    "conformance good.py:missing": "good.py has no missing",
    "conformance add.mlir --on wormhole": "two targets or more",
    "conformance add.mlir --on wormhole --on atari": "choose one of: wormhole",
    "conformance add.mlir --sizes M=x": "--sizes M=64,N=128",
    "conformance add.mlir --record here.txt": "call it here.txt.npz",
    "export add.mlir --out good.py": "name a new directory",
    "export nothing.mlir --out new": "cannot read nothing.mlir",
    "init 3x": "letters, digits and _",
    "init .": "letters, digits and _",
    "init good.py": "cannot be the name",
    "init full": "name a new folder",
    "examples copy nothing": "choose all, or one of",
    "op new nothing.md": "op_design.md",
    "op new good.py": "docs/opsmith.md",
    "op stage one": "a number from 1 to 7",
    "op stage 1 --op nowhere": "tilesmith op new SPEC",
    "op status --op nowhere": "tilesmith op new SPEC",
    "zoo run nosuchmodel": "choose one of: mlp",
    "zoo run mlp --tiny --backend tpu": "choose one of: tenstorrent",
    "zoo run mlp --tiny --level O9": "choose one of: O0",
    "zoo run mlp --tiny --out image.png": "sd and sd-vae do",
    "zoo run mlp --tiny --weights good.py": "leave out --tiny",
    "bench mlp --tiny --baseline nothing.json": "make one with --update-baseline",
    "compile folder.py:kernel": "there is no file folder.py",
    "compile binary.py:kernel": "make it load in Python",
    "compile exits.py:kernel": "make it load in Python",
    "compile add.mlir:kernel": "ends in .py",
    "compile ''": "write file.py:kernel",
    "compile 'good.py:maker(1,,2)'": "with plain values",
    "compile binary.mlir": "a .mlir file",
    "opt folder.mlir": "Is a directory",
    "opt empty.mlir -p all": "what `tilesmith opt` prints",
    "opt add.mlir -p 'verify-ttir{arch=3}'": "`tilesmith opt --list`",
    "opt add.mlir -p all --trace full": "Is a directory",
    "run full": "there is no file full",
    "run binary.py": "give a Python script",
    "run -m .": "give its full name",
    "run -m 'two words'": "give its full name",
    "profile --fail-over -5% good.py": "5% or 0.05",
    "profile --baseline nothing.json good.py": "make one with --update-baseline",
    "profile --update-baseline good.py": "ends in .json",
    "runs show 99999999999999999999999999": "`tilesmith runs list`",
    "runs show last-99999999999999999999999": "`tilesmith runs list`",
    "runs tag 1 last": "cannot be a tag",
    "compare last": "name two or more",
    "compare wrong.json::a wrong.json::b": "--update-baseline",
    "compare full full": "the folder that",
    "estimate wrong.json": "as transformers writes them",
    "estimate strange.json": "as transformers writes them",
    "estimate llama.json --batch 0": "count from 1",
    "estimate llama.json --prompt 99999999999999": "go up to",
    "estimate llama.json --precision int3": "choose: bfloat16",
    "estimate llama.json --html full": "Is a directory",
    "tune mlp --tiny --out nowhere/schedules.json": "No such file",
    "profile --out good.py good.py": "File exists",
    "init class": "a word of Python's",
    "init json": "a module of Python's",
    "init numpy": "an installed package",
    "init good.py/inside": "Not a directory",
    "examples copy ../..": "choose all, or one of",
    "op new binary.py": "in Markdown",
    "op new full": "op_design.md",
    "op stage 1.5": "a number from 1 to 7",
    "dashboard good.py": "leave it out for the runs of this project",
    "conformance empty.npz": "--record",
    "conformance add.mlir --sizes Q=64": "leave it out",
    "export empty.npz --out new": "--record",
    "export add.mlir --out good.py/new": "name a new directory",
}
"""Arguments that name what is not there, or what cannot be: exit code 1."""

NEEDS = {
    "bench": "transformers",
    "tune": "transformers",
    "zoo": "transformers",
    "estimate": "transformers",
    "compile good.py:number": "tilelang",
}

TEXTS = {
    "broken.py": "import nonsense_that_is_not_there\n",
    "exits.py": "import sys\nsys.exit(3)\n",
    "wrong.json": "{not json",
    "strange.json": '{"model_type": "llama", "hidden_size": "big"}',
    "llama.json": '{"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 1}',
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(SAMPLE, tmp_path)
    (tmp_path / "good.py").write_text("number = 3\n\n\ndef maker():\n    return number\n")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    for name in ("folder.py", "folder.mlir"):
        (tmp_path / name).mkdir()
    for name in ("empty.mlir", "empty.npz"):
        (tmp_path / name).touch()
    for name in ("binary.py", "binary.mlir"):
        (tmp_path / name).write_bytes(bytes(range(256)))
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)


def test_there_are_a_hundred_and_forty() -> None:
    assert len(MISUSED) + len(FAILED) >= 140


@pytest.mark.parametrize("typed", [*MISUSED, *FAILED])
def test_a_sentence_and_a_fix(typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    for start, package in NEEDS.items():
        if typed.startswith(start) and typed in FAILED:
            pytest.importorskip(package)
    code = invoke(shlex.split(typed))
    printed = capsys.readouterr()
    assert code == (2 if typed in MISUSED else 1)
    assert (MISUSED.get(typed) or FAILED[typed]) in printed.err
    assert printed.err.count("  fix: ") == 1
    assert "Traceback" not in printed.err
    assert "this is a bug" not in printed.err
    assert not printed.out
