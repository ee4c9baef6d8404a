using Abathur.Benchmarks.Match;
using FsCheck;
using FsCheck.Fluent;

namespace Abathur.Benchmarks.Tests;

public class StatisticsTests
{
    [Fact]
    public void Of_KnownSamples_GivesKnownFigures()
    {
        var statistics = Statistics.Of([[8, 1, 7, 2, 100, 3, 6, 5, 4]])!;
        // A quarter of nine, rounded down, is two at each end: 3 to 7 are left.
        Assert.Equal(5, statistics.TrimmedMean);
        Assert.Equal(1, statistics.Min);
        Assert.Equal(100, statistics.Max);
        Assert.Equal(5, statistics.Percentile(50));
        Assert.Equal(8 + 0.2 * 92, statistics.Percentile(90), 1e-9);
        Assert.Equal(100, statistics.Percentile(100));
    }

    [Fact]
    public void Of_OneSample_IsThatEverywhere()
    {
        var statistics = Statistics.Of([[42]])!;
        Assert.All(Statistics.QuantilePercentages, percentage => Assert.Equal(42, statistics.Percentile(percentage)));
        Assert.Equal(42, statistics.TrimmedMean);
    }

    [Fact]
    public void Of_Nothing_IsNull()
    {
        Assert.Null(Statistics.Of([]));
        Assert.Null(Statistics.Of([[], []]));
    }

    [Fact]
    public void Of_Rounds_PoolsSamplesAndKeepsTheMeanOfEach()
    {
        var statistics = Statistics.Of([[1, 1, 1, 1], [3, 3, 3, 3], []])!;
        Assert.Equal([1, 3], statistics.Rounds);
        Assert.Equal(2, statistics.TrimmedMean);
    }

    [Fact]
    public void Quantiles_CoverZeroToHundred()
    {
        Assert.Equal(103, Statistics.QuantilePercentages.Count);
        Assert.Equal([98, 99, 99.5, 99.9, 100], Statistics.QuantilePercentages.TakeLast(5));
        Assert.Equal(Statistics.QuantilePercentages.Order(), Statistics.QuantilePercentages);
    }

    [Fact]
    public void Of_AnySamples_IsOrderedAndDoesNotDependOnTheirOrder()
    {
        Prop.ForAll(ArbMap.Default.ArbFor<NonEmptyArray<int>>(), samples =>
        {
            double[] values = [.. samples.Get.Select(each => (double)each)];
            var statistics = Statistics.Of([values])!;
            var quantiles = Statistics.QuantilePercentages.Select(statistics.Percentile).ToArray();
            Assert.Equal(quantiles.Order(), quantiles);
            Assert.Equal(statistics.Min, quantiles[0]);
            Assert.Equal(statistics.Max, quantiles[^1]);
            Assert.InRange(statistics.TrimmedMean, statistics.Min, statistics.Max);
            Assert.Equal(statistics.TrimmedMean, Statistics.Of([values.Reverse().ToArray()])!.TrimmedMean);
            Assert.Equal(
                1000 + statistics.Percentile(50), Statistics.Of([values.Select(each => each + 1000).ToArray()])!.Percentile(50), 1e-6);
        }).QuickCheckThrowOnFailure();
    }

    [Fact]
    public void TrimmedMean_OutliersInTheOuterQuarters_ChangeNothing()
    {
        Prop.ForAll(ArbMap.Default.ArbFor<NonEmptyArray<PositiveInt>>(), outliers =>
        {
            var count = outliers.Get.Length;
            double[] middle = [.. Enumerable.Repeat(7.0, 2 * count)];
            double[] all = [.. middle, .. outliers.Get.Select(each => 7.0 + each.Get), .. outliers.Get.Select(each => 7.0 - each.Get)];
            Assert.Equal(7, Statistics.Of([all])!.TrimmedMean);
        }).QuickCheckThrowOnFailure();
    }

    [Theory]
    [InlineData(10, 3, new[] { 0, 4, 9 })]
    [InlineData(10, 1, new[] { 0 })]
    [InlineData(3, 7, new[] { 0, 1, 2 })]
    [InlineData(2, 2, new[] { 0, 1 })]
    public void EvenlySpaced_KnownCounts_GivesFirstAndLast(int count, int wanted, int[] expected) =>
        Assert.Equal(expected, RecordedFrames.EvenlySpaced(count, wanted));

    [Fact]
    public void EvenlySpaced_AnyCounts_RisesWithoutRepeating()
    {
        Prop.ForAll(ArbMap.Default.ArbFor<PositiveInt>(), ArbMap.Default.ArbFor<PositiveInt>(), (count, wanted) =>
        {
            var numbers = RecordedFrames.EvenlySpaced(count.Get, wanted.Get);
            Assert.Equal(Math.Min(count.Get, wanted.Get), numbers.Length);
            Assert.Equal(numbers.Order().Distinct(), numbers);
            Assert.InRange(numbers[^1], 0, count.Get - 1);
        }).QuickCheckThrowOnFailure();
    }
}
