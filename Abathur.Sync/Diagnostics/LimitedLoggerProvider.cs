using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Diagnostics;

/// <summary>
/// Limits the messages of another provider: of similar warnings, and worse, at most one a second is written, with their number, because
/// clients can cause them before they are authenticated.
/// </summary>
/// <param name="inner">Writes the messages; disposed with this.</param>
/// <param name="clock">Clock of the limit.</param>
internal sealed class LimitedLoggerProvider(ILoggerProvider inner, TimeProvider clock) : ILoggerProvider
{
    private readonly RepeatedMessages<Kind> _repeated = new(WriteCount, clock);

    public ILogger CreateLogger(string categoryName)
    {
        var logger = inner.CreateLogger(categoryName);
        // The program's own messages, and agents that the user has started.
        return categoryName.StartsWith(ProgramLog.Program, StringComparison.Ordinal) ? logger : new LimitedLogger(logger, _repeated);
    }

    public void Dispose() => inner.Dispose();

    private static void WriteCount(Kind kind, int count)
    {
        if (!kind.Logger.IsEnabled(kind.Level)) return;
        IReadOnlyList<KeyValuePair<string, object?>> fields = [new("Count", count)];
        kind.Logger.Log(kind.Level, kind.Event, fields, null, (_, _) => $"{count} more in the last second like: {kind.Text}");
    }

    private sealed class LimitedLogger(ILogger inner, RepeatedMessages<Kind> repeated) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => inner.BeginScope(state);

        public bool IsEnabled(LogLevel logLevel) => inner.IsEnabled(logLevel);

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            // Levels below warning are not limited: they were requested with --log-level.
            if (logLevel is LogLevel.Warning or LogLevel.Error or LogLevel.Critical
                && !repeated.Allows(KindOf(logLevel, eventId, state, exception, formatter)))
                return;
            inner.Log(logLevel, eventId, state, exception, formatter);
        }

        /// <summary>The message template, which is the last field, without values, and the kind of exception. A template that is a value
        /// alone says nothing: the first such message stands for all.</summary>
        private Kind KindOf<TState>(
            LogLevel level, EventId id, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            var template = state is IReadOnlyList<KeyValuePair<string, object?>> and [.., { Key: "{OriginalFormat}", Value: string format }]
                ? format
                : "";
            var isValue = template.StartsWith('{') && template.IndexOf('}') == template.Length - 1;
            var text = isValue ? formatter(state, exception) : template;
            var thrown = exception is null ? "" : $": {exception.GetType().Name}";
            return new Kind(inner, level, id, template + thrown) { Text = text + thrown };
        }
    }

    /// <summary>Similar messages: those of one place in the source code, about one kind of exception.</summary>
    private sealed record Kind(ILogger Logger, LogLevel Level, EventId Event, string Template)
    {
        /// <summary>What to say of them; not compared.</summary>
        public string Text { get; init; } = "";

        public bool Equals(Kind? other) =>
            other is not null && (Logger, Level, Event, Template) == (other.Logger, other.Level, other.Event, other.Template);

        public override int GetHashCode() => HashCode.Combine(Logger, Level, Event, Template);
    }
}
