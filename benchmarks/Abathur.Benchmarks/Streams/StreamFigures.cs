namespace Abathur.Benchmarks.Streams;

/// <summary>What one way to send a stream came to.</summary>
internal sealed record StreamFigures
{
    /// <summary>Mean bytes of a payload.</summary>
    public double BytesPerFrame { get; init; }

    /// <summary>Bytes of the largest payload.</summary>
    public int LargestFrame { get; init; }

    /// <summary>Number of keyframes; 0 where every frame is one.</summary>
    public int Keyframes { get; init; }

    /// <summary>Mean bytes of a keyframe.</summary>
    public double KeyframeBytes { get; init; }

    /// <summary>Nanoseconds of encoding a frame: mean, trimmed_mean, p50, p99, max; null if nothing is encoded.</summary>
    public IReadOnlyDictionary<string, double>? EncodeNs { get; init; }

    /// <summary>Mean nanoseconds of each round.</summary>
    public IReadOnlyList<double> EncodeNsRounds { get; init; } = [];

    /// <summary>Managed bytes allocated a frame, after the first ten seconds of the stream.</summary>
    public double AllocatedBytesPerFrame { get; init; }
}
