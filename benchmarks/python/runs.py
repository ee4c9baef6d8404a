"""What the programs of benchmarks have in common: options, rounds, processes that answer, results, exit code."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from figures import Figures, machine, save
from processes import ROOT, MeasureError

from recordings import LOCAL

#: Seconds that a process may take.
_TIMEOUT = 300


def arguments(
    name: str,
    about: str | None,
    more: Mapping[str, Any] | None = None,
    *,
    quick: str = "",
    output: str = "",
    **numbers: tuple[Any, ...],
) -> Any:
    """The options of a command line: ``--output``, and what a benchmark has besides.

    Args:
        name: The benchmark.
        about: What it says about itself.
        more: Arguments of `add_argument` by the name of an option.
        quick: What ``--quick`` does; empty: there is no such option.
        output: A file in benchmarks/local; empty: a folder with the date and the name.
        numbers: Options that are positive numbers: the default, what it is, and the default of ``--quick``.
    """
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog=f"bench {name}", description=about, formatter_class=form)
    for option, (default, what, *short) in numbers.items():
        told = f"{what} (default: {default}{f'; quick: {short[0]}' if short else ''})"
        parser.add_argument(f"--{option.replace('_', '-')}", type=type(default), help=told)
    for option, given in (more or {}).items():
        parser.add_argument(option, **given)
    if quick:
        parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--output", type=Path, help="of the results (default: in benchmarks/local)")
    options = parser.parse_args()
    for option, value in vars(options).items():
        if any(isinstance(each, int | float) and each <= 0 for each in _numbers(option, value)):
            parser.error(f"--{option.replace('_', '-')} is positive")
    for option, (default, _, *short) in numbers.items():
        if getattr(options, option) is None:
            setattr(options, option, short[0] if short and options.quick else default)
    options.output = options.output or LOCAL / (output or f"{datetime.date.today()}-{name}")
    return options


def _numbers(option: str, value: Any) -> list[Any]:
    values = value if isinstance(value, list) else [value]
    return [each for each in values if option != "seed" and not isinstance(each, bool)]


def rounds(count: int) -> Iterator[int]:
    """Their numbers, each told."""
    for number in range(1, count + 1):
        print(f"round {number} of {count}", flush=True)
        yield number


def times(call: Callable[[Any], object], values: Iterable[Any]) -> list[float]:
    """Microseconds of a call for each value."""
    taken = []
    for value in values:
        start = time.perf_counter_ns()
        call(value)
        taken.append((time.perf_counter_ns() - start) / 1000)
    return taken


def output_of(line: list[str], **environment: str) -> str:
    """What a program prints that measures in a process of its own.

    Raises:
        MeasureError: it fails, or takes too long.
    """
    try:
        done = subprocess.run(
            line, capture_output=True, text=True, env=os.environ | environment, timeout=_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MeasureError(str(error)) from None
    if done.returncode != 0:
        changed = "".join(f"{name}={value} " for name, value in environment.items())
        raise MeasureError(f"{changed}{' '.join(line)} failed: {done.stderr}")
    return done.stdout


def ask(program: str | Path, *given: object, python: str = sys.executable, **environment: str) -> Any:
    """What a function answers in a process of its own, in the last line that it prints: see `answer`."""
    said = output_of([python, str(program), "--ask", *map(str, given)], **environment)
    return json.loads(said.splitlines()[-1])


def answer(functions: dict[str, Any], main: Callable[[], int] | None = None) -> int:
    """Run a program: its main function, or after ``--ask`` the function named, whose answer is printed as JSON."""
    if sys.argv[1:2] == ["--ask"]:
        print(json.dumps(functions[sys.argv[2]](*sys.argv[3:])))
        return 0
    return main() if main is not None else 2


def _without_machine(path: Path) -> str:
    """A path in the project, or the name of a file elsewhere: results are committed."""
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name


def run(
    options: Any,
    measure: Callable[[Figures], object],
    page: Callable[[Figures], str],
    found: dict[str, Any] | None = None,
) -> int:
    """Measure, save and print the page; after Ctrl-C with what is measured by then.

    Args:
        options: Of the command line.
        measure: Adds the figures.
        page: Makes the page of them.
        found: What else results.json has; `measure` may add to it. With ``errors`` the exit code is 1.

    Returns:
        The exit code: 1 if something could not be measured, 130 after Ctrl-C.
    """
    figures, found, code = Figures(), found if found is not None else {}, 0
    try:
        measure(figures)
    except MeasureError as error:
        print(f"not measured: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        code = 130
        if not figures.to_json() and not found:
            return code
        print("interrupted: writing what is measured", flush=True)
    text = page(figures)
    given = {name: value for name, value in vars(options).items() if name != "output"}
    given = json.loads(json.dumps(given, default=_without_machine))
    save(options.output, {"machine": machine(), **given, **found, "figures": figures.to_json()}, text)
    (options.output / "figures.json").write_text(json.dumps(figures.by_name(), indent=1) + "\n")
    print(text)
    print(f"results in {options.output}")
    return code or (1 if found.get("errors") else 0)
