using System.Buffers;
using Abathur.Sync.Encodings.ProtoJson;
using SC2APIProtocol;

namespace Abathur.Benchmarks.Codecs;

/// <summary>Codec <c>protojson</c>: the daemon's transcoder, protobuf bytes to ProtoJSON and back, without messages in between.</summary>
internal sealed class TranscoderCodec : ICodec
{
    private readonly ProtoJsonTranscoder _transcoder = ProtoJsonTranscoder.For(ResponseObservation.Descriptor);
    private readonly ArrayBufferWriter<byte> _json = new();
    private readonly ArrayBufferWriter<byte> _wire = new();

    public string Label => "Abathur.Sync ProtoJSON transcoder";

    public IReadOnlyList<string> Footnotes =>
    [
        "Encodes protobuf bytes and decodes to protobuf bytes, into reused buffers: against protojson-google, which starts and ends at messages, and protojson-google-wire.",
        "What is touched are the fields of a message parsed from the decoded bytes; that parse is part of decode and touch.",
        "Keeps the text of floats that it has written: as every codec it has seen the frames before in the check, so that few frames (--frames) flatter it.",
    ];

    public object Prepare(byte[] observation) => observation;

    public ReadOnlyMemory<byte> Encode(object source)
    {
        _json.ResetWrittenCount();
        _transcoder.ToJson((byte[])source, _json);
        return _json.WrittenMemory;
    }

    public object Decode(ReadOnlyMemory<byte> encoded)
    {
        _wire.ResetWrittenCount();
        _transcoder.ToProto(encoded.Span, _wire);
        return _wire;
    }

    public ulong Touch(object decoded)
    {
        var sum = new Checksum();
        ToObservation(decoded).Touch(ref sum);
        return sum.Value;
    }

    public ResponseObservation ToObservation(object decoded) => ResponseObservation.Parser.ParseFrom(((ArrayBufferWriter<byte>)decoded).WrittenSpan);
}
