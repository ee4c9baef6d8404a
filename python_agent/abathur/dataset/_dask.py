"""Workers of an existing Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from abathur.dataset._local import Call, Lost
from abathur.errors import AbathurError

_CONNECT_SECONDS = 10


def run(call: Call, sources: Sequence[str], lost: Lost, *, scheduler: str, retries: int) -> Iterator[tuple[str, Any]]:
    """Call for each source in a task of its own, and give source and result as they come.

    Args:
        call: The call; the workers have this package installed.
        sources: What it is called with.
        lost: Makes the result of a task that failed for another reason than the recording.
        scheduler: Address of the cluster's scheduler: ``tcp://HOST:PORT``.
        retries: How often a task that raises an exception is tried again. The scheduler tries those of killed workers
            again by itself, three times unless it is configured otherwise.

    Raises:
        AbathurError: dask.distributed is not installed, no scheduler answers, or the connection to it breaks.
    """
    try:
        from distributed import Client, as_completed
        from distributed.client import FutureCancelledError
    except ImportError:
        raise AbathurError("--scheduler needs dask.distributed: pip install abathur-agent[dask]") from None
    try:
        client: Any = Client(scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise AbathurError(f"no Dask scheduler answers at {scheduler}: {error}") from None
    with client:
        futures = {client.submit(call, source, retries=retries, pure=False): source for source in sources}
        for future in as_completed(futures, loop=client.loop):  # type: ignore[no-untyped-call]
            source = futures.pop(future)
            try:
                result = future.result()
            except FutureCancelledError:
                raise AbathurError(f"lost the connection to the Dask scheduler at {scheduler}") from None
            # Whatever a task raises, and what Dask raises for it.
            except Exception as error:
                result = lost(f"{type(error).__name__}: {error}")
            yield source, result
