using Abathur.Sync.Sources.Playback;

namespace Abathur.Sync.Tests.Sources.Playback;

public class TickPacerTests
{
    private readonly ManualClock _clock = new();

    [Theory]
    [InlineData(22.4, 1.0)]
    [InlineData(16, 1.0)]
    [InlineData(22.4, 0.1)]
    [InlineData(22.4, 7.3)]
    public void DueIn_AfterAnHour_HasNotDrifted(double tickHz, double rate)
    {
        var pacer = new TickPacer(tickHz, _clock) { Rate = rate };
        var start = _clock.GetTimestamp();
        pacer.Advance(0);
        var loops = (uint)(3600 * tickHz * rate);
        for (var loop = 1u; loop <= loops; loop++)
        {
            // Every wait is up to a millisecond late, as timers are.
            _clock.Advance(pacer.DueIn(loop) + TimeSpan.FromMicroseconds(loop % 1000));
            pacer.Advance(loop);
        }

        var elapsed = (_clock.GetTimestamp() - start) / 1e9;
        Assert.Equal(loops / (tickHz * rate), elapsed, tolerance: 0.002);
    }

    [Fact]
    public void DueIn_FirstFrame_IsNow() => Assert.Equal(TimeSpan.Zero, new TickPacer(22.4, _clock).DueIn(500));

    [Fact]
    public void DueIn_RecordingOfEveryEighthLoop_WaitsEightTicks()
    {
        var pacer = new TickPacer(16, _clock);
        pacer.Advance(100);
        Assert.Equal(TimeSpan.FromSeconds(0.5), pacer.DueIn(108));
    }

    [Theory]
    [InlineData(100)]
    [InlineData(42)]
    public void DueIn_GameLoopNotAhead_WaitsOneTick(uint next)
    {
        var pacer = new TickPacer(16, _clock);
        pacer.Advance(100);
        Assert.Equal(TimeSpan.FromSeconds(1 / 16.0), pacer.DueIn(next));
    }

    [Fact]
    public void DueIn_Unlimited_IsAlwaysNow()
    {
        var pacer = new TickPacer(22.4, _clock) { Rate = 0 };
        pacer.Advance(1);
        Assert.Equal(TimeSpan.Zero, pacer.DueIn(1_000_000));
    }

    [Fact]
    public void Advance_FarBehind_StartsAnewInsteadOfRushing()
    {
        var pacer = new TickPacer(20, _clock);
        pacer.Advance(0);
        _clock.Advance(TimeSpan.FromSeconds(30));
        pacer.Advance(1);
        Assert.Equal(TimeSpan.FromSeconds(1 / 20.0), pacer.DueIn(2));
    }

    [Fact]
    public void Advance_ALittleBehind_CatchesUp()
    {
        var pacer = new TickPacer(20, _clock);
        pacer.Advance(0);
        _clock.Advance(TimeSpan.FromMilliseconds(50 + 120));
        pacer.Advance(1);
        Assert.Equal(TimeSpan.FromMilliseconds(-70), pacer.DueIn(2));
    }
}
