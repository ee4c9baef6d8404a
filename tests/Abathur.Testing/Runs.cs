using System.Globalization;

namespace Abathur.Testing;

/// <summary>How often property tests run: all by one setting.</summary>
public static class Runs
{
    // dotnet make.cs test sets less than 1, a long run by hand more.
    private static readonly double Scale = double.Parse(
        Environment.GetEnvironmentVariable("ABATHUR_TEST_SCALE") ?? "1", CultureInfo.InvariantCulture);

    /// <summary>Whether tests of many recordings take all of them.</summary>
    public static bool IsFull => Scale >= 1;

    /// <summary>Places to cut a file at: every byte at scale 1, and as many of them as the scale says, from the start on.</summary>
    /// <param name="length">Bytes of the file.</param>
    public static IEnumerable<int> Cuts(int length)
    {
        var (step, next) = (Math.Max(1, 1 / Scale), 0.0);
        for (; next < length; next += step) yield return (int)next;
    }

    /// <summary>The number of runs, at least 10.</summary>
    /// <param name="full">What it is at scale 1.</param>
    public static int Of(int full) => Math.Max(10, (int)(full * Scale));
}
