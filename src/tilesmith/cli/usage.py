"""Arguments that the parser refuses, in the words of our errors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import typer

from tilesmith.errors import CommandLineError

# Typer carries a copy of click in newer releases: take whichever it uses.
_click: Any = sys.modules[typer.BadParameter.__module__]
USAGE_ERROR: type[Exception] = _click.ClickException


def as_sentence(error: Any, arguments: Sequence[str] = ()) -> CommandLineError:
    """What was wrong with the arguments, and what to write instead."""
    context: Any = getattr(error, "ctx", None)
    # The parser does not always say where it was: then the first word is the subcommand.
    words = ["tilesmith", *(word for word in arguments[:1] if not word.startswith("-"))]
    command = context.command_path if context is not None else " ".join(words)
    said = error.format_message().strip().rstrip(".")
    look = f"`{command} --help` shows what it takes"
    if isinstance(error, getattr(_click, "NoArgsIsHelpError", ())) or _wants_a_subcommand(error, context):
        return CommandLineError(f"{command} wants a subcommand", remedy=_one_of(context))
    if isinstance(error, _click.NoSuchOption):
        near = get_close_matches(error.option_name, _options(context), n=1)
        return CommandLineError(
            f"{command} has no option {error.option_name}", remedy=f"write {near[0]}" if near else look
        )
    if isinstance(error, _click.MissingParameter):
        name = _name(error.param)
        return CommandLineError(f"{command} wants {name}", remedy=f"give {_meaning(error.param)}; {look}")
    if said.startswith("No such command"):
        wrong = said.split("'")[1]
        near = get_close_matches(wrong, context.command.list_commands(context), n=1)
        near = ["--help"] if wrong == "help" else near
        remedy = f"write `{command} {near[0]}`" if near else _one_of(context)
        return CommandLineError(f"{command} has no subcommand {wrong}", remedy=remedy)
    if isinstance(error, _click.BadParameter) and error.param is not None:
        look = f"give {_meaning(error.param)}; {look}"
    return CommandLineError(f"{command}: {said[:1].lower()}{said[1:]}", remedy=look)


def _wants_a_subcommand(error: Any, context: Any) -> bool:
    return context is not None and error.format_message().startswith("Missing command")


def _name(parameter: Any) -> str:
    """As --help writes it."""
    if parameter.param_type_name == "option":
        return str(parameter.opts[0])
    return str(parameter.metavar or parameter.name.upper())


def _meaning(parameter: Any) -> str:
    return getattr(parameter, "help", None) or "a value"


def _options(context: Any) -> list[str]:
    if context is None:
        return []
    found = [name for one in context.command.get_params(context) for name in one.opts]
    return [name for name in found if name.startswith("-")]


def _one_of(context: Any) -> str:
    if context is None or not hasattr(context.command, "list_commands"):
        return "`tilesmith --help` lists the subcommands"
    return f"one of {', '.join(context.command.list_commands(context))}"
