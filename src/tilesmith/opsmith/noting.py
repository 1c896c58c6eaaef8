"""What goes into the record besides tests: what the spec gave, buffers and work as applied, kernels."""

from __future__ import annotations

from tilesmith.opsmith.journal import Journal
from tilesmith.opsmith.model import CircularBufferPlan, OpSpec
from tilesmith.opsmith.python_factory import argument_names
from tilesmith.opsmith.runner import TestRun
from tilesmith.opsmith.stage_tests import stage_file, untestable_rules
from tilesmith.opsmith.stubs import kernel_path


def note_spec(journal: Journal, spec: OpSpec) -> None:
    """What was read, what the author decided, and what differs from the letter of the spec."""
    for section, said, used in spec.extraction:
        journal.add("extraction", section=section, value=said, used=used)
    for decision, options, choice, why in spec.decisions:
        journal.add("decision", decision=decision, options=options, choice=choice, why=why)
    for deviation in spec.deviations:
        journal.add(
            "deviation",
            aspect=deviation.aspect,
            said=deviation.said,
            made=deviation.built,
            reason=deviation.reason,
        )
    for rule in untestable_rules(spec):
        reason = "every call that breaks it breaks an earlier rule"
        journal.add("deviation", aspect=rule, said="a rule", made="checked, without a test", reason=reason)
    if not spec.reference:
        reason = "the spec gives no torch expression"
        journal.add("deviation", aspect="Stage 7", said="-", made="no test", reason=reason)


def note_program(journal: Journal, spec: OpSpec, stage: int, run: TestRun) -> None:
    """The figures that the stage's test saw."""
    if stage == 5:
        noted = dict(run.of(stage_file(5)).properties)
        case = spec.cases[0].name
        for cb in spec.cbs:
            size = noted.get(f"cb {case} {cb.index}", "")
            if size:
                journal.add("cb", 5, index=cb.index, name=cb.name, size=size, why=_why(cb))
        for entry in spec.cases:
            if f"work {entry.name}" in noted:
                journal.add("work", 5, case=entry.name, shared=noted[f"work {entry.name}"])
        return
    for kernel in spec.kernels:
        path = f"kernels/{kernel_path(spec.name, kernel.role)}"
        compile_time, runtime = argument_names(kernel)
        journal.add(
            "kernel",
            6,
            role=kernel.role.value,
            path=path,
            compile_time=compile_time,
            runtime=runtime,
            code=_protocol((journal.folder / path).read_text(encoding="utf-8")),
        )


def _why(cb: CircularBufferPlan) -> str:
    flow = "filled once" if cb.once else f"{cb.producer.value} to {cb.consumer.value}"
    return f"{cb.purpose or cb.name} ({flow})"


def _protocol(source: str) -> str:
    """The lines of a kernel that touch circular buffers or loop."""
    kept = [line for line in source.splitlines() if "cb_" in line and "(" in line and "get_" not in line]
    return "\n".join(kept)
