"""A game client as pysc2 with websocket-client is on the wire: text frames, an Origin header, one request at a time."""

from __future__ import annotations

from typing import Any

from s2clientprotocol.sc2api_pb2 import Request, Response
from websockets_by_hand import BINARY, CONTINUATION, TEXT, Connection, frame

MAX_FRAGMENT = 2000


class TextClient(Connection):
    """Requests in text frames. An id makes each of them invalid as UTF-8."""

    def __init__(self, port: int, opcode: int = TEXT) -> None:
        """Connect; `opcode` BINARY: the same in binary frames."""
        super().__init__(port, "/sc2api", Origin=f"http://127.0.0.1:{port}")
        self._opcode = opcode
        self._count = 0

    def ask(self, **request: Any) -> Response:
        self._count += 1
        payload = Request(id=self._count, **request).SerializeToString()
        pieces = [payload[at : at + MAX_FRAGMENT] for at in range(0, len(payload), MAX_FRAGMENT)]
        for at, piece in enumerate(pieces):
            opcode = self._opcode if at == 0 else CONTINUATION
            self.send(frame(opcode, piece, fin=at == len(pieces) - 1))
        answer = self.read()
        # websocket-client would decode an answer in a text frame, and the parser cannot read the result.
        assert answer is not None and answer.opcode == BINARY, answer
        response = Response.FromString(answer.payload)
        assert response.id == self._count
        return response
