"""What users can name is approved: `public_surface.txt` has all of it, and changes with it on purpose only."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from enum import EnumMeta
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import abathur

APPROVED = Path(__file__).with_name("public_surface.txt")
MODULES = ("abathur", "abathur.actions", "abathur.columns", "abathur.drawing", "abathur.errors", "abathur.events")
LATE_MODULES = ("abathur.dataset", "abathur.learn", "abathur.sc2")


def surface() -> str:
    """A line for each name: what it is, its parameters and their types."""
    return "".join(f"{line}\n" for name in (*MODULES, *LATE_MODULES) for line in of_module(import_module(name)))


def of_module(module: ModuleType) -> Iterator[str]:
    yield f"module {module.__name__}"
    for name in sorted(getattr(module, "__all__", None) or public(vars(module), module)):
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            yield f"  module {name}"
        elif inspect.isclass(value) and value.__module__.startswith("abathur") and module is home(value, module):
            yield from of_class(name, value)
        elif inspect.isfunction(value):
            yield f"  def {name}{signature(value)}"
        else:
            yield f"  {name}"


def home(value: type, module: ModuleType) -> ModuleType:
    """Errors are told once, where they are."""
    is_error = issubclass(value, Exception) and module is abathur
    return import_module("abathur.errors") if is_error else module


def public(names: dict[str, Any], module: ModuleType) -> list[str]:
    return [
        name
        for name, value in names.items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]


def of_class(name: str, value: type) -> Iterator[str]:
    bases = ", ".join(base.__name__ for base in value.__bases__ if base is not object)
    yield f"  class {name}({bases})" if bases else f"  class {name}"
    if isinstance(value, EnumMeta):
        return
    attributes = {**vars(value).get("__annotations__", {}), **attributes_of_instances(value)}
    for each, member in vars(value).items():
        function = getattr(member, "fget", getattr(member, "func", None))
        if function is not None:
            attributes[each] = function.__annotations__["return"]
    for each, kind in sorted(attributes.items()):
        if not each.startswith("_"):
            yield f"    {each}: {getattr(kind, '__forward_arg__', kind)}"
    for each, member in sorted(vars(value).items()):
        function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        is_own = inspect.isfunction(function) and function.__qualname__.startswith(name)
        if is_own and each not in OF_PYTHON and (each.startswith("__") or not each.startswith("_")):
            kind = {classmethod: "classmethod ", staticmethod: "staticmethod "}.get(type(member), "")
            is_async = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
            yield f"    {kind}{'async ' if is_async else ''}def {each}{signature(function)}"


class Written:
    """A type as it stands in the source."""

    def __new__(cls, kind: Any) -> Any:
        return kind if kind is inspect.Parameter.empty else super().__new__(cls)

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    def __repr__(self) -> str:
        return str(self._kind)


def attributes_of_instances(value: type) -> dict[str, str]:
    """Those with a type that `__init__` sets."""
    (made,) = ast.parse(textwrap.dedent(inspect.getsource(value))).body
    return {
        node.target.attr: ast.unparse(node.annotation)
        for node in ast.walk(made)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute)
    }


def signature(function: Any) -> str:
    found = inspect.signature(function)
    parameters = [each.replace(annotation=Written(each.annotation)) for each in found.parameters.values()]
    return str(found.replace(parameters=parameters, return_annotation=Written(found.return_annotation)))


#: Made by the language, by dataclasses and for pickling.
OF_PYTHON = {
    "__delattr__",
    "__eq__",
    "__getstate__",
    "__hash__",
    "__init__",
    "__reduce__",
    "__repr__",
    "__setattr__",
    "__setstate__",
}


def test_the_surface_is_the_approved_one() -> None:
    found = surface()
    received = APPROVED.with_suffix(".received.txt")
    if found == APPROVED.read_text(encoding="utf-8"):
        received.unlink(missing_ok=True)
        return
    received.write_text(found, encoding="utf-8", newline="\n")
    raise AssertionError(f"the public surface has changed: if on purpose, {received.name} replaces {APPROVED.name}")
