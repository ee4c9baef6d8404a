using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Benchmarks.Codecs;

/// <summary>Codec <c>protobuf</c>: Google.Protobuf, a new array per frame.</summary>
internal class ProtobufCodec : ICodec
{
    public string Label => $"Google.Protobuf {PackageVersions.Of(typeof(MessageParser))}";

    public virtual IReadOnlyList<string> Footnotes =>
    [
        "Encodes with ToByteArray, decodes with Parser.ParseFrom(ReadOnlySpan<byte>).",
        "Row protobuf-buffer writes into a reused IBufferWriter<byte> instead.",
    ];

    public object Prepare(byte[] observation) => ResponseObservation.Parser.ParseFrom(observation);

    public virtual ReadOnlyMemory<byte> Encode(object source) => ((ResponseObservation)source).ToByteArray();

    public object Decode(ReadOnlyMemory<byte> encoded) => ResponseObservation.Parser.ParseFrom(encoded.Span);

    public ulong Touch(object decoded)
    {
        var sum = new Checksum();
        ((ResponseObservation)decoded).Touch(ref sum);
        return sum.Value;
    }

    public ResponseObservation ToObservation(object decoded) => (ResponseObservation)decoded;
}
