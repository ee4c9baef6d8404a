using System.Text;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Benchmarks.Codecs;

/// <summary>Codec <c>protojson-google-wire</c>: protobuf bytes to ProtoJSON and back with Google's classes: what a transcoder
/// replaces.</summary>
internal sealed class GoogleJsonWireCodec : ICodec
{
    public string Label => $"Google.Protobuf {PackageVersions.Of(typeof(MessageParser))}, wire to JSON to wire";

    public IReadOnlyList<string> Footnotes =>
    [
        "Encodes protobuf bytes: ParseFrom, JsonFormatter.Format, UTF-8. Decodes to protobuf bytes: UTF-8, JsonParser.Parse, ToByteArray.",
        "What is touched are the fields of a message parsed from the decoded bytes.",
    ];

    public object Prepare(byte[] observation) => observation;

    public ReadOnlyMemory<byte> Encode(object source) =>
        Encoding.UTF8.GetBytes(JsonFormatter.Default.Format(ResponseObservation.Parser.ParseFrom((byte[])source)));

    public object Decode(ReadOnlyMemory<byte> encoded) =>
        JsonParser.Default.Parse<ResponseObservation>(Encoding.UTF8.GetString(encoded.Span)).ToByteArray();

    public ulong Touch(object decoded)
    {
        var sum = new Checksum();
        ToObservation(decoded).Touch(ref sum);
        return sum.Value;
    }

    public ResponseObservation ToObservation(object decoded) => ResponseObservation.Parser.ParseFrom((byte[])decoded);
}
