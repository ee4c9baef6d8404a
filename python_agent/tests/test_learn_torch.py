"""Windows under PyTorch's DataLoader, which Debian's python3-torch has: the environment of the lowest versions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from abathur import learn
from programs import SKIRMISH

torch: Any = pytest.importorskip("torch", reason="torch is not installed")

SPEC = learn.Spec(
    frames=4, every=8, slots=100, units=["x", "y", "health"], players=["minerals"], grids=["visibility", "creep"]
)
#: Of old versions with newer NumPy and Python.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:This DataLoader will create:UserWarning"),
]


@pytest.fixture(scope="module")
def data() -> Iterator[learn.Windows]:
    with closing(learn.Windows(SKIRMISH, SPEC, target=learn.losses(80))) as made:
        yield made


def digest(window: Any) -> str:
    return hashlib.sha256(b"".join(bytes(window[name].numpy().tobytes()) for name in sorted(window))).hexdigest()


def windows(batches: Any) -> list[dict[str, Any]]:
    return [{name: array[i] for name, array in batch.items()} for batch in batches for i in range(len(batch["tags"]))]


def tensors(window: learn.Window) -> dict[str, Any]:
    return {name: torch.from_numpy(array) for name, array in window.items()}


@pytest.mark.parametrize(("workers", "method"), [(0, None), (2, "fork"), (2, "spawn")])
def test_a_loader_takes_windows_by_their_numbers(data: learn.Windows, workers: int, method: str | None) -> None:
    loader = torch.utils.data.DataLoader(
        data, batch_size=16, num_workers=workers, multiprocessing_context=method, shuffle=True
    )
    found = windows(loader)
    assert sorted(map(digest, found)) == sorted(digest(tensors(each)) for each in data)
    kinds = {name: (value.dtype, tuple(value.shape)) for name, value in found[0].items()}
    assert kinds["tags"] == (torch.int64, (100,)) and kinds["overflow"] == (torch.int64, ())
    assert kinds["target"] == (torch.float32, (2,)) and kinds["valid"] == (torch.bool, ())
    assert {kind for kind, _ in kinds.values()} == {
        torch.float32, torch.int32, torch.int64, torch.uint8, torch.bool
    }  # fmt: skip


@pytest.mark.parametrize(("workers", "method"), [(0, None), (2, "fork"), (3, "spawn")])
def test_a_loader_takes_a_stream(data: learn.Windows, workers: int, method: str | None) -> None:
    def found(start: int) -> list[str]:
        stream = data.stream(8, seed=3, epoch=1, start=start)
        assert isinstance(stream, torch.utils.data.IterableDataset)
        loader = torch.utils.data.DataLoader(
            stream, batch_size=None, num_workers=workers, multiprocessing_context=method
        )
        return [digest(each) for each in windows(loader)]

    whole = found(0)
    assert sorted(whole) == sorted(digest(tensors(each)) for each in data)
    if workers == 0:
        assert whole == [digest(each) for each in windows(map(tensors, data.batches(8, seed=3, epoch=1)))]
    assert found(48) == whole[48:]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_stream_is_one_epoch(data: learn.Windows, workers: int) -> None:
    stream = data.stream(64, seed=1)
    loader = torch.utils.data.DataLoader(stream, batch_size=None, num_workers=workers, persistent_workers=workers > 0)
    assert len(windows(loader)) == len(data)
    with pytest.raises(ValueError, match="a stream is one epoch"):
        list(loader)


def test_a_loader_stops_in_the_middle(data: learn.Windows) -> None:
    loader = torch.utils.data.DataLoader(data.stream(4, seed=1, prefetch=2), batch_size=None, num_workers=2)
    batches = iter(loader)
    first = next(batches)
    assert first["units"].shape == (4, 4, 100, 3)
    workers = batches._workers
    del batches
    for each in workers:
        each.join(30)
        assert each.exitcode is not None


def test_an_error_in_a_worker_is_told(tmp_path: Any) -> None:
    path = tmp_path / "gone.mcap"
    path.write_bytes(SKIRMISH.read_bytes())
    with closing(learn.Windows(path, SPEC)) as data:
        path.unlink()
        loader = torch.utils.data.DataLoader(data, batch_size=4, num_workers=1)
        with pytest.raises(Exception, match=r"No such file or directory"):
            next(iter(loader))


def test_wrong_streams_are_refused(data: learn.Windows) -> None:
    for options, kind, message in (
        ({"worker": (0, 1)}, TypeError, "asks the loader which worker"),
        ({"start": 7}, ValueError, "start=7 is not a number of whole batches of 4"),
        ({"speed": 7}, TypeError, "speed"),
    ):
        with pytest.raises(kind, match=message):
            data.stream(4, **options)
