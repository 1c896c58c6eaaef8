"""Circular buffers for one buffer: each has one role that fills it and one that drains it.

A buffer that one role writes and one role reads is one circular buffer. Any other has a home, filled and
drained by one role. Writes of others arrive in `X_in` and are copied home, reads of others leave through a
copy in `X_out`. A role that changes part of a buffer at home elsewhere takes a copy out, changes that, and
hands it in again.
"""

from __future__ import annotations

from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.buffer_access import Access
from tilesmith.compiler.analysis.roles import COMPUTE, set_role
from tilesmith.compiler.analysis.tile_geometry import page_bytes, tiles_of
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.dialects.walk import walk


class Staging:
    """Makes the circular buffers of one buffer and rewrites its uses to them."""

    def __init__(self, alloc: tile.AllocOp, accesses: list[Access]) -> None:
        assert isinstance(alloc.buffer.type, BufferType)
        self.alloc = alloc
        self.buffer_type = alloc.buffer.type
        self._cbs: dict[tuple[str, str, str, BufferType], tt.CBOp] = {}
        self.owner = _owner(accesses, self.buffer_type)
        self.home = self._cb(
            "", self.owner, _consumer(accesses, self.buffer_type, self.owner), self.buffer_type
        )
        for access in accesses:
            self._rewrite(access)

    @property
    def cbs(self) -> list[tt.CBOp]:
        return list(self._cbs.values())

    def _cb(self, suffix: str, producer: str, consumer: str, buffer_type: BufferType) -> tt.CBOp:
        key = (suffix, producer, consumer, buffer_type)
        if key not in self._cbs:
            taken = sum(known[0] == suffix for known in self._cbs)
            name = self.alloc.buffer_name.data + suffix + (str(taken + 1) if taken else "")
            depth = (
                self.alloc.depth.value.data if self.alloc.depth is not None and producer != consumer else 1
            )
            op = tt.CBOp(
                name, buffer_type, tiles_of(buffer_type), depth, page_bytes(buffer_type), producer, consumer
            )
            op.location = self.alloc.location
            if producer not in (COMPUTE, consumer):
                op.stages = self.alloc.stages
            self._cbs[key] = op
        return self._cbs[key]

    def _rewrite(self, access: Access) -> None:
        reads_home = access.role == self.home.consumer.data or not access.reads
        writes_home = access.role == self.owner or not access.writes
        if access.buffer_type == self.buffer_type and reads_home and writes_home:
            self._use(access, self.home)
        elif access.reads and access.writes:
            self._update_elsewhere(access)
        elif access.writes:
            self._hand_in(access, self._cb("_in", access.role, self.owner, access.buffer_type))
        else:
            self._use(access, self._take_out(access))

    def _use(self, access: Access, cb: tt.CBOp) -> None:
        for op in walk(access.op):
            for position, operand in enumerate(op.operands):
                if operand is self.alloc.buffer:
                    op.operands[position] = cb.cb

    def _hand_in(self, access: Access, arrival: tt.CBOp) -> None:
        self._use(access, arrival)
        _insert_copy(access, arrival, self.home, self.owner, InsertPoint.after(access.op))

    def _take_out(self, access: Access) -> tt.CBOp:
        departure = self._cb("_out", self.owner, access.role, access.buffer_type)
        _insert_copy(access, self.home, departure, self.owner, InsertPoint.before(access.op))
        return departure

    def _update_elsewhere(self, access: Access) -> None:
        taken = self.home if self.home.consumer.data == access.role else self._take_out(access)
        own = self._cb("_own", access.role, access.role, access.buffer_type)
        arrival = self._cb("_in", access.role, self.owner, access.buffer_type)
        _insert_copy(access, taken, own, access.role, InsertPoint.before(access.op))
        _insert_copy(access, arrival, self.home, self.owner, InsertPoint.after(access.op))
        _insert_copy(access, own, arrival, access.role, InsertPoint.after(access.op))
        self._use(access, own)


def _owner(accesses: list[Access], buffer_type: BufferType) -> str:
    """The role that fills the home. Only compute changes formats."""
    writers = {access.role for access in accesses if access.writes}
    if any(access.buffer_type != buffer_type for access in accesses) or len(writers) > 1:
        return COMPUTE
    return next(iter(writers), accesses[0].role)


def _consumer(accesses: list[Access], buffer_type: BufferType, owner: str) -> str:
    """The role that drains the home: the one that reads it, or its owner, who makes copies for the others."""
    readers = {
        access.role if access.buffer_type == buffer_type else owner for access in accesses if access.reads
    }
    return readers.pop() if len(readers) == 1 else owner


def _insert_copy(access: Access, source: tt.CBOp, dest: tt.CBOp, role: str, at: InsertPoint) -> None:
    copy = tile.CopyOp(source.cb, dest.cb)
    copy.location = access.op.location
    set_role(copy, role)
    Rewriter.insert_op(copy, at)
