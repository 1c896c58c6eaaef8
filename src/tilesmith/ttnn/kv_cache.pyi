# ruff: noqa
# fmt: off
# Written by scripts/ttnn_stubs.py from the signatures of the operations.

from tilesmith.ops.tensor import Tensor as _Tensor

def fill_cache_for_user_(cache_tensor: _Tensor, input_tensor: _Tensor, batch_idx: int, *, update_idx: int = ..., queue_id: int | None = ...) -> _Tensor: ...
def update_cache_for_token_(cache: _Tensor, input: _Tensor, update_idx: int, *, batch_offset: int = ..., compute_kernel_config: object = ..., queue_id: int | None = ...) -> _Tensor: ...
