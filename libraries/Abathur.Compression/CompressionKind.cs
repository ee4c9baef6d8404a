namespace Abathur.Compression;

/// <summary>A compression format: its levels, and whether it is available.</summary>
/// <param name="Name">Short name, e.g. "zstd".</param>
/// <param name="MinLevel">Fastest level.</param>
/// <param name="MaxLevel">Level with the smallest result.</param>
/// <param name="DefaultLevel">Level that compresses a payload of 100 KB in at most about a millisecond.</param>
/// <param name="SlowLevel">Lowest level at which a payload of 100 KB takes more than about 10 ms; <see cref="int.MaxValue"/> if no level
/// does.</param>
/// <param name="NeedsLibZstd">Whether it needs libzstd.</param>
public abstract record CompressionKind(string Name, int MinLevel, int MaxLevel, int DefaultLevel, int SlowLevel, bool NeedsLibZstd)
{
    /// <summary>Whether the library that it needs is installed; <see cref="LibZstd.InstallMessage"/> says how to install it.</summary>
    public bool IsAvailable => !NeedsLibZstd || LibZstd.IsAvailable;

    /// <summary>Whether the level is between <see cref="MinLevel"/> and <see cref="MaxLevel"/>.</summary>
    public bool Takes(int level) => level >= MinLevel && level <= MaxLevel;
}
