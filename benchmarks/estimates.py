"""Llama models on boards by `tilesmith estimate`, beside the published tokens per second for each user.

    python -m benchmarks.estimates --json [--only 1B] [--board n150]
    python -m benchmarks.estimates --scaling docs/images/strong-scaling.svg

--scaling draws one model on 1, 2, 4 and 8 chips. Published: the vendor's table of models (tt-metal's README)
and the figures beside its demos (PERF.md, model_targets.yaml); batch 32 but for n300. No weights are
read: the sizes below are those of the models' public configurations. Each estimate has a process of its own,
for its memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.scaling_plot import scaling_plot

_SHARED = {
    "model_type": "llama",
    "vocab_size": 128256,
    "num_key_value_heads": 8,
    "max_position_embeddings": 131072,
    "rms_norm_eps": 1e-05,
    "hidden_act": "silu",
}
CONFIGS: dict[str, dict[str, Any]] = {
    "Llama-3.2-1B": {
        "hidden_size": 2048,
        "intermediate_size": 8192,
        "num_hidden_layers": 16,
        "num_attention_heads": 32,
        "head_dim": 64,
        "tie_word_embeddings": True,
    },
    "Llama-3.2-3B": {
        "hidden_size": 3072,
        "intermediate_size": 8192,
        "num_hidden_layers": 28,
        "num_attention_heads": 24,
        "head_dim": 128,
        "tie_word_embeddings": True,
    },
    "Llama-3.1-8B": {
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "head_dim": 128,
        "tie_word_embeddings": False,
    },
    "Llama-3.3-70B": {
        "hidden_size": 8192,
        "intermediate_size": 28672,
        "num_hidden_layers": 80,
        "num_attention_heads": 64,
        "head_dim": 128,
        "tie_word_embeddings": False,
    },
}
PUBLISHED = {
    ("Llama-3.2-1B", "n150"): 80.5,
    ("Llama-3.2-3B", "n150"): 46.6,
    ("Llama-3.1-8B", "n150"): 26.0,
    ("Llama-3.1-8B", "p150"): 33.1,
    ("Llama-3.1-8B", "n300"): 44.2,  # PERF.md, one text
    ("Llama-3.1-8B", "t3000"): 64.0,  # model_targets.yaml
    ("Llama-3.3-70B", "quietbox"): 15.9,
}
SCALED = "Llama-3.1-8B"


def estimated(name: str, board: str, precision: str, chips: int | None = None) -> dict[str, Any]:
    """One row: the estimate, and what it took to make."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(json.dumps({**_SHARED, **CONFIGS[name]}))
        begin, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "tilesmith.cli", "estimate", folder, "--board", board]
        command += ["--precision", precision, *(["--chips", str(chips)] if chips else []), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = json.loads(done.stdout)
    return {
        "model": name,
        "board": board,
        "chips": found["chips"],
        "precision": precision,
        "published_tokens_per_second_per_user": PUBLISHED.get((name, board)),
        "tokens_per_second_per_user": found["tokens_per_second_per_user"],
        "time_to_first_token_ms": found["time_to_first_token_ms"],
        "share_of_limit": found["decode"]["share_of_limit"],
        "decode_ms": found["decode"]["microseconds"] / 1e3,
        "link_ms": found["decode"]["link_us"] / 1e3,
        "link_share": found["decode"]["link_share"],
        "fits": found["fits"],
        "seconds": round(time.perf_counter() - begin, 1),
        "processor_seconds": round(after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime, 1),
        "peak_gb": round(after.ru_maxrss / 1e6, 2),
        "decode": found["decode"]["families"][:6],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="a part of a model's name")
    parser.add_argument("--board", default="", help="one board only")
    parser.add_argument("--precision", default="mixed")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--scaling", type=Path, metavar="SVG", help="draw one model on 1, 2, 4 and 8 chips")
    options = parser.parse_args()
    if options.scaling:
        rows = [estimated(SCALED, "t3000", options.precision, chips) for chips in (1, 2, 4, 8)]
        options.scaling.write_text(scaling_plot(SCALED, rows), encoding="utf-8")
        print(json.dumps({"rows": rows}))
        return
    chosen = [
        (name, board) for name, board in PUBLISHED if options.only in name and options.board in ("", board)
    ]
    rows = []
    for name, board in chosen:
        rows.append(estimated(name, board, options.precision))
        if not options.json:
            print(json.dumps(rows[-1]), flush=True)
    if options.json:
        print(json.dumps({"rows": rows}))


if __name__ == "__main__":
    main()
