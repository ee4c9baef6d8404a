using Abathur.Sync.Hub;

namespace Abathur.Sync.Tests.Hub;

public class HubOptionsTests
{
    [Fact]
    public void Divide_Defaults_TogetherHaveTheLimits()
    {
        var whole = new HubOptions();
        var (live, later) = whole.Divide();
        Assert.Equal((250, 16, 1, 16), (live.MaxSubscriptions, live.MaxEncodedStreams, live.MaxSlowStreams, live.MaxHistoryReaders));
        Assert.Equal((750, 48, 3, 48), (later.MaxSubscriptions, later.MaxEncodedStreams, later.MaxSlowStreams, later.MaxHistoryReaders));
        Assert.Equal(whole.HistoryBytes, live.HistoryBytes + later.HistoryBytes);
        Assert.Equal(live.HistoryBytes, later.HistoryBytes);
    }

    [Fact]
    public void Divide_SmallestLimits_AreValid()
    {
        var (live, later) = new HubOptions
        {
            MaxSubscriptions = 1,
            MaxEncodedStreams = 1,
            MaxSlowStreams = 1,
            MaxHistoryReaders = 1,
            HistoryBytes = 1,
        }.Divide();
        Assert.Null(live.Problem());
        Assert.Null(later.Problem());
        Assert.Equal(1, live.HistoryBytes);
    }
}
