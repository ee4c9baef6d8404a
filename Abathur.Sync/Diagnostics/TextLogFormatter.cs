using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Logging.Console;

namespace Abathur.Sync.Diagnostics;

/// <summary>Messages for people: one line each, which begins with the program's name, or with an agent's name.</summary>
internal sealed class TextLogFormatter() : ConsoleFormatter("text")
{
    public override void Write<TState>(in LogEntry<TState> entry, IExternalScopeProvider? scopes, TextWriter writer)
    {
        var text = LogEntryText.MessageOf(entry);
        var message = PrintableText.Escape(text);
        if (entry.EventId.Id == LogMessages.SummaryId)
        {
            foreach (var line in text.Split(Environment.NewLine)) writer.WriteLine(PrintableText.Escape(line));
        }
        else if (ProgramLog.AgentOf(entry.Category) is { } agent) writer.WriteLine($"[{agent}] {message}");
        else if (entry.LogLevel is LogLevel.Information or LogLevel.Critical) writer.WriteLine($"{ProgramName.Current}: {message}");
        else writer.WriteLine($"{ProgramName.Current}: {entry.LogLevel.ToString().ToLowerInvariant()}: {message}");
    }
}
