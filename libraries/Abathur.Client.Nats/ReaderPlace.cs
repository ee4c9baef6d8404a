namespace Abathur.Client.Nats;

/// <summary>Where a subscription is.</summary>
internal sealed class ReaderPlace
{
    /// <summary>Position from which messages are read: a keyframe.</summary>
    public required ulong Decode { get; set; }

    /// <summary>Frames behind this position are given.</summary>
    public required ulong After { get; set; }

    /// <summary>Position of the newest message when it began.</summary>
    public ulong StoredTo { get; set; }

    /// <summary>Sequence of the frame there; null: any may follow.</summary>
    public ulong? Sequence { get; set; }

    /// <summary>The run of the daemon's source; empty: any.</summary>
    public string Run { get; set; } = "";
}
