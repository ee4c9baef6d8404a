using Abathur.Sync.Diagnostics.Metrics;

namespace Abathur.Sync.Tests.Diagnostics.Metrics;

public class CachedValueTests
{
    [Fact]
    public void Value_WithinItsAge_IsFoundOutOnce()
    {
        var clock = new ManualClock();
        var found = 0;
        var momentary = new CachedValue<int>(() => ++found, TimeSpan.FromMilliseconds(100), clock);
        Assert.Equal(0, found);
        Assert.Equal((1, 1), (momentary.Value, momentary.Value));
        clock.Advance(TimeSpan.FromMilliseconds(99));
        Assert.Equal(1, momentary.Value);
        clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal((2, 2), (momentary.Value, momentary.Value));
    }

    [Fact]
    public void Value_ThatCannotBeFoundOut_IsTriedAgain()
    {
        var fails = true;
        var momentary = new CachedValue<int>(() => fails ? throw new IOException() : 7, TimeSpan.FromMinutes(1), new ManualClock());
        Assert.Throws<IOException>(() => momentary.Value);
        fails = false;
        Assert.Equal(7, momentary.Value);
    }
}
