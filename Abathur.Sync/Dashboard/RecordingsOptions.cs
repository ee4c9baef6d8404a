using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Dashboard;

/// <summary>Which recordings the dashboard shows, and how many may play at once.</summary>
public sealed record RecordingsOptions
{
    /// <summary>The folder, which exists; null: none.</summary>
    public string? Folder { get; init; }

    /// <summary>Largest file that may be added, in bytes. Default 4 GiB; a larger one is refused with 413.</summary>
    public long MaxUploadBytes { get; init; } = 4L << 30;

    /// <summary>How long an upload may send no data. Default 30 s.</summary>
    public TimeSpan UploadTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>Recordings that may play at once, each for its own connection. Default 4; one more is refused with 503.</summary>
    public int MaxPlaybacks { get; init; } = 4;

    /// <summary>What is wrong with these options; null if nothing is.</summary>
    public string? Problem() => OptionProblems.First(
        Folder is not null && !Directory.Exists(Folder) ? $"there is no folder {Folder}" : null,
        OptionProblems.Range(nameof(MaxUploadBytes), MaxUploadBytes, 1),
        OptionProblems.Time(nameof(UploadTimeout), UploadTimeout),
        OptionProblems.Range(nameof(MaxPlaybacks), MaxPlaybacks, 1));
}
