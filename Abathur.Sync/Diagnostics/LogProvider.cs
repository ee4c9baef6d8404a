using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Diagnostics;

/// <summary>Writes log messages to <see cref="StandardError"/>.</summary>
internal sealed class LogProvider : ILoggerProvider
{
    public ILogger CreateLogger(string categoryName) => new LineLogger(categoryName);

    public void Dispose()
    {
    }

    private sealed class LineLogger(string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= StandardError.MinimumLevel && logLevel != LogLevel.None;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (!IsEnabled(logLevel)) return;
            var reason = exception is null ? "" : $": {exception.GetType().Name}: {exception.Message.ReplaceLineEndings(" ")}";
            StandardError.Write(logLevel, category, eventId.Name ?? "", formatter(state, exception) + reason, state as IEnumerable<KeyValuePair<string, object?>> ?? []);
        }
    }
}
