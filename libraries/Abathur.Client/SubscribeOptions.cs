using Abathur.Sync.V1;
using Google.Protobuf.WellKnownTypes;
using WireCompression = Abathur.Sync.V1.Compression;
using WireEncoding = Abathur.Sync.V1.Encoding;

namespace Abathur.Client;

/// <summary>The options of a subscription.</summary>
public sealed record SubscribeOptions
{
    /// <summary>Default: <see cref="SubscribePolicy.Latest"/>.</summary>
    public SubscribePolicy Policy { get; init; }

    /// <summary>Default: <see cref="FrameEncoding.Proto"/>.</summary>
    public FrameEncoding Encoding { get; init; }

    /// <summary>Default: none.</summary>
    public FrameCompression Compression { get; init; }

    /// <summary>gzip 1 to 9, Brotli 1 to 11, zstd and its stream 1 to 19, the Brotli stream 2 to 11. 0 (default): the daemon's default.
    /// </summary>
    public int CompressionLevel { get; init; }

    /// <summary>Field mask on <c>ResponseObservation</c>, e.g. <c>observation.raw_data.units</c>. Empty (default): everything.</summary>
    public IReadOnlyList<string> Fields { get; init; } = [];

    /// <summary>Only frames that are at least this many game loops apart. 0 and 1 (default): every frame.</summary>
    public uint EveryGameLoops { get; init; } = 1;

    /// <summary>Frames that may wait in the daemon under <see cref="SubscribePolicy.Every"/>, at most 1,024. 0 (default): its default, 64.
    /// </summary>
    public uint BufferFrames { get; init; }

    /// <summary>Most frames on the way that were not acknowledged, at most 1,024. A frame is acknowledged when the next one is asked for. 0
    /// (default): 1 under <see cref="SubscribePolicy.Latest"/>, so that no frame is stale; no limit under the others.</summary>
    public uint Credits { get; init; }

    /// <summary>How long the daemon waits for this reader under <see cref="SubscribePolicy.Lockstep"/>, 1 ms to 1 h. Default: its default,
    /// 10 s.</summary>
    public TimeSpan? LockstepTimeout { get; init; }

    /// <summary>A name for the daemon's status, at most 64 characters.</summary>
    public string Name { get; init; } = "";

    /// <summary>Largest payload that is accepted, in bytes after decompression. Default: 64 MiB.</summary>
    public int MaxFrameBytes { get; init; } = 64 * 1024 * 1024;

    /// <summary>The first frame. Default: <see cref="StartPosition.Live"/>. FailedPrecondition where the daemon keeps no history;
    /// OutOfRange for a game loop before the oldest kept frame or after the newest.</summary>
    public StartPosition Start { get; init; }

    /// <summary>Begin with the newest frame that has been published instead of the next one: a playback may be paused.</summary>
    public bool Newest { get; init; }

    /// <summary>End after this many frames. 0 (default): no limit.</summary>
    public ulong MaxFrames { get; init; }

    /// <summary>The run of the match to read (<see cref="AbathurGame.MatchesAsync"/>): NotFound where the daemon does not know it. Of one
    /// that is over, the frames that are kept, with a <see cref="Start"/>. Default, empty: the match that runs, else the next.</summary>
    public string RunId { get; init; } = "";

    /// <summary>Go on with the next match when one is over, instead of ending: <see cref="GameFrame.RunId"/> tells them apart.</summary>
    public bool Follow { get; init; }

    internal bool IsJson => Encoding == FrameEncoding.Json;

    /// <summary>Whether the client limits the frames on their way, so that they are not stale, and not the program.</summary>
    internal bool HasOwnCredit => Credits == 0 && Policy == SubscribePolicy.Latest;

    internal uint EffectiveCredits => HasOwnCredit ? 1 : Credits;

    internal bool Acknowledges => Policy == SubscribePolicy.Lockstep || EffectiveCredits > 0;

    internal SubscribeRequest ToRequest()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxFrameBytes, 1, nameof(MaxFrameBytes));
        var request = new SubscribeRequest
        {
            Policy = (Policy)Policy,
            Encoding = Encoding == FrameEncoding.Auto ? WireEncoding.Proto : (WireEncoding)Encoding,
            Compression = (WireCompression)Compression,
            CompressionLevel = CompressionLevel,
            EveryGameLoops = EveryGameLoops,
            BufferFrames = BufferFrames,
            Credits = EffectiveCredits,
            Name = Name,
            Newest = Newest,
            MaxFrames = MaxFrames,
            RunId = RunId,
            Follow = Follow,
        };
        if (Fields.Count > 0) request.FieldMask = new FieldMask { Paths = { Fields } };
        if (LockstepTimeout is { } timeout) request.LockstepTimeout = Duration.FromTimeSpan(timeout);
        if (Start.IsOldest) request.StartOldest = true;
        if (Start.Loop is { } loop) request.StartGameLoop = loop;
        return request;
    }
}
