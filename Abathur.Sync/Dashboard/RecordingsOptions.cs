namespace Abathur.Sync.Dashboard;

/// <summary>Which recordings the dashboard shows, and how many at once.</summary>
public sealed record RecordingsOptions
{
    /// <summary>The folder, which exists; null: none.</summary>
    public string? Folder { get; init; }

    /// <summary>Largest file that may be added, in bytes. Default 4 GiB; a larger one is refused with 413.</summary>
    public long MaxUploadBytes { get; init; } = 4L << 30;

    /// <summary>How long a file that is being added may bring nothing. Default 30 s.</summary>
    public TimeSpan UploadTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>Recordings that play for a connection of their own at once. Default 4; one more is refused with 503.</summary>
    public int MaxPlaybacks { get; init; } = 4;
}
