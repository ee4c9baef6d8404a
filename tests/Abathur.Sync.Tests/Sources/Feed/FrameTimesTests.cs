using Abathur.Sync.Sources.Feed;

namespace Abathur.Sync.Tests.Sources.Feed;

public class FrameTimesTests
{
    [Fact]
    public void Observe_LoopsThatWereNotAskedFor_AreSkipped()
    {
        var times = new FrameTimes();
        Assert.Equal(0u, times.Observe(1000, 0));
        Assert.Equal(0u, times.Observe(1001, 0));
        // Real time: one was missed.
        Assert.Equal(1u, times.Observe(1003, 0));
        // Stepped by eight: none was.
        Assert.Equal(0u, times.Observe(1011, 8));
        // Asked again in the same loop.
        Assert.Equal(0u, times.Observe(1011, 0));
        // Fewer than were asked for, at the end of a match.
        Assert.Equal(0u, times.Observe(1015, 8));
        // A saved game was loaded.
        Assert.Equal(0u, times.Observe(5, 0));
        Assert.Equal(1, times.SkippedGameLoops);
    }

    [Fact]
    public void AddFrame_BotAndDaemonOverALimit_AreCounted()
    {
        var times = new FrameTimes();
        foreach (var bot in new[] { 10, 39, 41, 44, 45, 61, 100 })
            times.AddFrame(TimeSpan.FromSeconds(1), TimeSpan.FromMilliseconds(bot), TimeSpan.FromMilliseconds(0.5));
        var budget = times.ToBudget();
        Assert.Equal([("ladder", 5ul), ("faster", 3ul), ("normal", 1ul)], budget.Limits.Select(each => (each.Name, each.FramesOver)));
        Assert.Equal((7ul, 7ul, 7ul), (budget.Game.Frames, budget.Bot.Frames, budget.Daemon.Frames));
        Assert.Null(budget.Agent);
        Assert.Equal(100, budget.Bot.MaxMs);
    }
}
