using System.Text.Json.Serialization;

namespace Abathur.Benchmarks.Codecs.Plain;

/// <summary>Source-generated System.Text.Json metadata of the plain types: absent fields are omitted, enums are numbers, bytes
/// base64.</summary>
[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(ResponseObservation))]
internal sealed partial class PlainJsonContext : JsonSerializerContext;
