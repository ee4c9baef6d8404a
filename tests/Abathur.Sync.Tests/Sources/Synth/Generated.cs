using Abathur.Sync.Sources.Synth;

namespace Abathur.Sync.Tests.Sources.Synth;

/// <summary>Generated frames that several tests look at; made once.</summary>
internal static class Generated
{
    private static readonly Lazy<List<byte[]>> AllSkirmish = new(static () => [.. Frames(SynthOptions.Skirmish)]);

    private static readonly Lazy<List<byte[]>> LateElite = new(static () => [.. Frames(SynthOptions.Elite, 12_000, 300)]);

    /// <summary>The whole preset.</summary>
    public static IReadOnlyList<byte[]> Skirmish => AllSkirmish.Value;

    /// <summary>300 frames from game loop 12,000 on.</summary>
    public static IReadOnlyList<byte[]> Elite => LateElite.Value;

    public static IEnumerable<byte[]> Frames(SynthOptions options, int skip = 0, int take = int.MaxValue)
    {
        var generator = new MatchGenerator(options);
        for (var i = 0; i - skip < take && generator.Next(); i++)
        {
            if (i >= skip) yield return generator.Observation.ToArray();
        }
    }
}
