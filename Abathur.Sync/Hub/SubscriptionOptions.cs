using Abathur.Sync.Frames;
using Abathur.Sync.V1;

namespace Abathur.Sync.Hub;

/// <summary>The validated options of one subscriber, with defaults filled in.</summary>
public sealed record SubscriptionOptions
{
    /// <summary>The address of all clients of a Unix domain socket.</summary>
    public const string UnixPeer = "unix";

    public required Policy Policy { get; init; }

    /// <summary>Payload encoding; never <see cref="Encoding.Auto"/>.</summary>
    public required Encoding Encoding { get; init; }

    /// <summary>How payloads are compressed.</summary>
    public V1.Compression Compression { get; init; }

    /// <summary>Level of the compression, never 0 for "default"; 0 without compression.</summary>
    public int CompressionLevel { get; init; }

    /// <summary>Encoding and compression together.</summary>
    public PayloadFormat Format => new(Encoding, Compression);

    /// <summary>Field mask paths; empty: everything.</summary>
    public IReadOnlyList<string> FieldMask { get; init; } = [];

    /// <summary>Frames are sent when their game loop is at least this many after the last one sent. 1: each frame.</summary>
    public uint EveryGameLoops { get; init; } = 1;

    /// <summary>
    /// Frames that may wait for the reader. Under <see cref="Policy.Latest"/> 1, or more in a stream with delta frames: the reader gets the
    /// newest frame together with the others, which are small, because otherwise it would need a keyframe.
    /// </summary>
    public required int BufferFrames { get; init; }

    /// <summary>How long <see cref="Policy.Lockstep"/> waits for an acknowledgement.</summary>
    public TimeSpan LockstepTimeout { get; init; }

    /// <summary>Frames that may be unacknowledged; 0: no limit.</summary>
    public int Credits { get; init; }

    /// <summary>Begin with the newest published frame, if any.</summary>
    public bool BeginsWithNewest { get; init; }

    /// <summary>Where it begins.</summary>
    public SubscriptionStart Start { get; init; }

    /// <summary>It ends after this many frames; 0: no limit.</summary>
    public ulong MaxFrames { get; init; }

    /// <summary>Whether its client may act: places are reserved for such (<see cref="HubLimits"/>), and a playback may wait for it without
    /// a time budget (<see cref="HubOptions.WatchersHoldUp"/>). Default true.</summary>
    public bool MayAct { get; init; } = true;

    /// <summary>Whether its reader goes on with the next match.</summary>
    public bool Follows { get; init; }

    /// <summary>Whether it gets the drawings of agents.</summary>
    public bool Drawings { get; init; }

    /// <summary>Name for status tables and logs.</summary>
    public string Name { get; init; } = "";

    /// <summary>"grpc", "socket", ...</summary>
    public required string Transport { get; init; }

    /// <summary>Address of the peer.</summary>
    public required string Peer { get; init; }
}
