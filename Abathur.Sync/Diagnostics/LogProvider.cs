using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Diagnostics;

/// <summary>
/// Writes log messages to <see cref="StandardError"/>. Of similar warnings and errors, at most one a second is written, with their number,
/// because clients can cause them before they are authenticated.
/// </summary>
/// <param name="clock">Clock of the limit.</param>
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
            // Levels below warning are not limited: they were requested with --log-level.
            if (logLevel is LogLevel.Warning or LogLevel.Error && !repeated.Allows(new Kind(logLevel, category, eventId.Name ?? "", Template(fields)))) return;
            var reason = exception is null ? "" : $": {exception.GetType().Name}: {exception.Message.ReplaceLineEndings(" ")}";
            StandardError.Write(logLevel, category, eventId.Name ?? "", formatter(state, exception) + reason, fields);
        }

        /// <summary>The message template, without values. It is the last field.</summary>
        private static string Template(IReadOnlyList<KeyValuePair<string, object?>> fields) => fields is [.., { Key: "{OriginalFormat}", Value: string text }] ? text : "";
    }

    /// <summary>Similar messages: those of one place in the source code.</summary>
    private sealed record Kind(LogLevel Level, string Source, string Name, string Message);
}
