using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Hub;

/// <summary>Limits of the fan-out.</summary>
public sealed record HubOptions
{
    /// <summary>
    /// How long a playback waits for a lossless reader that reads nothing, before it disconnects that reader and continues.
    /// Default 10 s.
    /// </summary>
    public TimeSpan StallTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long the shutdown waits for readers that block an encoder. Default 2 s.</summary>
    public TimeSpan StopTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>Frames that may wait for an encoder if its stream has a lossless reader. Default 8; up to 64 frames and 8 MiB if the source
    /// cannot wait. Without such a reader, 1.</summary>
    public int EncodeQueueFrames { get; init; } = 8;

    /// <summary>
    /// Frames from one keyframe of a stream to the next, unless one is requested earlier. Default 224 (10 s of a game that is observed in
    /// every loop); 0: only on request.
    /// </summary>
    public uint KeyframeIntervalFrames { get; init; } = 224;

    /// <summary>
    /// How long in a minute a playback waits for lossless readers with a watch token, all together. Default 10 s. Then their subscriptions
    /// end.
    /// </summary>
    public TimeSpan WatchersHoldUp { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long in a minute a playback waits for the encoders of lossless readers with a watch token, all together. Default 2 s. Then the
    /// subscriptions of these readers end.
    /// </summary>
    public TimeSpan WatchersEncodersHoldUp { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>Streams that need encoding at once. Default 64. A quarter is reserved for clients that may act.</summary>
    public int MaxEncodedStreams { get; init; } = 64;

    /// <summary>The same for one connection. Default 16.</summary>
    public int MaxEncodedStreamsPerConnection { get; init; } = 16;

    /// <summary>Streams of slow compression levels at once (<see cref="Abathur.Compression.CompressionKind.SlowLevel"/>). Default 4. A
    /// quarter is reserved for clients that may act.</summary>
    public int MaxSlowStreams { get; init; } = 4;

    /// <summary>The same for one connection. Default 2.</summary>
    public int MaxSlowStreamsPerConnection { get; init; } = 2;

    /// <summary>Subscriptions at once. Default 1,000. A quarter is reserved for clients that may act.</summary>
    public int MaxSubscriptions { get; init; } = 1000;

    /// <summary>
    /// Memory in bytes for frames of the match that are kept for subscribers that begin in the past; the oldest are dropped first.
    /// Default 64 MiB, which is several hours of most matches; 0: none are kept.
    /// </summary>
    public long HistoryBytes { get; init; } = 64 * 1024 * 1024;

    /// <summary>Subscriptions that may read kept frames at once. Default 64. A quarter is reserved for clients that may act.</summary>
    public int MaxHistoryReaders { get; init; } = 64;

    /// <summary>What is wrong with these options; null if nothing is.</summary>
    public string? Problem() => OptionProblems.First(
        OptionProblems.Time(nameof(StallTimeout), StallTimeout),
        OptionProblems.Time(nameof(StopTimeout), StopTimeout),
        OptionProblems.Range(nameof(EncodeQueueFrames), EncodeQueueFrames, 1),
        OptionProblems.Time(nameof(WatchersHoldUp), WatchersHoldUp),
        OptionProblems.Time(nameof(WatchersEncodersHoldUp), WatchersEncodersHoldUp),
        OptionProblems.Range(nameof(MaxEncodedStreams), MaxEncodedStreams, 1),
        OptionProblems.Range(nameof(MaxEncodedStreamsPerConnection), MaxEncodedStreamsPerConnection, 1),
        OptionProblems.Range(nameof(MaxSlowStreams), MaxSlowStreams, 1),
        OptionProblems.Range(nameof(MaxSlowStreamsPerConnection), MaxSlowStreamsPerConnection, 1),
        OptionProblems.Range(nameof(HistoryBytes), HistoryBytes, 0),
        OptionProblems.Range(nameof(MaxHistoryReaders), MaxHistoryReaders, 1),
        OptionProblems.Range(nameof(MaxSubscriptions), MaxSubscriptions, 1));
}
