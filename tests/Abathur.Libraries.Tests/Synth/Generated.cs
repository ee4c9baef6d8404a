namespace Abathur.Synth.Tests;

/// <summary>Generated frames that several tests look at; made once.</summary>
internal static class Generated
{
    private static readonly int InARow = Runs.Of(40);

    private static readonly Lazy<List<byte[]>> AllSkirmish = new(static () => [.. Frames(SynthOptions.Skirmish)]);

    private static readonly Lazy<List<byte[]>> LateElite = new(static () => [.. Windows()]);

    /// <summary>The whole preset.</summary>
    public static IReadOnlyList<byte[]> Skirmish => AllSkirmish.Value;

    /// <summary>40 frames in a row (10 in a short run) out of every 800, from game loop 9,600 on.</summary>
    public static IReadOnlyList<byte[]> Elite => LateElite.Value;

    private static IEnumerable<byte[]> Windows()
    {
        var generator = new MatchGenerator(SynthOptions.Elite);
        while (generator.Next())
        {
            if (generator.GameLoop >= 9600 && generator.GameLoop % 800 < InARow) yield return generator.Observation.ToArray();
        }
    }

    public static IEnumerable<byte[]> Frames(SynthOptions options, int skip = 0, int take = int.MaxValue)
    {
        var generator = new MatchGenerator(options);
        for (var i = 0; i - skip < take && generator.Next(); i++)
        {
            if (i >= skip) yield return generator.Observation.ToArray();
        }
    }
}
