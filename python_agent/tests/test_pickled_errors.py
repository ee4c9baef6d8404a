"""Errors of the package pass from process to process."""

from __future__ import annotations

import copy
import importlib
import inspect
import multiprocessing
import pickle
import pkgutil
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

import abathur
import pytest


def modules() -> Iterator[ModuleType]:
    yield abathur
    for found in pkgutil.walk_packages(abathur.__path__, "abathur."):
        if "schema" not in found.name and not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def error_types() -> list[type[Exception]]:
    """Every error of the package that users can catch."""
    found = {
        value
        for module in modules()
        for value in list(vars(module).values())
        if inspect.isclass(value) and issubclass(value, abathur.AbathurError)
    }
    return sorted(found, key=lambda each: each.__name__)


def made(kind: type[Exception]) -> Exception:
    """One with the arguments that its class takes."""
    if "__init__" not in {
        name for each in kind.__mro__ if each.__module__.startswith("abathur") for name in vars(each)
    }:
        return kind("words")
    hints = get_type_hints(kind.__init__)
    return kind(*(f"the {name}" if hints[name] is str else 7 for name in inspect.signature(kind).parameters))


ERRORS = error_types()


def test_all_public_errors_are_found() -> None:
    names = {name for name in (*abathur.__all__, *abathur.errors.__all__) if name.endswith("Error")}
    assert len(names) >= 11 and names <= {each.__name__ for each in ERRORS}


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
def test_an_error_is_pickled_with_all_it_has(kind: type[Exception], protocol: int) -> None:
    error = made(kind)
    error.add_note("noted")
    for again in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is kind
        assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))


def connect(address: str) -> Any:
    with abathur.connect_blocking(address, reconnect_timeout=0, connect_timeout=2) as game:
        return list(game.frames())


def open_recording(path: Path) -> Any:
    return abathur.open(path)


def test_errors_of_workers_reach_their_parent(tmp_path: Path) -> None:
    missing = tmp_path / "missing.mcap"
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(abathur.ConnectError, match="cannot connect to grpc://127") as failed:
            pool.submit(connect, "127.0.0.1:1").result()
        assert failed.value.address == "grpc://127.0.0.1:1"
        with pytest.raises(abathur.RecordingError, match=r"cannot open .*missing\.mcap"):
            pool.submit(open_recording, missing).result()
