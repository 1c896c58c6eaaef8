"""Models of transformers from a local folder or file, whose weights stay on disk until they are used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tilesmith.errors import WeightsMismatchError
from tilesmith.zoo.weights import checkpoint, need, pretrained


def load_model(path: str | Path, **options: Any) -> Any:
    """A model from a folder with config.json and safetensors, or from a .gguf file of a language model.

    Weights keep the dtype they are stored in. Those of safetensors are mapped, not read: a page comes into
    memory when it is used, and compiling brings each tensor to the device by itself. Nothing is downloaded.
    `options` are those of `from_pretrained`.
    """
    need("transformers", "a model in a folder")
    import transformers

    source = checkpoint(Path(path))
    options = {"local_files_only": True, **options}
    if source.suffix == ".gguf":
        need("gguf", "a checkpoint in a .gguf file")
        load = transformers.AutoModelForCausalLM.from_pretrained
        return load(source.parent, gguf_file=source.name, **options).eval()
    return pretrained(
        _model_class(transformers, source).from_pretrained, source, **{"dtype": "auto", **options}
    )


def _model_class(transformers: Any, folder: Path) -> Any:
    """The class that the folder's configuration names."""
    if not (folder / "config.json").is_file():
        return transformers.AutoModel  # refused with what is missing
    config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True)
    names = config.architectures or ["AutoModelForCausalLM"]
    found = getattr(transformers, names[0], None)
    if found is None:
        raise WeightsMismatchError(
            f"transformers has no model {names[0]}",
            where=str(folder / "config.json"),
            remedy="install the release of transformers that the checkpoint was written with",
        )
    return found
