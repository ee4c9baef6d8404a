using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Tests.Diagnostics;

public sealed class RepeatedMessagesTests
{
    private readonly ManualClock _clock = new();
    private readonly List<(string Kind, int Count)> _told = [];
    private readonly RepeatedMessages<string> _messages;

    public RepeatedMessagesTests() => _messages = new RepeatedMessages<string>((kind, count) => _told.Add((kind, count)), _clock);

    [Fact]
    public void Allows_ManyInOneSecond_OneIsWrittenAndTheOthersAreCounted()
    {
        Assert.True(_messages.Allows("a"));
        for (var i = 0; i < 299; i++) Assert.False(_messages.Allows("a"));
        Assert.Empty(_told);
        _clock.Advance(RepeatedMessages<string>.Period);
        Assert.Equal([("a", 299)], _told);
    }

    [Fact]
    public void Allows_AFloodThatGoesOn_IsWrittenOnceASecond()
    {
        for (var second = 0; second < 5; second++)
        {
            for (var i = 0; i < 100; i++) Assert.Equal(second == 0 && i == 0, _messages.Allows("a"));
            _clock.Advance(RepeatedMessages<string>.Period);
        }
        Assert.Equal([99, 100, 100, 100, 100], _told.Select(each => each.Count));
    }

    [Fact]
    public void Allows_AfterAQuietSecond_WritesAgain()
    {
        Assert.True(_messages.Allows("a"));
        _clock.Advance(RepeatedMessages<string>.Period);
        Assert.True(_messages.Allows("a"));
        Assert.Empty(_told);
    }

    [Fact]
    public void Allows_AnotherKind_IsWritten()
    {
        Assert.True(_messages.Allows("a"));
        Assert.True(_messages.Allows("b"));
    }
}
