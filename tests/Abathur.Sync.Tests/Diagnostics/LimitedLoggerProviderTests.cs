using Abathur.Sync.Diagnostics;
using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Tests.Diagnostics;

public sealed partial class LimitedLoggerProviderTests : ILoggerProvider
{
    private readonly ListLogger _told = new();
    private readonly ManualClock _clock = new();

    [Fact]
    public void Log_SimilarExceptions_AreCountedWithTheirKind()
    {
        using var provider = new LimitedLoggerProvider(this, _clock);
        var log = provider.CreateLogger("Microsoft.AspNetCore.Server.Kestrel");
        for (var each = 0; each < 3; each++) Ended(log, each, new ArgumentOutOfRangeException());
        Ended(log, 3, new IOException());
        _clock.Advance(TimeSpan.FromSeconds(1.1));
        Assert.Equal(
            [
                "Connection 0 ended.", "Connection 3 ended.",
                "2 more in the last second like: Connection {Id} ended.: ArgumentOutOfRangeException",
            ],
            _told.Messages);
    }

    [Fact]
    public void Log_CriticalOfAServer_IsLimitedAsErrorsAre()
    {
        using var provider = new LimitedLoggerProvider(this, _clock);
        var log = provider.CreateLogger("Microsoft.AspNetCore.Server.Kestrel.Http2");
        for (var each = 0; each < 1000; each++) Exceeded(log, each);
        _clock.Advance(TimeSpan.FromSeconds(1.1));
        Assert.Equal(["Connection 0 exceeded.", "999 more in the last second like: Connection {Id} exceeded."], _told.Messages);
    }

    [Fact]
    public void Log_TemplateWithoutWords_IsToldByItsFirstMessage()
    {
        using var provider = new LimitedLoggerProvider(this, _clock);
        var log = provider.CreateLogger("Abathur.Proxy");
        foreach (var problem in new[] { "no game answers", "a web page was refused" }) Refused(log, problem);
        _clock.Advance(TimeSpan.FromSeconds(1.1));
        Assert.Equal(["no game answers", "1 more in the last second like: no game answers"], _told.Messages);
    }

    public ILogger CreateLogger(string categoryName) => _told;

    public void Dispose()
    {
    }

    [LoggerMessage(1, LogLevel.Error, "Connection {Id} ended.")]
    private static partial void Ended(ILogger log, int id, Exception exception);

    [LoggerMessage(3, LogLevel.Warning, "{Problem}")]
    private static partial void Refused(ILogger log, string problem);

    [LoggerMessage(2, LogLevel.Critical, "Connection {Id} exceeded.")]
    private static partial void Exceeded(ILogger log, int id);
}
