using System.Buffers;
using Abathur.Protobuf;
using Abathur.Protobuf.ProtoJson;
using SC2APIProtocol;

namespace Abathur.Benchmarks.Codecs;

/// <summary>Codec <c>protojson</c>: the daemon's transcoder, protobuf bytes to ProtoJSON and back, without messages in between.</summary>
internal sealed class TranscoderCodec : ICodec
{
    private static readonly ProtoJsonOptions Options = new();
    private readonly ProtoJsonTranscoder _encoder = ProtoJsonTranscoder.Create(ResponseObservation.Descriptor, Options);

    // A frame is decoded twice, once to be touched. Were it by the same transcoder, the second time would find all of it remembered, as no
    // agent ever does.
    private ProtoJsonTranscoder _decoder = ProtoJsonTranscoder.Create(ResponseObservation.Descriptor, Options);
    private ProtoJsonTranscoder _nextDecoder = ProtoJsonTranscoder.Create(ResponseObservation.Descriptor, Options);
    private readonly ArrayBufferWriter<byte> _json = new();
    private readonly ArrayBufferWriter<byte> _wire = new();

    public string Label => "Abathur.Sync ProtoJSON transcoder";

    public IReadOnlyList<string> Footnotes =>
    [
        "Encodes protobuf bytes and decodes to protobuf bytes, into reused buffers: against protojson-google, which starts and ends at "
            + "messages, and protojson-google-wire.",
        "What is touched are the fields of a message parsed from the decoded bytes; that parse is part of decode and touch.",
        "Remembers the text of floats and the small messages (units) of the frame before, as the daemon does: frames one after the "
            + "other are faster than frames far apart. Decoding, and decoding with a touch, each remember for themselves.",
    ];

    public object Prepare(byte[] observation) => observation;

    public ReadOnlyMemory<byte> Encode(object source)
    {
        _json.ResetWrittenCount();
        _encoder.ToJson((byte[])source, _json);
        return _json.WrittenMemory;
    }

    public object Decode(ReadOnlyMemory<byte> encoded)
    {
        _wire.ResetWrittenCount();
        _decoder.ToProto(encoded.Span, _wire);
        (_decoder, _nextDecoder) = (_nextDecoder, _decoder);
        return _wire;
    }

    public ulong Touch(object decoded)
    {
        var sum = new Checksum();
        ToObservation(decoded).Touch(ref sum);
        return sum.Value;
    }

    public ResponseObservation ToObservation(object decoded) =>
        ResponseObservation.Parser.ParseFrom(((ArrayBufferWriter<byte>)decoded).WrittenSpan);
}
