namespace Abathur.Sync.Sources.Proxy;

/// <summary>When the bytes of a message came and went, over the chunks that it came in.</summary>
internal sealed class MessageTimer(TimeProvider clock)
{
    private long _received;
    private long _countedUntil;
    private TimeSpan _held;

    /// <summary>When the newest chunk was received.</summary>
    public long Received => _received;

    /// <summary>When the first chunk of the message was received.</summary>
    public long FirstByte { get; private set; }

    /// <summary>When the newest chunk had been passed on.</summary>
    public long LastPassedOn { get; private set; }

    /// <summary>A chunk has been received.</summary>
    public void Receive() => _received = _countedUntil = clock.GetTimestamp();

    /// <summary>It has been passed on, or a piece of it.</summary>
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

    /// <summary>It ends there; returns how long its chunks were here.</summary>
    public TimeSpan End()
    {
        var held = _held;
        _held = TimeSpan.Zero;
        return held;
    }
}
