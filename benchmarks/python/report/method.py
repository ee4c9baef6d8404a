"""How it was measured, in half a page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from report.results import Run

_TEXT = (
    "<b>Data.</b> <code>elite</code> and <code>skirmish</code> are simulated by <code>abathur-sync synth</code>: "
    "anyone can make them again. The sequences are rebuilt from real replays over real first frames: units, deaths, "
    "commands and the map are real; motion between known places, fights and production are modelled. “-noisy” is the "
    "same with random motion and fights. No recorded match of real observations is public. Sizes in C#, and of streams "
    "in every language, are of every frame of a recording; times are of as many as fit into a row's budget.",
    "<b>Timed:</b> encoding, decoding, and decoding with a read of every field, one frame at a time, each once per "
    "round, in an order of codecs that is shuffled in each round. The figure is the mean of the middle half; in "
    "brackets or beside it the least and the most of the rounds. <b>Not timed:</b> making the object to encode, "
    "reading the file, garbage of other codecs.",
    "<b>Checked first:</b> every frame of every row comes back equal, with a checksum over every field. A row that "
    "does not is not timed and says why; what a format cannot carry is listed.",
    "<b>Starts and ends.</b> “Ready” starts at bytes and ends when every field of a message or plain "
    "object has been read; for <code>columns</code>, when all columns of all units are arrays. Encoding starts at "
    "messages (<code>protobuf</code>, <code>protojson-google</code>), at plain objects (other JSON, CBOR, "
    "MessagePack, Avro, FlatBuffers), or at protobuf bytes (<code>protojson</code>, <code>columns</code>, streams: "
    "the daemon has these bytes). Daemon to reader: the encoding of protobuf bytes in the daemon, the link, and the "
    "decoding of the reader; protobuf itself is forwarded, so its encoding is 0, and the time of compression is that "
    "of the compressed row less the plain one.",
    "<b>Fairness.</b> Libraries are used as their documentation advises: generated code, reused buffers, contexts "
    "and serializers. Protobuf in Python makes objects when a field is read, so only times with every field read are "
    "compared. Rows that read in place, read one property, or do not check their input are in the folded tables only.",
    "<b>Streams</b> (<code>columns</code>, <code>*-stream</code>) depend on the frames before: a reader that joins "
    "waits for a keyframe, and their reader decodes in order from a keyframe on.",
)


def section(runs: Sequence[Run], operations: str, environments: str) -> str:
    """The text; BenchmarkDotNet's tables and the environments are folded."""
    paragraphs = "".join(f"<p>{each}</p>" for each in _TEXT)
    missing = "".join(
        f"<li>{escape(run.title)}: {escape(name)}: {escape(why)}</li>"
        for run in runs
        for name, why in run.unavailable.items()
    )
    return (
        f'<div class="columns">{paragraphs}</div>'
        + (f"<details><summary>Not available</summary><ul>{missing}</ul></details>" if missing else "")
        + f"<details><summary>Single operations, by BenchmarkDotNet</summary>{operations}</details>"
        + f"<details><summary>Machine, versions, load</summary>{environments}</details>"
    )
