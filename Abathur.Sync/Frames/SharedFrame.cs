namespace Abathur.Sync.Frames;

/// <summary>
/// One observation: the bytes from the source, and their times. Shared by reference; the payload is released with the last reference.
/// </summary>
public sealed class SharedFrame : SharedObject
{
    private static readonly ObjectPool<SharedFrame> Pool = new();
    private SharedBuffer _payload = null!;

    private SharedFrame()
    {
    }

    /// <summary>Id of the match. Set when it is published.</summary>
    public string MatchId { get; private set; } = "";

    /// <summary>Number in this run of the source, from 1. Set when it is published.</summary>
    public ulong Sequence { get; private set; }

    /// <summary>Game loop of the observation.</summary>
    public uint GameLoop { get; private set; }

    /// <summary>When the daemon received it from its source.</summary>
    public FrameStamp Captured { get; private set; }

    /// <summary>When it was offered to the subscriptions.</summary>
    public FrameStamp Published { get; private set; }

    /// <summary><c>SC2APIProtocol.ResponseObservation</c> in protobuf.</summary>
    public ReadOnlyMemory<byte> Observation => _payload.Memory;

    /// <summary>A frame with one reference, which is the caller's. Takes over the caller's reference to
    /// <paramref name="observation"/>.</summary>
    public static SharedFrame Rent(uint gameLoop, FrameStamp captured, SharedBuffer observation)
    {
        if (!Pool.TryRent(out var frame)) frame = new SharedFrame();
        frame.SetRented();
        frame._payload = observation;
        frame.GameLoop = gameLoop;
        frame.Captured = captured;
        return frame;
    }

    /// <summary>Stamps the frame as published. Called once, before it is shared.</summary>
    public void MarkPublished(string matchId, ulong sequence, FrameStamp published)
    {
        MatchId = matchId;
        Sequence = sequence;
        Published = published;
    }

    protected override void OnReleased()
    {
        _payload.Release();
        _payload = null!;
        Pool.Return(this);
    }
}
