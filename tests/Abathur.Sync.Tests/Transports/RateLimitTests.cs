using Abathur.Sync.Transports;

namespace Abathur.Sync.Tests.Transports;

public class RateLimitTests
{
    private readonly ManualClock _clock = new();

    [Theory]
    [InlineData(1)]
    [InlineData(10)]
    [InlineData(1000)]
    public void TryTake_AtOnce_AsOftenAsInASecondThenAtTheRate(int perSecond)
    {
        var limit = new RateLimit(perSecond, _clock);
        Assert.Equal(perSecond, Taken(limit));
        _clock.Advance(TimeSpan.FromSeconds(0.999 / perSecond));
        Assert.False(limit.TryTake());
        _clock.Advance(TimeSpan.FromSeconds(0.002 / perSecond));
        Assert.Equal(1, Taken(limit));
        // What is not used is not kept for longer than a second.
        _clock.Advance(TimeSpan.FromHours(1));
        Assert.Equal(perSecond, Taken(limit));
    }

    private static int Taken(RateLimit limit)
    {
        var taken = 0;
        while (limit.TryTake()) taken++;
        return taken;
    }
}
