using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Diagnostics;

/// <summary>Writes one line per message to standard error; standard output belongs to what a verb answers.</summary>
internal sealed class StandardErrorLoggerProvider : ILoggerProvider
{
    public ILogger CreateLogger(string categoryName) => new LineLogger();

    public void Dispose()
    {
    }

    private sealed class LineLogger : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (!IsEnabled(logLevel)) return;
            var reason = exception is null ? "" : $": {exception.GetType().Name}: {exception.Message}";
            Console.Error.WriteLine($"abathur-sync: {logLevel.ToString().ToLowerInvariant()}: {formatter(state, exception)}{reason}");
        }
    }
}
