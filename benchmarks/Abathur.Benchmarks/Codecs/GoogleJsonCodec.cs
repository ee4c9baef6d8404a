using System.Text;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Benchmarks.Codecs;

/// <summary>Codec <c>protojson-google</c>: ProtoJSON by <see cref="JsonFormatter"/> and <see cref="JsonParser"/>, from and to
/// messages.</summary>
internal sealed class GoogleJsonCodec : ICodec
{
    public string Label => $"Google.Protobuf {PackageVersions.Of(typeof(MessageParser))} JsonFormatter, JsonParser";

    public IReadOnlyList<string> Footnotes =>
    [
        "Encodes an already parsed message with JsonFormatter.Default.Format, then to UTF-8; decodes UTF-8 to a string, then "
            + "JsonParser.Default.Parse.",
        "JsonFormatter puts spaces around braces and after colons and commas, without an option to leave them out.",
        "Row protojson-google-wire starts and ends at protobuf bytes, as a server that forwards them has to.",
    ];

    public object Prepare(byte[] observation) => ResponseObservation.Parser.ParseFrom(observation);

    public ReadOnlyMemory<byte> Encode(object source) => Encoding.UTF8.GetBytes(JsonFormatter.Default.Format((ResponseObservation)source));

    public object Decode(ReadOnlyMemory<byte> encoded) =>
        JsonParser.Default.Parse<ResponseObservation>(Encoding.UTF8.GetString(encoded.Span));

    public ulong Touch(object decoded)
    {
        var sum = new Checksum();
        ((ResponseObservation)decoded).Touch(ref sum);
        return sum.Value;
    }

    public ResponseObservation ToObservation(object decoded) => (ResponseObservation)decoded;
}
