namespace Abathur.Sync.Sources.Proxy;

/// <summary>When the bytes of a message were received and forwarded, over all its chunks.</summary>
internal sealed class MessageTimer(TimeProvider clock)
{
    private long _received;
    private long _countedUntil;
    private TimeSpan _held;

    /// <summary>When the newest chunk was received.</summary>
    public long Received => _received;

    /// <summary>When the first chunk of the message was received.</summary>
    public long FirstByte { get; private set; }

    /// <summary>When the newest chunk was forwarded.</summary>
    public long LastPassedOn { get; private set; }

    /// <summary>A chunk has been received.</summary>
    public void Receive() => _received = _countedUntil = clock.GetTimestamp();

    /// <summary>The chunk, or a part of it, has been forwarded.</summary>
    public void PassOn()
    {
        LastPassedOn = clock.GetTimestamp();
        _held += clock.GetElapsedTime(_countedUntil, LastPassedOn);
        _countedUntil = LastPassedOn;
    }

    /// <summary>A message begins in the newest chunk.</summary>
    public void Begin()
    {
        FirstByte = _received;
        _held = clock.GetElapsedTime(_received, LastPassedOn);
    }

    /// <summary>The message ends in the newest chunk. Returns how long its chunks were held, all together.</summary>
    public TimeSpan End()
    {
        var held = _held;
        _held = TimeSpan.Zero;
        return held;
    }
}
