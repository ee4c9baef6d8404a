using System.Text.Json.Nodes;

namespace Abathur.Benchmarks.Streams;

/// <summary>What <c>streams</c> writes.</summary>
internal sealed record StreamsResult
{
    /// <summary>Machine and versions.</summary>
    public required JsonObject Environment { get; init; }

    /// <summary>Name of the recording.</summary>
    public required string Recording { get; init; }

    /// <summary>Frames encoded in a round.</summary>
    public required int Frames { get; init; }

    /// <summary>Mean bytes of an observation in protobuf.</summary>
    public required double ObservationBytes { get; init; }

    /// <summary>Bytes of an MCAP file of these frames, a frame.</summary>
    public required double McapBytesPerFrame { get; init; }

    /// <summary>Observations recorded a second while that file was written (to nowhere).</summary>
    public required double McapFramesPerSecond { get; init; }

    /// <summary>Mean bytes of <c>zstd -19</c> of the observations that became keyframes of the columns stream.</summary>
    public required double KeyframeZstd19Bytes { get; init; }

    /// <summary>Each way to send them.</summary>
    public required IReadOnlyDictionary<string, StreamFigures> Streams { get; init; }
}
