using System.Text.Json;

namespace Abathur.Benchmarks.Codecs.Plain;

/// <summary>Codec <c>system-text-json</c>: plain types with a source-generated context.</summary>
internal sealed class SystemTextJsonCodec : PlainCodec
{
    public override string Label => $"System.Text.Json {PackageVersions.Of(typeof(JsonSerializer))}, source-generated";

    public override IReadOnlyList<string> Footnotes =>
    [
        "SerializeToUtf8Bytes and Deserialize(ReadOnlySpan<byte>) with the generated JsonTypeInfo; plain types with the names of the "
            + ".proto files.",
        "Enums and 64-bit integers are JSON numbers, absent fields are omitted. NaN and infinities would be refused: allowing them "
            + "would disable the fast path.",
    ];

    public override ReadOnlyMemory<byte> Encode(object source) =>
        JsonSerializer.SerializeToUtf8Bytes((ResponseObservation)source, PlainJsonContext.Default.ResponseObservation);

    public override object Decode(ReadOnlyMemory<byte> encoded) =>
        JsonSerializer.Deserialize(encoded.Span, PlainJsonContext.Default.ResponseObservation)!;
}
