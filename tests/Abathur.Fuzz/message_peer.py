"""Units of a serialized observation by the compiled library, for the fuzzer, beside those of protobuf's parser.

The library may leave to protobuf what is unusual; it may not take what protobuf refuses, or read something else. The
number that guides the mutations is a checksum of what the library has read: which fields there are, and about how many.
"""

from __future__ import annotations

import sys
import zlib
from collections import Counter

from abathur import Units
from abathur._frame.bytes_units import units_of
from abathur._frame.unit_columns import COLUMNS
from google.protobuf.message import DecodeError
from peers import REFUSED, TAKEN, Answer, DifferenceError, compare, quiet, serve, units_told
from s2clientprotocol import sc2api_pb2

#: Protobuf takes it, and the library leaves it to protobuf.
LEFT = 3
_NAMES = {
    TAKEN: "read by the library",
    LEFT: "left to protobuf by the library",
    REFUSED: "refused by both",
}


def _take(message: bytes) -> Answer:
    found = units_of(message)
    try:
        parsed = sc2api_pb2.ResponseObservation.FromString(message)
    except DecodeError as error:
        if found is not None:
            raise DifferenceError(f"the library takes what protobuf refuses: {error}") from None
        return REFUSED, 0, str(error).encode()
    units = Units.from_proto(parsed.observation.raw_data.units)
    if found is not None:
        compare(units_told(Units(found), quiet), units_told(units, quiet), "the library and protobuf")
    # What is left to protobuf is no place to start from.
    return (LEFT, 0, b"") if found is None else (TAKEN, _shape(units), b"")


def _shape(units: Units) -> int:
    lists = (units.orders, units.buffs, units.passengers, units.rally_targets)
    shape = [len(units).bit_length(), *(len(each).bit_length() for each in lists)]
    shape += [int(units.has(name).any()) for name in COLUMNS]
    return zlib.crc32(bytes(shape)) & 0x7FFF_FFFF


def main() -> None:
    """Answer, and say at the end how many messages were read."""
    counts: Counter[int] = Counter()

    def counted(message: bytes) -> Answer:
        answer = _take(message)
        counts[answer[0]] += 1
        return answer

    serve(counted)
    told = ", ".join(f"{counts[kind]:,} {name}" for kind, name in _NAMES.items())
    print(f"message-python: {told}", file=sys.stderr)


if __name__ == "__main__":
    main()
