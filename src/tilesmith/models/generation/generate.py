"""`generate` of transformers with the forward calls of a compiled model."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from threading import RLock
from typing import Any

import torch

from tilesmith.errors import BadCallError, CaptureError, TilesmithWarning
from tilesmith.models.backends import Backend
from tilesmith.models.capture.state import attributes, fingerprint
from tilesmith.models.generation.choice import ForLogits, choice_of
from tilesmith.models.generation.padding import padded_prompt
from tilesmith.models.generation.static_cache import static_cache
from tilesmith.models.generation.step import CACHE_NAMES, ForwardStep
from tilesmith.models.strategy import OptimizationStrategy

_NEED_DYNAMIC = ("assistant_model", "prompt_lookup_num_tokens")
"""What takes tokens back, which only caches that grow can do."""


class Generator:
    """Runs transformers' `generate` for a model: prompts and tokens go through compiled graphs.

    Caches are static ones of the length a call needs, or of that of an earlier call if it is longer, so that
    the graph for one token serves all tokens and calls. What chooses tokens is transformers' own.
    """

    def __init__(
        self,
        model: Any,
        backend: Backend,
        compiled: Callable[[torch.nn.Module], Callable[..., Any]],
        strategy: OptimizationStrategy | None = None,
    ) -> None:
        self.model = model
        self._backend, self._compiled, self._strategy = backend, compiled, strategy
        self._whole: Callable[..., Any] | None = None
        self._encoders: dict[int, Callable[..., Any]] = {}
        self._lock = RLock()
        self._weights: tuple[Any, ...] = ()
        self._longest = 0
        self._grows = _why_growing(model)
        self.chooses = True
        """Whether graphs choose the next token where nothing looks at the other logits."""
        self.step = ForwardStep(model, backend, strategy)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """As `model.generate`."""
        return self.run(type(self.model).generate, args, kwargs)

    def run(self, generate: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """`generate` of a class of the model. A cache, or a kind of cache, that is named is used as it is."""
        plain = all(kwargs.get(name) is None for name in (*CACHE_NAMES, *_NEED_DYNAMIC))
        if kwargs.get("use_cache") is False or not plain or "cache_implementation" in kwargs:
            return self._run(generate, args, kwargs)
        if self._grows:
            self._warn_of_growing(self._grows)
            return self._run(generate, args, kwargs)
        try:
            return self._run(generate, args, {**kwargs, "cache_implementation": "static"})
        except CaptureError as error:
            self._grows = error.what
            if kwargs.get("streamer") is not None:  # it has been given the prompt; the next call will do
                raise
        return self.run(generate, args, kwargs)

    def _warn_of_growing(self, why: str) -> None:
        name = type(self.model).__name__
        text = f"every token of {name} is compiled by itself, since its cache grows: {why}"
        warnings.warn(text, TilesmithWarning, stacklevel=4)

    def _run(self, generate: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        result: Any = None
        with self._lock:
            self._notice_changes()
            try:
                host = self._host(kwargs)
                result = generate(host, *args, **kwargs)
            finally:
                self.step.state.release(read=any(hasattr(result, name) for name in CACHE_NAMES))
        return result

    def _asked(self, name: str, kwargs: dict[str, Any], usual: Any) -> Any:
        """What a call asks for, or else the configuration it is given, or else that of the model."""
        model: Any = self.model
        places = (kwargs.get("generation_config"), model.generation_config)
        found = [kwargs.get(name), *(getattr(place, name, None) for place in places)]
        return next((value for value in found if value is not None), usual)

    def _notice_changes(self) -> None:
        """Capture anew if weights or attributes of the model changed since the last call."""
        every = (*self.model.parameters(), *self.model.buffers())
        now = tuple(map(fingerprint, every)), attributes(self.model.modules())
        if now != self._weights:
            self.step = ForwardStep(self.model, self._backend, self._strategy)
            self._weights = now

    def _host(self, asked: dict[str, Any]) -> Any:
        """The model with another `forward`: a copy that shares all else, so that the model stays as it is.

        Caches stay on the device, but for those of beams, which move them on the host.
        """
        original: Any = self.model
        host = copy.copy(original)
        keeps = self._asked("num_beams", asked, 1) == 1
        self.step.choice = None

        @wraps(original.forward)
        def forward(*args: Any, **kwargs: Any) -> Any:
            if args or all(kwargs.get(name) is None for name in CACHE_NAMES):
                if self._whole is None:
                    self._whole = self._compiled(original)
                return self._whole(*args, **kwargs)
            prompt = padded_prompt(kwargs)
            return self.step(kwargs) if prompt is None else prompt.finish(self.step(prompt.kwargs))

        def prepare(*, max_cache_len: int, **kwargs: Any) -> Any:
            self._longest = max(self._longest, max_cache_len)
            cache = static_cache(original.config, self._longest, kwargs.get("model_kwargs", {}))
            if keeps:
                self.step.state.add(cache)
            return cache

        def processors(*, generation_config: Any, **kwargs: Any) -> Any:
            found = original._get_logits_processor(generation_config=generation_config, **kwargs)
            if self.chooses:
                self.step.choice = choice_of(generation_config, found, asked, self._backend.keeps_state)
            return type(found)([ForLogits(found)]) if self.step.choice and len(found) else found

        host.forward = forward
        host._get_logits_processor = processors
        host._prepare_static_cache = prepare
        if getattr(original.config, "is_encoder_decoder", False):
            host.get_encoder = self._encoder
        return host

    def _encoder(self, *args: Any, **kwargs: Any) -> Any:
        """The encoder of the model, compiled too."""
        model: Any = self.model
        original = model.get_encoder(*args, **kwargs)
        if id(original) not in self._encoders:
            self._encoders[id(original)] = self._compiled(original)
        compiled = self._encoders[id(original)]
        encoder = copy.copy(original)

        @wraps(original.forward)
        def forward(*args: Any, **kwargs: Any) -> Any:
            return compiled(*args, **kwargs)

        encoder.forward = forward
        return encoder


def _why_growing(model: Any) -> str:
    """Why a model cannot have a cache of a fixed length; nothing if it can.

    Some models take the number of rows of their cache for that of the tokens so far. transformers says at the
    class which of them do not. Models with a state in place of keys and values have no rows.
    """
    if model._can_compile_fullgraph or model._is_stateful:
        return ""
    return "transformers does not say that a cache of fixed length is right for it (`_can_compile_fullgraph`)"


def generator_of(
    model: torch.nn.Module,
    backend: Backend,
    compiled: Callable[[torch.nn.Module], Callable[..., Any]],
    strategy: OptimizationStrategy | None = None,
) -> Generator:
    """A generator for a model of transformers; others are refused.

    `compiled` makes something to call of a module: of an encoder, or of the model where it has no cache.
    """
    if not callable(getattr(model, "generate", None)) or not hasattr(model, "_prepare_static_cache"):
        raise BadCallError(
            f"{type(model).__name__} has no `generate` of transformers",
            where="CompiledModel.generate",
            remedy="compile a model that generates, such as LlamaForCausalLM; call others as they are",
        )
    return Generator(model, backend, compiled, strategy)
