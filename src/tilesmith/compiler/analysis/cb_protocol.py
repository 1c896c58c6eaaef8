"""Follow one kernel through its calls on circular buffers, and refuse the first that cannot succeed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from tilesmith.compiler.analysis.push_pop_balance import name_of, trip_count
from tilesmith.compiler.dialects import tile, tt
from tilesmith.errors import InternalFault


@dataclass(frozen=True)
class Held:
    """Pages of a circular buffer that a kernel has reserved, has waited for, has pushed and not popped."""

    reserved: int = 0
    waited: int = 0
    stored: int = 0

    def plus(self, change: Held, times: int = 1) -> Held:
        return Held(
            self.reserved + times * change.reserved,
            self.waited + times * change.waited,
            self.stored + times * change.stored,
        )

    def minus(self, other: Held) -> Held:
        return self.plus(other, -1)


_CALLS = (tt.ReserveBackOp, tt.PushBackOp, tt.WaitFrontOp, tt.PopFrontOp)
State = dict[SSAValue, Held]
NOTHING_HELD = Held()


def check_order(kernel: tt.KernelOp) -> None:
    """Raise unless every push follows its reserve, every pop its wait, and nothing is left at the end."""
    state = _Follower(kernel).block(kernel.body.block, {})
    for cb, held in state.items():
        own = _declaration(cb).producer == _declaration(cb).consumer
        if held.reserved or held.waited or (own and held.stored):
            raise InternalFault(
                f"kernel {kernel.sym_name.data} leaves circular buffer {name_of(cb)}"
                f" with {held.reserved} pages reserved and not pushed,"
                f" {held.waited} waited for and not popped" + (f", {held.stored} left inside" if own else "")
            )


class _Follower:
    def __init__(self, kernel: tt.KernelOp) -> None:
        self.kernel = kernel

    def block(self, block: Block, state: State) -> State:
        for op in block.ops:
            if op.regions or type(op) in _CALLS:
                state = self.op(op, state)
        return state

    def op(self, op: Operation, state: State) -> State:
        match op:
            case tt.ReserveBackOp() | tt.PushBackOp() | tt.WaitFrontOp() | tt.PopFrontOp():
                held = state.get(op.cb, NOTHING_HELD)
                return {**state, op.cb: self.call(op, held, op.pages.value.data)}
            case scf.ForOp():
                return self.loop(op, [op.body], trip_count(op), state)
            case scf.WhileOp():
                return self.loop(op, [op.before_region, op.after_region], None, state)
            case scf.IfOp():
                return self.merge(op, *(self.region(region, state) for region in op.regions))
            case _:
                for region in op.regions:
                    state = self.region(region, state)
                return state

    def region(self, region: Region, state: State) -> State:
        return self.block(region.block, state) if region.blocks else state

    def round(self, regions: list[Region], state: State) -> State:
        for region in regions:
            state = self.region(region, state)
        return state

    def loop(self, op: Operation, regions: list[Region], trips: int | None, state: State) -> State:
        if trips == 0:
            return state
        once = self.round(regions, state)
        if trips == 1 or once == state:
            return once
        if trips is None:
            # Any iteration may be the last, and the next one starts with what it left.
            weakest = self.merge(op, state, once)
            return self.merge(op, weakest, self.round(regions, weakest))
        # From the second iteration on, every one changes as much as the one before.
        twice = self.round(regions, once)
        change = {cb: held.minus(once.get(cb, NOTHING_HELD)) for cb, held in twice.items()}
        before_last = _plus(once, change, trips - 2)
        self.round(regions, before_last)
        return _plus(before_last, change, 1)

    def merge(self, op: Operation, state: State, other: State) -> State:
        """The state after either of two ways: they may differ in what was waited for, in nothing else."""
        merged: State = {}
        for cb in state | other:
            a, b = state.get(cb, NOTHING_HELD), other.get(cb, NOTHING_HELD)
            own = _declaration(cb).producer == _declaration(cb).consumer
            if a.reserved != b.reserved or (own and a.stored != b.stored):
                self.refuse(op, cb, f"holds {a} on one way through {op.name} and {b} on another")
            merged[cb] = replace(a, waited=min(a.waited, b.waited))
        return merged

    def call(self, op: Operation, held: Held, pages: int) -> Held:
        cb = op.operands[0]
        capacity, own = capacity_of(cb), _declaration(cb).producer == _declaration(cb).consumer
        match op:
            case tt.ReserveBackOp():
                if pages > capacity or (own and held.stored + pages > capacity):
                    self.refuse(op, cb, f"reserves {pages} of {capacity} pages, {held.stored} are taken")
                return replace(held, reserved=max(held.reserved, pages))
            case tt.PushBackOp():
                if pages > held.reserved:
                    self.refuse(op, cb, f"pushes {pages} pages but has reserved {held.reserved}")
                return replace(held, reserved=held.reserved - pages, stored=held.stored + pages)
            case tt.WaitFrontOp():
                if pages > capacity or (own and pages > held.stored):
                    self.refuse(op, cb, f"waits for {pages} of {capacity} pages, {held.stored} are there")
                return replace(held, waited=max(held.waited, pages))
            case _:
                if pages > held.waited:
                    self.refuse(op, cb, f"pops {pages} pages but has waited for {held.waited}")
                return replace(held, waited=held.waited - pages, stored=held.stored - pages)

    def refuse(self, op: Operation, cb: SSAValue, what: str) -> None:
        raise InternalFault(
            f"kernel {self.kernel.sym_name.data}: circular buffer {name_of(cb)}: {what}",
            where=tile.location_of(op),
        )


def _plus(state: State, change: State, times: int) -> State:
    return {**state, **{cb: state.get(cb, NOTHING_HELD).plus(by, times) for cb, by in change.items()}}


def _declaration(cb: SSAValue) -> tt.CBOp:
    assert isinstance(cb.owner, tt.CBOp)
    return cb.owner


def capacity_of(cb: SSAValue) -> int:
    declaration = _declaration(cb)
    return declaration.pages.value.data * declaration.depth.value.data
