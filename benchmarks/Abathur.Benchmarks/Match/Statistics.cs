namespace Abathur.Benchmarks.Match;

/// <summary>What a row of samples comes to. Samples are single operations in nanoseconds.</summary>
/// <remarks>
/// The trimmed mean is that of the post of 2018, "25 %": the lowest quarter and the highest quarter of the samples are omitted (each
/// rounded
/// down), and the middle is averaged. Quantiles are interpolated linearly between the two nearest samples, as NumPy does by default.
/// </remarks>
internal sealed class Statistics
{
    /// <summary>Part of the samples that the trimmed mean leaves out at each end.</summary>
    public const double Trim = 0.25;

    private readonly double[] _sorted;

    private Statistics(double[] sorted, IReadOnlyList<double> rounds) => (_sorted, Rounds) = (sorted, rounds);

    /// <summary>Percentages at which quantiles are given: 0, 1, ... 99, 99.5, 99.9, 100.</summary>
    public static IReadOnlyList<double> QuantilePercentages { get; } =
    [
        .. Enumerable.Range(0, 100).Select(each => (double)each),
        99.5,
        99.9,
        100,
    ];

    public double Min => _sorted[0];

    public double Max => _sorted[^1];

    public double TrimmedMean => TrimmedMeanOf(_sorted);

    /// <summary>Trimmed mean of each round.</summary>
    public IReadOnlyList<double> Rounds { get; }

    /// <summary>Statistics over the samples of all rounds together; null if there are none.</summary>
    public static Statistics? Of(IEnumerable<IReadOnlyCollection<double>> rounds)
    {
        var whole = rounds.Where(round => round.Count > 0).Select(round => round.Order().ToArray()).ToArray();
        return whole.Length == 0 ? null : new Statistics([.. whole.SelectMany(round => round).Order()], [.. whole.Select(TrimmedMeanOf)]);
    }

    /// <summary>The value below which this percentage of the samples lies.</summary>
    public double Percentile(double percentage)
    {
        var position = percentage / 100 * (_sorted.Length - 1);
        var below = (int)position;
        if (below + 1 >= _sorted.Length) return _sorted[^1];
        return _sorted[below] + (position - below) * (_sorted[below + 1] - _sorted[below]);
    }

    private static double TrimmedMeanOf(double[] sorted)
    {
        var left = (int)(sorted.Length * Trim);
        return sorted[left..^left].Average();
    }
}
