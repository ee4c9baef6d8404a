using Abathur.Benchmarks.Codecs.Plain;
using Abathur.Compression;

namespace Abathur.Benchmarks.Codecs;

/// <summary>The codecs by name.</summary>
internal static class CodecCatalog
{
    private static readonly (string Name, Func<ICodec> Create)[] Plain =
    [
        ("protobuf", () => new ProtobufCodec()),
        ("protobuf-buffer", () => new ProtobufBufferCodec()),
        ("projection", () => new ProjectionCodec()),
        ("protojson", () => new TranscoderCodec()),
        ("protojson-google", () => new GoogleJsonCodec()),
        ("protojson-google-wire", () => new GoogleJsonWireCodec()),
        ("system-text-json", () => new SystemTextJsonCodec()),
        ("cbor", () => new CborCodec()),
    ];

    private static readonly PayloadCompression[] Suffixes =
        [PayloadCompression.Gzip, PayloadCompression.Brotli, PayloadCompression.Zstd];

    /// <summary>Names without compression.</summary>
    public static IReadOnlyList<string> Names { get; } = [.. Plain.Select(each => each.Name)];

    /// <summary>What may follow a name after a plus sign.</summary>
    public static IReadOnlyList<string> Compressions { get; } = [.. Suffixes.Select(each => each.Name)];

    /// <summary>Makes the codec of a name such as "cbor" or "cbor+zstd", or null of that name.</summary>
    /// <exception cref="CompressionException">The system lacks the library for it.</exception>
    public static ICodec? TryCreate(string name)
    {
        var parts = name.Split('+');
        var create = Plain.FirstOrDefault(each => each.Name == parts[0]).Create;
        if (create is null || parts.Length > 2) return null;
        if (parts.Length == 1) return create();
        var index = Array.FindIndex(Suffixes, each => each.Name == parts[1]);
        return index < 0 ? null : new CompressedCodec(create(), Suffixes[index]);
    }
}
