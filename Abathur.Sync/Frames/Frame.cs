namespace Abathur.Sync.Frames;

/// <summary>
/// One observation on its way: the bytes as they came from the source, and when. Shared by reference; the payload is
/// released with the last reference.
/// </summary>
public sealed class Frame
{
    private static readonly Stack<Frame> Pool = new();
    private SharedBuffer _payload = null!;
    private int _references;

    private Frame()
    {
    }

    /// <summary>Id of the match. Set when it is published.</summary>
    public string MatchId { get; private set; } = "";

    /// <summary>Number in this run of the source, from 1. Set when it is published.</summary>
    public ulong Sequence { get; private set; }

    /// <summary>Game loop of the observation.</summary>
    public uint GameLoop { get; private set; }

    /// <summary>When the daemon had it from its source.</summary>
    public FrameStamp Captured { get; private set; }

    /// <summary>When it was handed to the subscriptions.</summary>
    public FrameStamp Published { get; private set; }

    /// <summary><c>SC2APIProtocol.ResponseObservation</c> in protobuf.</summary>
    public ReadOnlyMemory<byte> Observation => _payload.Memory;

    /// <summary>A frame with one reference, which is the caller's. Takes over the caller's reference to <paramref name="observation"/>.</summary>
    public static Frame Rent(uint gameLoop, FrameStamp captured, SharedBuffer observation)
    {
        Frame? frame;
        lock (Pool) Pool.TryPop(out frame);
        frame ??= new Frame();
        frame._references = 1;
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

    /// <summary>Takes one more reference.</summary>
    public void Retain() => Interlocked.Increment(ref _references);

    /// <summary>Gives one reference back.</summary>
    public void Release()
    {
        var left = Interlocked.Decrement(ref _references);
        if (left > 0) return;
        if (left < 0) throw new InvalidOperationException("the frame has been returned already");
        _payload.Release();
        _payload = null!;
        lock (Pool) Pool.Push(this);
    }
}
