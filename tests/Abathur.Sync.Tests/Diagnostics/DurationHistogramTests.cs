using Abathur.Sync.Diagnostics;
using FsCheck;
using FsCheck.Fluent;

namespace Abathur.Sync.Tests.Diagnostics;

public class DurationHistogramTests
{
    [Fact]
    public void ToShare_AnyDurations_QuantilesAreAtMostASixteenthTooLarge() =>
        Prop.ForAll(Arb.From(
            Gen.NonEmptyListOf(Gen.OneOf(Gen.Choose(0, 200), Gen.Choose(0, 100_000), Gen.Choose(0, int.MaxValue - 1)))), microseconds =>
        {
            var histogram = new DurationHistogram();
            foreach (var each in microseconds) histogram.Add(TimeSpan.FromMicroseconds(each));
            var sorted = microseconds.Order().ToArray();
            var share = histogram.ToShare()!;
            Assert.Equal((ulong)sorted.Length, share.Frames);
            Assert.Equal(sorted[^1] / 1e3, share.MaxMs, 1e-9);
            Assert.Equal(sorted.Average() / 1e3, share.MeanMs, 1e-3 + (share.MeanMs * 1e-9));
            foreach (var (quantile, found) in new[] { (0.5, share.P50Ms), (0.99, share.P99Ms) })
            {
                var exact = sorted[(int)Math.Ceiling(quantile * sorted.Length) - 1] / 1e3;
                Assert.InRange(found, exact - 1e-9, (exact * 17 / 16) + 1e-6);
            }
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void ToShare_None_IsNull() => Assert.Null(new DurationHistogram().ToShare());

    [Fact]
    public void Add_NegativeAndLongest_AreCounted()
    {
        var histogram = new DurationHistogram();
        histogram.Add(TimeSpan.FromSeconds(-1));
        histogram.Add(TimeSpan.FromDays(36_500));
        var share = histogram.ToShare()!;
        Assert.Equal((2ul, 0.0), (share.Frames, share.P50Ms));
        Assert.Equal(TimeSpan.FromDays(36_500).TotalMilliseconds, share.MaxMs, 1.0);
    }
}
