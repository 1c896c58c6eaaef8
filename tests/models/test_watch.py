"""What tells a compiled model on a GPU that the model changed, with and without Python's dict watchers."""

from __future__ import annotations

import ctypes
import gc
from typing import Any

import pytest
import torch
from torch import nn

from tilesmith.models.capture import dict_watch, state, tensor_watch
from tilesmith.models.capture.dict_versions import are_counted
from tilesmith.models.capture.state import Watch
from tilesmith.models.capture.tensor_watch import StorageWatch

HAS_WATCHERS = hasattr(ctypes.pythonapi, "PyDict_AddWatcher")


@pytest.fixture(scope="module")
def library() -> list[ctypes.PyDLL]:
    tensor_watch.start().join()
    assert tensor_watch._library
    return tensor_watch._library


@pytest.fixture(params=["told", "looking", "asking"])
def _way(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, library: list[ctypes.PyDLL]
) -> None:
    """With watchers, or versions of dictionaries, and C++; with C++; with neither."""
    if request.param != "told":
        monkeypatch.setattr(state, "touched", lambda _: None)
    else:
        assert HAS_WATCHERS or are_counted()
    monkeypatch.setattr(tensor_watch, "_library", [] if request.param == "asking" else library)


def _with_layers() -> Any:
    made: Any = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.5))
    made.widths = [1, 2]
    return made.eval()


@pytest.mark.usefixtures("_way")
class TestWatch:
    def test_nothing_changed(self) -> None:
        model = _with_layers()
        watch = Watch(model)
        assert watch.unchanged()
        assert watch.unchanged()

    def test_tensors_are_written_to(self) -> None:
        model = _with_layers()
        watch = Watch(model)
        with torch.no_grad():
            model[0].weight.add_(1)
        assert not watch.unchanged()

    def test_tensors_are_replaced(self) -> None:
        model = _with_layers()
        watch = Watch(model)
        model[0].weight.data = torch.zeros(4, 4)
        assert not watch.unchanged()
        watch = Watch(model)
        model[0].bias = nn.Parameter(torch.zeros(4))
        assert not watch.unchanged()
        assert not watch.unchanged()

    def test_tensors_change_places(self) -> None:
        model = _with_layers()
        watch = Watch(model)
        torch.utils.swap_tensors(model[0].bias, nn.Parameter(torch.zeros(4)))
        gc.collect()
        assert not watch.unchanged()

    def test_attributes_and_modules(self) -> None:
        model = _with_layers()
        for change in (
            lambda: setattr(model[2], "p", 0.25),
            lambda: setattr(model, "more", 1),
            lambda: delattr(model, "more"),
            lambda: model[1].train(),
            lambda: model.append(nn.ReLU()),
            lambda: model[2].register_buffer("first", torch.zeros(1)),
            lambda: model.widths.append(3),
        ):
            watch = Watch(model)
            change()
            assert not watch.unchanged()

    def test_a_change_is_told_until_it_is_undone(self) -> None:
        model = _with_layers()
        watch = Watch(model)
        model[2].p = 0.25
        assert not watch.unchanged()
        assert not watch.unchanged()
        model[2].p = 0.5
        assert watch.unchanged()

    def test_the_same_again_is_no_change(self) -> None:
        model = _with_layers()
        watch = Watch(model)
        model[2].p = 0.5
        model.eval()
        assert watch.unchanged()


def test_only_what_was_written_to_is_looked_at(
    library: list[ctypes.PyDLL], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert library
    model = _with_layers()
    watch = Watch(model)
    assert watch.unchanged()
    looked: list[int] = []
    look = Watch._same_sizes_and_values

    def counted(self: Watch) -> bool:
        looked.append(1)
        return look(self)

    monkeypatch.setattr(Watch, "_same_sizes_and_values", counted)
    assert watch.unchanged()
    assert not looked
    model[2].p = 0.25
    assert not watch.unchanged()
    assert looked


@pytest.mark.usefixtures("_way")
def test_storages_that_somebody_holds() -> None:
    tensors = [torch.zeros(4), torch.zeros(2, 2), torch.zeros(1)]
    tensors.append(tensors[0].view(2, 2))
    watch = StorageWatch(tensors)
    assert watch.unchanged()
    held = tensors[1].view(4)
    assert not watch.unchanged()
    del held
    assert watch.unchanged()


@pytest.mark.skipif(not HAS_WATCHERS, reason="this Python has no dict watchers")
def test_a_watch_that_is_gone_is_forgotten() -> None:
    before = len(dict_watch._WATCHING)
    model = _with_layers()
    first, second = Watch(model), Watch(model)
    assert len(dict_watch._WATCHING) > before
    del first
    model[2].p = 0.75
    assert not second.unchanged()
    del second
    gc.collect()
    assert len(dict_watch._WATCHING) == before


@pytest.mark.parametrize("native", [True, False])
def test_aliases_share_memory_and_nothing_else(native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    tensor_watch.start().join()
    if not native:
        monkeypatch.setattr(tensor_watch, "_library", [])
    values = [torch.randn(3, 4).t(), torch.zeros(0), torch.arange(5)[1:], torch.ones(2).requires_grad_()]
    kept = tensor_watch.StorageWatch(values)
    make = tensor_watch.Aliases(values)
    made = make()
    assert not kept.unchanged()
    for one, value in zip(made, values, strict=True):
        assert one is not value
        assert one.data_ptr() == value.data_ptr()
        assert (one.shape, one.stride(), one.dtype) == (value.shape, value.stride(), value.dtype)
        assert not one.requires_grad
        assert one.grad_fn is None
    made[0].add_(1)
    assert torch.equal(made[0], values[0])
    made[2].unsqueeze_(0)
    assert values[2].dim() == 1
    with torch.inference_mode():
        assert torch.equal(make()[2], values[2])
    del made, one
    assert kept.unchanged()


def test_aliases_of_what_is_no_tensor() -> None:
    tensor_watch.start().join()
    made = tensor_watch.Aliases([torch.ones(2), 3, None])()
    assert made[1:] == [3, None]
