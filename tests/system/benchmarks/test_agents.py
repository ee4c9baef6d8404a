"""The processes of agents that benchmarks read with."""

from __future__ import annotations

import pytest
from abathur.sync.v1 import sync_pb2
from processes import AgentProcess, MeasureError, answers, free_port
from readers import Subscription
from varints import stamps


def test_an_agent_that_fails_leaves_no_answer_behind() -> None:
    with AgentProcess() as failing, AgentProcess() as other:
        failing.send_read([Subscription("grpc", f"127.0.0.1:{free_port()}", decode=False)])
        other.send(forget=True)
        with pytest.raises(MeasureError, match="UNAVAILABLE"):
            answers([failing, other])
        for each in (failing, other):
            each.send(stop=True)
        assert answers([failing, other]) == [{"stopped": True}] * 2


@pytest.mark.parametrize("is_server_message", [False, True])
def test_stamps_are_those_of_the_frame_if_there_is_one(is_server_message: bool) -> None:
    frame = sync_pb2.Frame(match_id="a" * 40, sequence=300, published_monotonic_ns=1 << 40, data=b"abc", run_id="b")
    empty = sync_pb2.Frame(match_id="a" * 40, run_id="b")
    one, other = (
        sync_pb2.ServerMessage(frame=each).SerializeToString() if is_server_message else each.SerializeToString()
        for each in (frame, empty)
    )
    assert stamps(one, server_message=is_server_message) == (300, 1 << 40)
    assert stamps(other, server_message=is_server_message) is None
