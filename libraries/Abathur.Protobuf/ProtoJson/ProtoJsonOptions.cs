using Google.Protobuf.Reflection;

namespace Abathur.Protobuf.ProtoJson;

/// <summary>Limits and options of a <see cref="ProtoJsonTranscoder"/>.</summary>
public sealed record ProtoJsonOptions
{
    /// <summary>The largest <see cref="MaxDepth"/>, which fits the stack of any thread.</summary>
    public const int MaxMaxDepth = 1000;

    /// <summary>Maximum nesting of messages (protobuf), and of objects and arrays (JSON). Default 100, as in Google.Protobuf; 1 to
    /// 1000.</summary>
    public int MaxDepth { get; init; } = 100;

    /// <summary>Largest input in bytes. Default 64 MiB.</summary>
    public int MaxInputBytes { get; init; } = 64 << 20;

    /// <summary>Largest output in bytes. Default 512 MiB; checked before each large piece, so the output may exceed it by a few
    /// KiB.</summary>
    public int MaxOutputBytes { get; init; } = 512 << 20;

    /// <summary>Skips JSON members that the message does not have, and enum names that the enum does not have, instead of refusing them.
    /// Default false.</summary>
    public bool IgnoreUnknownFields { get; init; }

    /// <summary>The types that <c>google.protobuf.Any</c> may hold. Default none.</summary>
    public TypeRegistry TypeRegistry { get; init; } = TypeRegistry.Empty;

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxDepth, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxDepth, MaxMaxDepth);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxInputBytes, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxOutputBytes, 1);
    }
}
