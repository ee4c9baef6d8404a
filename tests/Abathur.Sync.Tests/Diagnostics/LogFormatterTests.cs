using Abathur.Sync.Diagnostics;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Logging.Console;

namespace Abathur.Sync.Tests.Diagnostics;

public partial class LogFormatterTests
{
    private static readonly ManualClock Clock = new();

    [Theory]
    [InlineData(LogLevel.Information, "abathur-sync", "abathur-sync: 3 of \"a\"\n")]
    [InlineData(LogLevel.Warning, "abathur-sync", "abathur-sync: warning: 3 of \"a\"\n")]
    [InlineData(LogLevel.Error, "Abathur.Sync", "abathur-sync: error: 3 of \"a\"\n")]
    [InlineData(LogLevel.Critical, "abathur-sync", "abathur-sync: 3 of \"a\"\n")]
    [InlineData(LogLevel.Warning, "abathur-sync.scout", "[scout] 3 of \"a\"\n")]
    public void Text_EachLevel_BeginsWithWhoSaysIt(LogLevel level, string category, string expected) =>
        Assert.Equal(expected.ReplaceLineEndings(), Format(new TextLogFormatter(), category, log => Counted(log, level, 3, "a")));

    private static string Line(string rest) => """{"time":"1971-01-01T00:00:01.000Z",""" + rest + Environment.NewLine;

    [Fact]
    public void Text_Summary_HasNoPrefix() =>
        Assert.Equal(
            "a\nb\n".ReplaceLineEndings(),
            Format(new TextLogFormatter(), "abathur-sync", log => LogMessages.Summary(log, "a\nb".ReplaceLineEndings())));

    [Fact]
    public void Text_NameOfAClient_StaysInItsLine() => Assert.Equal(
        @"abathur-sync: warning: 3 of ""a\nabathur-sync: b\x1b[2J""" + Environment.NewLine,
        Format(new TextLogFormatter(), "abathur-sync", log => Counted(log, LogLevel.Warning, 3, "a\nabathur-sync: b\u001b[2J")));

    [Fact]
    public void Text_Exception_StaysInItsLine() => Assert.Equal(
        @"abathur-sync: error: Act failed: IOException: a\x1bc" + Environment.NewLine,
        Format(new TextLogFormatter(), "abathur-sync", log => LogMessages.HandlerFailed(log, "Act", new IOException("a\u001bc"))));

    [Fact]
    public void Json_NameOfAClient_HasNoControlCharacters()
    {
        const string Name = "\u001b[2J\u009b2J\u007f\u202e\n";
        var line = Format(new JsonLogFormatter(Clock), "abathur-sync", log => Counted(log, LogLevel.Warning, 3, Name));
        Assert.DoesNotContain(line.TrimEnd(), PrintableText.IsEscaped);
        Assert.Equal(Name, System.Text.Json.JsonDocument.Parse(line).RootElement.GetProperty("name").GetString());
    }

    [Fact]
    public void Json_MessageWithValues_IsOneObjectWithThem() => Assert.Equal(
        Line("""
            "level":"warning","source":"Abathur.Sync","event":"Timed","message":"3 of \"a\", 0.5","count":3,"name":"a","how_long":0.5}
            """),
        Format(new JsonLogFormatter(Clock), "Abathur.Sync", log => Timed(log, 3, "a", 0.5)));

    [Fact]
    public void Json_MessageThatIsOneValue_DoesNotRepeatIt() => Assert.Equal(
        Line("""
            "level":"information","source":"scout","event":"AgentOutput","message":"hello"}
            """),
        Format(new JsonLogFormatter(Clock), "abathur-sync.scout", log => LogMessages.AgentOutput(log, "hello")));

    [Fact]
    public void Json_Exception_IsNamedInOneLine() => Assert.Equal(
        Line("""
            "level":"error","source":"Abathur.Sync","event":"HandlerFailed","message":"Act failed: IOException: a b","method":"Act"}
            """),
        Format(new JsonLogFormatter(Clock), "Abathur.Sync", log => LogMessages.HandlerFailed(log, "Act", new IOException("a\nb"))));

    [Fact]
    public void Messages_HaveIdsOfTheirOwn()
    {
        var ids = typeof(LogMessages)
            .GetMethods()
            .SelectMany(method => method.GetCustomAttributes(typeof(LoggerMessageAttribute), inherit: false))
            .Cast<LoggerMessageAttribute>()
            .Select(each => each.EventId)
            .ToList();
        Assert.True(ids.Count > 15);
        Assert.Equal(ids.Count, ids.Distinct().Count());
    }

    [LoggerMessage(EventId = 7, Message = "{Count} of \"{Name}\"")]
    private static partial void Counted(ILogger log, LogLevel level, int count, string name);

    [LoggerMessage(8, LogLevel.Warning, "{Count} of \"{Name}\", {HowLong}")]
    private static partial void Timed(ILogger log, int count, string name, double howLong);

    private static string Format(ConsoleFormatter formatter, string category, Action<ILogger> log)
    {
        using var writer = new StringWriter();
        log(new FormattedLogger(formatter, category, writer));
        return writer.ToString();
    }

    private sealed class FormattedLogger(ConsoleFormatter formatter, string category, TextWriter writer) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatMessage) =>
            formatter.Write(new LogEntry<TState>(logLevel, category, eventId, state, exception, formatMessage), null, writer);
    }
}
