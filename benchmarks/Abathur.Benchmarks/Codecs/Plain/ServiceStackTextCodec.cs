using ServiceStack.Text;

namespace Abathur.Benchmarks.Codecs.Plain;

/// <summary>Codec <c>servicestack-text</c>: ServiceStack.Text's JSON over the plain types.</summary>
internal sealed class ServiceStackTextCodec : TextPlainCodec
{
    static ServiceStackTextCodec() => JsConfig.Init(new Config { TextCase = TextCase.SnakeCase, TreatEnumAsInteger = true });

    public override string Label => $"ServiceStack.Text {PackageVersions.Of(typeof(JsonSerializer))}";

    public override IReadOnlyList<string> Footnotes =>
    [
        "JsonSerializer.SerializeToWriter to a StreamWriter over a reused MemoryStream, and DeserializeFromStream.",
        "Names of the .proto files by TextCase.SnakeCase, enums as integers (TreatEnumAsInteger); absent fields are omitted.",
    ];

    public override IReadOnlyList<string> CannotCarry => ["empty bytes, which come back as absent"];

    protected override void Write(TextWriter writer, ResponseObservation observation) =>
        JsonSerializer.SerializeToWriter(observation, writer);

    protected override ResponseObservation Read(Stream input) => JsonSerializer.DeserializeFromStream<ResponseObservation>(input);
}
