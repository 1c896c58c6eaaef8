"""The report as one HTML page. It loads nothing: style, script and data are inside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from tilesmith.profiling.model import KernelSource
from tilesmith.profiling.power.estimate import activity_of, estimate, power_of
from tilesmith.profiling.report import Profile
from tilesmith.profiling.serial import fields_of

_PAGE = Path(__file__).with_name("page")
_SCRIPTS = ("base", "summary", "cores", "charts", "timeline", "roles", "memory", "report")
_NOT_SHOWN = ("held", "traffic", "accuracy")


def html_page(profile: Profile) -> str:
    """The page. Its title and texts are escaped; data stands in JSON that cannot end its script element.

    >>> from tilesmith.profiling import recording
    >>> with recording("<b>") as recorder:
    ...     pass
    >>> "<title>&lt;b&gt;: predicted time</title>" in html_page(recorder.profile)
    True
    """
    environment = Environment(loader=FileSystemLoader(_PAGE), autoescape=True)
    return environment.get_template("report.html").render(
        title=profile.title or "tilesmith",
        style=Markup((_PAGE / "report.css").read_text(encoding="utf-8")),
        script=Markup("".join((_PAGE / f"{part}.js").read_text(encoding="utf-8") for part in _SCRIPTS)),
        data=Markup(_data(profile)),
    )


def _power(profile: Profile) -> list[dict[str, float]]:
    """The estimate of each program."""
    chip = profile.chip
    if chip is None:
        return []
    found = (estimate(chip, activity_of(program, chip)) for program in profile.programs)
    return [
        {"watts": power.watts, "low": power.low, "high": power.high, "limit": power.limit} for power in found
    ]


def _data(profile: Profile) -> str:
    texts: dict[str, int] = {}  # programs share kernels: each text is there once

    def shown(value: Any) -> dict[str, Any]:
        fields = {name: part for name, part in fields_of(value).items() if name not in _NOT_SHOWN}
        if isinstance(value, KernelSource):
            fields["text"] = texts.setdefault(value.text, len(texts))
        return fields

    data = json.loads(json.dumps(profile, default=shown))
    advice = [{**fields_of(line), "text": str(line)} for line in profile.advice]
    more = {"tried": advice, "power": _power(profile), "power_text": str(power_of(profile) or "")}
    return json.dumps({**data, **more, "texts": list(texts)}, separators=(",", ":")).replace("<", "\\u003c")
