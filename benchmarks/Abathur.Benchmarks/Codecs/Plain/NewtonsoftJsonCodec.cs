using Newtonsoft.Json;
using Newtonsoft.Json.Serialization;

namespace Abathur.Benchmarks.Codecs.Plain;

/// <summary>Codec <c>newtonsoft-json</c>: Newtonsoft.Json over the plain types.</summary>
internal sealed class NewtonsoftJsonCodec : TextPlainCodec
{
    private readonly JsonSerializer _serializer = JsonSerializer.Create(new JsonSerializerSettings
    {
        ContractResolver = new DefaultContractResolver { NamingStrategy = new SnakeCaseNamingStrategy() },
        NullValueHandling = NullValueHandling.Ignore,
    });

    public override string Label => $"Newtonsoft.Json {PackageVersions.Of(typeof(JsonSerializer))}";

    public override IReadOnlyList<string> Footnotes =>
    [
        "One JsonSerializer; it writes to a StreamWriter over a reused MemoryStream and reads from a StreamReader.",
        "Names of the .proto files by SnakeCaseNamingStrategy; enums and 64-bit integers are JSON numbers, absent fields are omitted.",
    ];

    protected override void Write(TextWriter writer, ResponseObservation observation) => _serializer.Serialize(writer, observation);

    protected override ResponseObservation Read(Stream input)
    {
        using var reader = new JsonTextReader(new StreamReader(input));
        return _serializer.Deserialize<ResponseObservation>(reader)!;
    }
}
