using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Tests;

/// <summary>Keeps the messages that are logged.</summary>
internal sealed class ListLogger : ILogger
{
    private readonly Lock _gate = new();
    private readonly List<string> _messages = [];

    public IReadOnlyList<string> Messages
    {
        get
        {
            lock (_gate) return [.. _messages];
        }
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        lock (_gate) _messages.Add(formatter(state, exception));
    }
}
