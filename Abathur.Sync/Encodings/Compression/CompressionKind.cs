namespace Abathur.Sync.Encodings.Compression;

/// <summary>One way to compress: its levels, and whether it is there.</summary>
/// <param name="Name">As agents write it.</param>
/// <param name="MinLevel">Fastest level.</param>
/// <param name="MaxLevel">Smallest result.</param>
/// <param name="DefaultLevel">What level 0 of a subscription stands for: it keeps the pace of the game with room for others (figures in docs/protocol.md).</param>
/// <param name="NeedsLibZstd">Whether it needs the system's libzstd.</param>
public abstract record CompressionKind(string Name, int MinLevel, int MaxLevel, int DefaultLevel, bool NeedsLibZstd)
{
    /// <summary>The lowest level at which a late frame takes more than some 10 ms. Streams of such levels share one thread.</summary>
    public abstract int SlowLevel { get; }

    /// <summary>Whether the library that it needs is on this machine; what to do about it is <see cref="LibZstd.InstallMessage"/>.</summary>
    public bool IsAvailable => !NeedsLibZstd || LibZstd.IsAvailable;

    /// <summary>The one of that name in the protocol; null for none, and for what is not in the protocol.</summary>
    public static CompressionKind? For(V1.Compression compression) => (CompressionKind?)PayloadCompression.For(compression) ?? StreamCompression.For(compression);

    /// <summary>Whether the level is one of this compression.</summary>
    public bool Takes(int level) => level >= MinLevel && level <= MaxLevel;
}
