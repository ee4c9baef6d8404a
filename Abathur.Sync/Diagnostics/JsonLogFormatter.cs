using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Logging.Console;

namespace Abathur.Sync.Diagnostics;

/// <summary>
/// Messages for programs: a JSON object on each line, with <c>time</c>, <c>level</c>, <c>source</c> (the category), <c>message</c>, and
/// <c>event</c> with its fields.
/// </summary>
/// <param name="clock">Clock of <c>time</c>.</param>
internal sealed class JsonLogFormatter(TimeProvider clock) : ConsoleFormatter("json")
{
    private static readonly JsonWriterOptions Options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public override void Write<TState>(in LogEntry<TState> entry, IExternalScopeProvider? scopes, TextWriter writer)
    {
        var message = LogEntryText.MessageOf(entry).TrimEnd();
        using var buffer = new MemoryStream();
        using (var json = new Utf8JsonWriter(buffer, Options))
        {
            json.WriteStartObject();
            json.WriteString("time", clock.GetUtcNow().UtcDateTime.ToString("yyyy-MM-ddTHH:mm:ss.fffZ", CultureInfo.InvariantCulture));
            json.WriteString("level", entry.LogLevel.ToString().ToLowerInvariant());
            json.WriteString("source", ProgramLog.AgentOf(entry.Category) ?? entry.Category);
            if (entry.EventId.Name is { Length: > 0 } name) json.WriteString("event", name);
            json.WriteString("message", message);
            foreach (var (key, value) in entry.State as IReadOnlyList<KeyValuePair<string, object?>> ?? [])
            {
                // A message that is one value has nothing else to say.
                if (key == "{OriginalFormat}" || message.Equals(value)) continue;
                json.WritePropertyName(JsonNamingPolicy.SnakeCaseLower.ConvertName(key));
                WriteValue(json, value);
            }
            json.WriteEndObject();
        }
        writer.WriteLine(PrintableText.EscapeJson(Encoding.UTF8.GetString(buffer.ToArray())));
    }

    private static void WriteValue(Utf8JsonWriter json, object? value)
    {
        switch (value)
        {
            case null: json.WriteNullValue(); break;
            case bool flag: json.WriteBooleanValue(flag); break;
            case int or uint or long or short or byte: json.WriteNumberValue(Convert.ToInt64(value, CultureInfo.InvariantCulture)); break;
            case ulong number: json.WriteNumberValue(number); break;
            case double number when double.IsFinite(number): json.WriteNumberValue(number); break;
            default: json.WriteStringValue(Convert.ToString(value, CultureInfo.InvariantCulture)); break;
        }
    }
}
