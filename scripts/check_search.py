"""What readers type into the search of the docs site, and the page that must come first.

`make docs` runs it on the site it has built. The index is searched with lunr, as the site
does it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from lunr import lunr

FIRST = {
    "kernel without a card": "how-to/run-a-kernel-without-a-card",
    "why kernel hangs": "how-to/find-why-a-kernel-hangs",
    "PCC too low": "how-to/raise-a-low-pcc",
    "see C++ of TileLang kernel": "how-to/see-the-generated-code",
    "choose data format parameter": "how-to/choose-a-data-format",
    "program faster on chip": "how-to/make-a-program-faster-on-the-chip",
    "emulator faster": "how-to/make-the-emulator-faster",
    "suppress finding": "how-to/suppress-a-finding",
    "run ttnn code without card": "how-to/run-ttnn-code",
    "run on a card": "how-to/run-on-a-card",
    "compile PyTorch model": "how-to/compile-a-pytorch-model",
    "operators run on host": "how-to/see-what-runs-on-the-host",
    "train a model": "how-to/train-a-model",
    "Llama BERT weights": "how-to/try-a-model-of-the-zoo",
    "shard tensor": "how-to/shard-a-tensor",
    "several chips": "how-to/use-several-chips",
    "print from kernel": "how-to/print-from-a-kernel",
    "share cache CI": "how-to/share-the-kernel-cache",
    "which compiler needed": "how-to/install-a-compiler",
    "export tt-metal project": "how-to/export-a-project",
    "test kernels pytest": "how-to/test-kernels-with-pytest",
    "options whole project": "how-to/set-options-of-a-project",
    # In the words of those who come from tt-metal, TileLang and PyTorch.
    "DPRINT": "how-to/print-from-a-kernel",
    "debug print inside kernel": "how-to/print-from-a-kernel",
    "deadlock circular buffer": "how-to/find-why-a-kernel-hangs",
    "kernel hang watcher": "how-to/find-why-a-kernel-hangs",
    "torch.compile backend": "how-to/compile-a-pytorch-model",
    "wrong results low correlation": "how-to/raise-a-low-pcc",
    "race missing barrier": "checks",
    "bfloat8_b": "how-to/choose-a-data-format",
    "quantize int8 model": "quantization",
    "generate text LLM": "generation",
    "LLM throughput": "estimate",
    "does my model fit in DRAM": "estimate",
    "autotune": "how-to/make-a-program-faster-on-the-chip",
    "height sharded memory config": "how-to/shard-a-tensor",
    "multi device all_gather": "how-to/use-several-chips",
    "torch.distributed": "mesh",
    "perfetto trace": "profiling",
    "unsupported operator fallback CPU": "how-to/see-what-runs-on-the-host",
    "T.gemm": "tilelang",
    "T.Pipelined": "tilelang",
    "math fidelity HiFi4": "numbers",
    "environment variables": "how-to/set-options-of-a-project",
    "no compiler found g++": "how-to/install-a-compiler",
    "CUDA GPU backend": "cuda",
    "import ttnn without hardware": "how-to/run-ttnn-code",
    "performance regression in CI": "runs",
    "clear cache": "how-to/share-the-kernel-cache",
    "gradient backward training": "how-to/train-a-model",
    "flash attention": "api/operators",
    "dynamic shapes": "models",
    "Dockerfile container": "install",
    "DST meaning": "glossary",
    "PCC meaning": "glossary",
    "generated C++ code of kernel": "how-to/see-the-generated-code",
    "write new ttnn operation": "start/operations",
}
# Of a page's front matter, its headings and its text: as the site weighs them.
BOOSTS = {"tags": 1_000_000, "title": 1000, "text": 1}


def first_result(index: object, docs: list[dict[str, str]], words: str) -> str:
    found = index.search(words.replace("+", " "))  # type: ignore[attr-defined]
    return docs[int(found[0]["ref"])]["location"] if found else ""


def main(site: Path) -> int:
    docs = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    numbered = [
        {
            "number": number,
            "tags": " ".join(one.get("tags", ())),
            "title": one["title"],
            "text": one["text"],
        }
        for number, one in enumerate(docs)
    ]
    fields = tuple({"field_name": name, "boost": boost} for name, boost in BOOSTS.items())
    index = lunr(ref="number", fields=fields, documents=numbered)
    wrong = {
        words: got
        for words, page in FIRST.items()
        if not (got := first_result(index, docs, words)).startswith(page)
    }
    for words, got in wrong.items():
        print(f"{words!r} finds {got} first, not {FIRST[words]}", file=sys.stderr)
    print(f"{len(FIRST) - len(wrong)} of {len(FIRST)} questions are answered by the first result")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
