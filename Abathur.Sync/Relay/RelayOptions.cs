namespace Abathur.Sync.Relay;

/// <summary>How a match is kept on the servers.</summary>
internal sealed record RelayOptions
{
    /// <summary>How long a frame is kept.</summary>
    public TimeSpan Keep { get; init; } = TimeSpan.FromHours(2);

    /// <summary>How many bytes are kept; the oldest are removed first. The server reserves them.</summary>
    public long MaxBytes { get; init; } = 64 * 1024 * 1024;

    /// <summary>On how many servers of a cluster.</summary>
    public int Replicas { get; init; } = 1;

    /// <summary>Whether they are kept in memory; otherwise in files.</summary>
    public bool InMemory { get; init; }
}
