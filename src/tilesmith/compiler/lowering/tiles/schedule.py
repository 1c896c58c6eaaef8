"""In which order a graph of calls runs, and which slot each tile has meanwhile."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tilesmith.compiler.lowering.tiles.expression import LEAVES, AddTile, Apply, Eltwise, Node, Spread


@dataclass(frozen=True)
class Step:
    """One call: the node it computes, the slots of its arguments, the slot of its result.

    `copies_from` is the slot whose tile is copied to the result's first, for a function that works in place.
    """

    node: Node
    args: tuple[int, ...]
    result: int
    copies_from: int | None = None


@dataclass
class Schedule:
    """The steps of a graph and how many slots they use. With `reloads`, leaves come anew for every use."""

    reloads: bool
    steps: list[Step] = field(default_factory=list)
    slots: int = 0
    result: int = 0
    _slot_of: dict[Node, int] = field(default_factory=dict)
    _uses: Counter[Node] = field(default_factory=Counter)
    _free: list[int] = field(default_factory=list)
    _needs: dict[Node, int] = field(default_factory=dict)

    def run(self, root: Node) -> Schedule:
        self._count(root, set())
        self.result = self._evaluate(root)
        return self

    def _count(self, node: Node, seen: set[Node]) -> None:
        self._uses[node] += 1
        if node not in seen:
            seen.add(node)
            for arg in node.args:
                self._count(arg, seen)

    def _need(self, node: Node) -> int:
        """Slots a node takes on its own, were nothing shared; what takes more is computed first."""
        if node not in self._needs:
            needs = sorted((self._need(arg) for arg in node.args), reverse=True)
            extra = 1 if isinstance(node, Spread) else 0
            self._needs[node] = max([1 + extra, *(need + held for held, need in enumerate(needs))])
        return self._needs[node]

    def _evaluate(self, node: Node) -> int:
        if node in self._slot_of:
            return self._slot_of[node]
        order = sorted(range(len(node.args)), key=lambda at: -self._need(node.args[at]))
        slots: dict[int, int] = {at: self._evaluate(node.args[at]) for at in order}
        args = tuple(slots[at] for at in range(len(node.args)))
        ending = self._give_up(node.args, args)
        result, copies_from = self._choose(node, args, ending)
        self._free += [slot for slot in ending if slot != result]
        self.steps.append(Step(node, args, result, copies_from))
        if not (self.reloads and isinstance(node, LEAVES)):
            self._slot_of[node] = result
        return result

    def _give_up(self, nodes: tuple[Node, ...], slots: tuple[int, ...]) -> list[int]:
        """The slots of arguments that nobody needs any more."""
        ending = []
        for node, slot in zip(nodes, slots, strict=True):
            self._uses[node] -= 1
            if self._uses[node] == 0 or node not in self._slot_of:
                ending.append(slot)
                self._slot_of.pop(node, None)
        return list(dict.fromkeys(ending))

    def _choose(self, node: Node, args: tuple[int, ...], ending: list[int]) -> tuple[int, int | None]:
        if isinstance(node, Eltwise) and node.fn == "mul":
            return self._untouched(), None
        if isinstance(node, (*LEAVES, Spread)):
            return self._take(), None
        if isinstance(node, Apply | AddTile) and len(args) == 1 and not ending:
            return self._take(), args[0]
        return (ending[0] if ending else self._take()), None

    def _take(self) -> int:
        return self._free.pop() if self._free else self._untouched()

    def _untouched(self) -> int:
        """A slot nothing has been in: products are added to what a slot holds."""
        self.slots += 1
        return self.slots - 1


def schedule(root: Node, capacity: int) -> Schedule:
    """The schedule that lets most tiles share a section; of equals, the one that loads each tile once.

    >>> from tilesmith.compiler.lowering.tiles.expression import Apply, Load
    >>> x = Load(0)
    >>> plan = schedule(Apply("mul", (x, Apply("exp", (x,)))), 4)
    >>> plan.slots, [type(step.node).__name__ for step in plan.steps]
    (2, ['Load', 'Apply', 'Apply'])
    """
    kept, reloaded = Schedule(reloads=False).run(root), Schedule(reloads=True).run(root)
    return kept if capacity // kept.slots >= capacity // reloaded.slots else reloaded


def nodes_of(root: Node) -> list[Node]:
    """Every node of a graph, once each, arguments last."""
    found: dict[Node, None] = {}
    _collect(root, found)
    return list(found)


def _collect(node: Node, found: dict[Node, None]) -> None:
    if node not in found:
        found[node] = None
        for arg in node.args:
            _collect(arg, found)
