using Abathur.Sync.Dashboard;

namespace Abathur.Sync.Tests.Dashboard;

public sealed class RecordingAgeTests : IDisposable
{
    private static readonly TimeSpan Delay = TimeSpan.FromSeconds(60);
    private readonly TemporaryFolder _folder = new();
    private readonly ManualClock _clock = new();
    private readonly RecordingAge _age;
    private readonly string _file;

    public RecordingAgeTests()
    {
        _age = new RecordingAge(Delay, _clock);
        _file = _folder.PathTo("a.mcap");
        File.WriteAllText(_file, "content");
    }

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(0, false)]
    [InlineData(61.9, false)]
    [InlineData(62, true)]
    [InlineData(100_000, true)]
    // Its writer's clock is ahead.
    [InlineData(-100_000, false)]
    public void Allows_ByTheTimeOfTheLastWrite(double secondsAgo, bool expected)
    {
        File.SetLastWriteTimeUtc(_file, (_clock.GetUtcNow() - TimeSpan.FromSeconds(secondsAgo)).UtcDateTime);
        Assert.Equal(expected, _age.Allows(_file));
        Assert.True(new RecordingAge(TimeSpan.Zero, _clock).Allows(_file));
    }

    [Fact]
    public void Allows_NothingThatCannotBeChecked()
    {
        var empty = _folder.PathTo("empty.mcap");
        File.WriteAllText(empty, "");
        File.SetLastWriteTimeUtc(empty, (_clock.GetUtcNow() - TimeSpan.FromDays(1)).UtcDateTime);
        Assert.False(_age.Allows(empty));
        Assert.False(_age.Allows(_folder.PathTo("none.mcap")));
    }

    [Fact]
    public void Allows_ALink_ByTheTimeOfItsFile()
    {
        if (OperatingSystem.IsWindows()) return;
        File.SetLastWriteTimeUtc(_file, _clock.GetUtcNow().UtcDateTime);
        var link = _folder.PathTo("link.mcap");
        File.CreateSymbolicLink(link, _file);
        Assert.False(_age.Allows(link));
        File.SetLastWriteTimeUtc(_file, (_clock.GetUtcNow() - (2 * Delay)).UtcDateTime);
        Assert.True(_age.Allows(link));
    }
}
