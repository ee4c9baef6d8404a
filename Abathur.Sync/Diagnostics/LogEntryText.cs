using Microsoft.Extensions.Logging.Abstractions;

namespace Abathur.Sync.Diagnostics;

/// <summary>What both formats write of a message.</summary>
internal static class LogEntryText
{
    /// <summary>The message, and in one line the exception that belongs to it.</summary>
    public static string MessageOf<TState>(in LogEntry<TState> entry)
    {
        var message = entry.Formatter(entry.State, entry.Exception);
        return entry.Exception is { } exception
            ? $"{message}: {exception.GetType().Name}: {exception.Message.ReplaceLineEndings(" ")}"
            : message;
    }
}
