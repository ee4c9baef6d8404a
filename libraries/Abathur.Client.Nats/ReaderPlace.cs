namespace Abathur.Client.Nats;

/// <summary>Where a subscription is.</summary>
internal sealed class ReaderPlace
{
    /// <summary>Position from which messages are read: a keyframe.</summary>
    public required ulong Decode { get; set; }

    /// <summary>Frames behind this position are given.</summary>
    public required ulong After { get; set; }

    /// <summary>Messages up to this position are given one by one under each policy.</summary>
    public ulong LiveFrom { get; set; }

    /// <summary>Sequence of the frame there; null: any may follow.</summary>
    public ulong? Sequence { get; set; }

    /// <summary>The run of the daemon's source; empty: any.</summary>
    public string Run { get; set; } = "";

    /// <summary>Run and sequence of the last frame that the reader got in another stream of this name: a relay stores what it has again
    /// where a stream was deleted.</summary>
    public (string Run, ulong Sequence)? Before { get; set; }

    /// <summary>Whether the reader has had a frame.</summary>
    public bool HasGiven(string run, ulong sequence) => Before is { } before && before.Run == run && sequence <= before.Sequence;
}
