namespace Abathur.Sync.Hub;

/// <summary>Bounds of the fan-out.</summary>
public sealed record HubOptions
{
    /// <summary>
    /// How long a playback waits for a lossless reader that takes nothing, before that reader is cut off and the others
    /// go on. Default 10 s.
    /// </summary>
    public TimeSpan StallTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long a daemon that stops waits for readers that hold up what is being encoded. Default 2 s.</summary>
    public TimeSpan StopTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>Frames that may wait for an encoder while a lossless reader is on its stream. Default 8. Without one, 1.</summary>
    public int EncodeQueueFrames { get; init; } = 8;

    /// <summary>
    /// Frames from one keyframe of a stream to the next, where nobody asks for one before. Default 224 (10 s of a game that is observed in every
    /// loop); 0: only on demand.
    /// </summary>
    public uint KeyframeIntervalFrames { get; init; } = 224;

    /// <summary>
    /// How long in a minute a playback waits for lossless readers that may only watch, all together. Default 10 s. Then they are ended.
    /// </summary>
    public TimeSpan WatchersHoldUp { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long in a minute a playback waits for the encoders of lossless readers that may only watch, all together. Default 2 s. Then these readers are ended.
    /// </summary>
    public TimeSpan WatchersEncodersHoldUp { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>Streams that need encoding at once. Default 64. A quarter is kept for clients that may act.</summary>
    public int MaxEncodedStreams { get; init; } = 64;

    /// <summary>The same for one connection. Default 16.</summary>
    public int MaxEncodedStreamsPerConnection { get; init; } = 16;

    /// <summary>Streams of slow compression levels at once (<see cref="Abathur.Compression.CompressionKind.SlowLevel"/>). Default 4. A quarter is kept for clients that may act.</summary>
    public int MaxSlowStreams { get; init; } = 4;

    /// <summary>The same for one connection. Default 2.</summary>
    public int MaxSlowStreamsPerConnection { get; init; } = 2;

    /// <summary>Subscriptions at once. Default 1,000; one more is refused.</summary>
    public int MaxSubscriptions { get; init; } = 1000;
}
