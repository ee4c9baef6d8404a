using System.Text.Json;
using System.Text.Json.Serialization;

namespace Abathur.Benchmarks.Codecs.Plain;

/// <summary>Codec <c>system-text-json-reflection</c>: the same plain types without generated metadata.</summary>
internal sealed class ReflectionJsonCodec : PlainCodec
{
    private static readonly JsonSerializerOptions Options = new() { DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull };

    public override string Label => $"System.Text.Json {PackageVersions.Of(typeof(JsonSerializer))}, by reflection";

    public override IReadOnlyList<string> Footnotes =>
    [
        "SerializeToUtf8Bytes and Deserialize(ReadOnlySpan<byte>) with one JsonSerializerOptions, whose metadata is made at run time.",
        "Same bytes as system-text-json: enums and 64-bit integers are JSON numbers, absent fields are omitted.",
    ];

    public override ReadOnlyMemory<byte> Encode(object source) =>
        JsonSerializer.SerializeToUtf8Bytes((ResponseObservation)source, Options);

    public override object Decode(ReadOnlyMemory<byte> encoded) =>
        JsonSerializer.Deserialize<ResponseObservation>(encoded.Span, Options)!;
}
