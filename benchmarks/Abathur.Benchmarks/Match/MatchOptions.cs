namespace Abathur.Benchmarks.Match;

/// <summary>What a match run measures.</summary>
internal sealed record MatchOptions
{
    /// <summary>Recording (MCAP) whose observations are encoded and decoded.</summary>
    public required string Recording { get; init; }

    /// <summary>Names of the codecs.</summary>
    public required IReadOnlyList<string> Codecs { get; init; }

    /// <summary>File for the result as JSON; null: none.</summary>
    public string? Json { get; init; }

    /// <summary>Times that each codec goes over its frames; the order of the codecs is another in each. 1, because every frame of a match
    /// is many samples.</summary>
    public int Rounds { get; init; } = 1;

    /// <summary>Frames to take, evenly spaced from the first to the last; null: every frame.</summary>
    public int? Frames { get; init; }

    /// <summary>
    /// Time that the whole run may take; null: as long as it takes. Each codec then takes as many evenly spaced frames as fit into its
    /// share; what
    /// a fast codec does not need of its share goes to the others. No codec takes more frames than fit into 256 MiB.
    /// </summary>
    public TimeSpan? Budget { get; init; }

    /// <summary>Start of the random sequence that orders the codecs.</summary>
    public int Seed { get; init; } = 1;
}
