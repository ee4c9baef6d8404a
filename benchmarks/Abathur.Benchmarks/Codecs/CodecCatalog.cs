using Abathur.Benchmarks.Codecs.Plain;
using Abathur.Compression;
using Abathur.Sync.Frames;
using Encoding = Abathur.Sync.V1.Encoding;

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
        ("system-text-json-reflection", () => new ReflectionJsonCodec()),
        ("newtonsoft-json", () => new NewtonsoftJsonCodec()),
        ("servicestack-text", () => new ServiceStackTextCodec()),
        ("cbor", () => new CborCodec()),
    ];

    // Those that a run takes by default are listed first; the others are for who wants to know.
    private static readonly (string Name, PayloadFormat Format)[] Streams =
    [
        ("columns", new(Encoding.Columns)),
        ("zstd-stream", new(Encoding.Proto, Sync.V1.Compression.ZstdStream)),
        ("br-stream", new(Encoding.Proto, Sync.V1.Compression.BrStream)),
        ("columns+zstd-stream", new(Encoding.Columns, Sync.V1.Compression.ZstdStream)),
        ("columns+br-stream", new(Encoding.Columns, Sync.V1.Compression.BrStream)),
        ("protojson+zstd-stream", new(Encoding.Json, Sync.V1.Compression.ZstdStream)),
        ("protojson+br-stream", new(Encoding.Json, Sync.V1.Compression.BrStream)),
    ];

    private const int DefaultStreams = 5;

    private static readonly PayloadCompression[] Suffixes =
        [PayloadCompression.Gzip, PayloadCompression.Brotli, PayloadCompression.Zstd];

    /// <summary>Names of codecs of single frames, without compression.</summary>
    public static IReadOnlyList<string> FrameNames { get; } = [.. Plain.Select(each => each.Name)];

    /// <summary>Names of codecs of streams.</summary>
    public static IReadOnlyList<string> StreamNames { get; } = [.. Streams.Select(each => each.Name)];

    /// <summary>Names that a run takes by default: frames without compression, and streams.</summary>
    public static IReadOnlyList<string> Names { get; } = [.. FrameNames, .. StreamNames.Take(DefaultStreams)];

    /// <summary>What may follow the name of a codec of frames, or "columns", after a plus sign.</summary>
    public static IReadOnlyList<string> Compressions { get; } = [.. Suffixes.Select(each => each.Name)];

    /// <summary>Makes the codec of a name such as "cbor" or "cbor+zstd", or null of that name.</summary>
    /// <exception cref="CompressionException">The system lacks the library for it.</exception>
    public static ICodec? TryCreate(string name)
    {
        var stream = Streams.FirstOrDefault(each => each.Name == name);
        if (stream.Name is not null) return new StreamCodec(stream.Format);
        var parts = name.Split('+');
        if (parts.Length == 1) return Plain.FirstOrDefault(each => each.Name == name).Create?.Invoke();
        var compression = Suffixes.FirstOrDefault(each => each.Name == parts[1]);
        var isCompressible = parts.Length == 2 && FrameNames.Append("columns").Contains(parts[0]);
        return isCompressible && compression is not null ? new CompressedCodec(TryCreate(parts[0])!, compression) : null;
    }
}
