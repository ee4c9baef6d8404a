using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Diagnostics;

/// <summary>
/// Writes log messages to <see cref="StandardError"/>. Of warnings that are alike, at most one a second is written, and how many there were: clients that nobody
/// has authenticated yet can cause them.
/// </summary>
/// <param name="clock">Clock of the seconds.</param>
internal sealed class LogProvider(TimeProvider clock) : ILoggerProvider
{
    private readonly RepeatedMessages<Kind> _repeated = new(WriteCount, clock);

    public ILogger CreateLogger(string categoryName) => new LineLogger(categoryName, _repeated);

    public void Dispose()
    {
    }

    private static void WriteCount(Kind kind, int count) =>
        StandardError.Write(kind.Level, kind.Source, kind.Name, $"{count} more in the last second like: {kind.Message}", [new("Count", count)]);

    private sealed class LineLogger(string category, RepeatedMessages<Kind> repeated) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= StandardError.MinimumLevel && logLevel != LogLevel.None;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (!IsEnabled(logLevel)) return;
            var fields = state as IReadOnlyList<KeyValuePair<string, object?>> ?? [];
            // Below warnings is only what was asked for with --log-level.
            if (logLevel is LogLevel.Warning or LogLevel.Error && !repeated.Allows(new Kind(logLevel, category, eventId.Name ?? "", Template(fields)))) return;
            var reason = exception is null ? "" : $": {exception.GetType().Name}: {exception.Message.ReplaceLineEndings(" ")}";
            StandardError.Write(logLevel, category, eventId.Name ?? "", formatter(state, exception) + reason, fields);
        }

        /// <summary>The message as it stands in the source code, before values are filled in. It is the last of the fields.</summary>
        private static string Template(IReadOnlyList<KeyValuePair<string, object?>> fields) => fields is [.., { Key: "{OriginalFormat}", Value: string text }] ? text : "";
    }

    /// <summary>Messages that are alike: one place in the source code.</summary>
    private sealed record Kind(LogLevel Level, string Source, string Name, string Message);
}
