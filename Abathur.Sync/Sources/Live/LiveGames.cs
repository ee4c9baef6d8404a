using SC2APIProtocol;

namespace Abathur.Sync.Sources.Live;

/// <summary>The games that are played or watched, one after the other.</summary>
public sealed record LiveGames
{
    /// <summary>Their number; 0: each begins on request, without end. Default: 1.</summary>
    public int Count { get; init; } = 1;

    /// <summary>Whether each begins on request.</summary>
    public bool OnRequest => Count == 0;

    /// <summary>What all have in common.</summary>
    public LiveOptions Common { get; init; } = new();

    /// <summary>Maps, one a game in turn; none: the game that is set up is joined, or a replay is watched.</summary>
    public IReadOnlyList<string> Maps { get; init; } = [];

    /// <summary>Opponents: all of them in a single game; of several games, one a game in turn.</summary>
    public IReadOnlyList<PlayerSetup> Opponents { get; init; } = [];

    /// <summary>Seed of the first game; each next one has the number behind it. Null: the game chooses.</summary>
    public uint? Seed { get; init; }

    /// <summary>One of them.</summary>
    /// <param name="number">Its number, from 0.</param>
    /// <param name="seed">Its seed; null: as <see cref="Seed"/> says.</param>
    public LiveOptions Of(long number, uint? seed = null) => Common with
    {
        Map = Maps.Count == 0 ? null : Maps[(int)(number % Maps.Count)],
        Opponents = Count == 1 || Opponents.Count == 0 ? Opponents : [Opponents[(int)(number % Opponents.Count)]],
        // Modulo 2^32.
        Seed = seed ?? (Seed is { } first ? unchecked(first + (uint)number) : null),
    };
}
