"""A real daemon for tests: started on free ports, ended with the test."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import abathur
import psutil
import pytest
from _pytest.runner import runtestprotocol
from browsers import AT, NPM, Browser, OpenPage, Page, install
from hypothesis import HealthCheck, settings
from nats_servers import Server, running
from programs import DAEMON, FREE_PORTS, SKIRMISH, Daemon, Launch, Play, runs, start
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

# How long an example takes says something about the machine and what else it does, and nothing about the code.
settings.register_profile(
    "abathur",
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=runs(100),
)
settings.load_profile("abathur")

# What the package starts by itself is the same program.
os.environ.setdefault("ABATHUR_SYNC", f'"{DAEMON}"')

#: How often a test of time or memory is tried before it fails: what it measures depends on what else the machine does.
MEASURED_TRIES = 3


#: Where tests run in several processes, those of a file run in one of them. So do those of all files whose names begin
#: like these: they share the folder of the build.
TOGETHER = {"build": ("test_demo", "test_packages", "test_windows")}


#: Groups and files that take longest, in this order; then the others, first those with many tests. A long file that
#: begins last keeps one process busy while the others have nothing left.
LONGEST = (
    "build",
    "test_browser_harness",
    "test_go_bench",
    "test_jvm_bench",
    "test_emulator_python_sc2",
    "test_bench",
    "test_compact",
    "test_sc2",
    "test_docs",
    "test_output_file",
    "test_dashboard",
    "test_dashboard_map",
    "test_dashboard_over_time",
    "test_dataset_faults",
    "test_history",
    "test_nats",
    "test_nats_faults",
    "test_examples",
    "test_unread_answers",
    "test_path",
)


def pytest_configure() -> None:
    """Give signals to what tests start: `nohup` and the `&` of a shell ignore some, which programs inherit."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            # Ignored here as before: only a function is not inherited.
            signal.signal(number, lambda *_: None)


class FileGroups(LoadScopeScheduling):
    """Keeps the tests of a file, or of a group of files, in one process, and begins with those that take long."""

    def _assign_work_unit(self, node: WorkerController) -> None:
        longest = next((group for group in LONGEST if group in self.workqueue), None)
        if longest is not None:
            self.workqueue.move_to_end(longest, last=False)
        super()._assign_work_unit(node)

    def _split_scope(self, nodeid: str) -> str:
        file = Path(nodeid.split("::")[0]).stem
        return next((group for group, files in TOGETHER.items() if file.startswith(files)), file)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FileGroups:
    """Distribute tests to processes."""
    return FileGroups(config, log)


def pytest_xdist_setupnodes() -> None:
    """Install what tests in browsers share, before the processes begin."""
    if NPM is not None:
        install()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Repeat a test that is marked `measured` before it fails."""
    if item.get_closest_marker("measured") is None:
        return None
    for left in reversed(range(MEASURED_TRIES)):
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        # Fixtures of the module stay while the test is to be run again.
        reports = runtestprotocol(item, log=False, nextitem=item.parent if left else nextitem)  # type: ignore[arg-type]
        failed = any(report.failed for report in reports)
        if not failed or not left:
            break
        print(f"\n{item.nodeid} failed, is tried again: {reports[1].longreprtext.splitlines()[-1:]}")
        item.user_properties.append(("tried_again", 1))
    if left:
        item.session._setupstate.teardown_exact(nextitem)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """End what a test has started and not ended because it failed: a later test must not meet it."""
    before = {child.pid for child in psutil.Process().children()}
    try:
        return (yield)
    except BaseException:
        left = {child.pid: child for child in psutil.Process().children() if child.pid not in before}
        for child in left.values():
            child.kill()
        # By their types: `isinstance` asks the object for its class, and some of PyTorch's warn then.
        for process in (each for each in gc.get_objects() if issubclass(type(each), subprocess.Popen)):
            if process.pid not in left:
                continue
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    # What is not yet written has no reader any more.
                    with contextlib.suppress(OSError):
                        stream.close()
        raise


@pytest.fixture
def launch() -> Iterator[Launch]:
    """Start any command that serves; ended after the test, by its own process id."""
    daemons: list[Daemon] = []

    def starter(*arguments: str) -> Daemon:
        daemon = start(*arguments)
        daemons.append(daemon)
        return daemon

    yield starter
    for daemon in daemons:
        daemon.close()


@pytest.fixture
def play(tmp_path: Path, launch: Launch) -> Play:
    """Start `play FILE` on free ports."""

    def starter(file: Path | str, *arguments: str, uds: bool = False) -> Daemon:
        ports = list(FREE_PORTS)
        if uds:
            ports += ["--grpc-uds", str(tmp_path / "g.sock"), "--socket-uds", str(tmp_path / "s.sock")]
        return launch("play", str(file), *ports, *arguments)

    return starter


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    install()
    browser = Browser()
    yield browser
    browser.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Open the dashboard of a daemon. After the test no page may have complained."""
    pages: list[Page] = []

    def opener(daemon: Daemon, path: str = "/", **options: object) -> Page:
        page = browser.page(**{"viewport": {"width": 1280, "height": 800}, "colorScheme": "dark", **options})
        pages.append(page)
        page.run("await page.goto(args)", daemon.addresses["http"] + path)
        return page

    yield opener
    complaints = [page.complaints for page in pages]
    for page in pages:
        page.close()
    assert complaints == [[]] * len(pages)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A NATS server of one test."""
    with running(tmp_path / "nats") as server:
        yield server


@pytest.fixture
def paused(play: Play) -> Daemon:
    """A playback of the committed recording that stands at a fight."""
    daemon = play(SKIRMISH, "--start-paused", "--loop")
    with abathur.connect_blocking(daemon.grpc) as game:
        game.playback.seek(AT)
        game.playback.step()
    return daemon
