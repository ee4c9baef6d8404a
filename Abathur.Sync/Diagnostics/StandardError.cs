using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.Extensions.Logging;

namespace Abathur.Sync.Diagnostics;

/// <summary>All messages of the program, line by line; standard output has the results of commands. Configured once, at the
/// start.</summary>
internal static class StandardError
{
    private const string Program = "abathur-sync";
    private static readonly Lock Gate = new();
    private static readonly JsonWriterOptions Options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Format of the messages.</summary>
    public static LogFormat Format { get; set; }

    /// <summary>Minimum level of log messages. Messages to the user are always written.</summary>
    public static LogLevel MinimumLevel { get; set; } = LogLevel.Warning;

    /// <summary>Writes a message to the user.</summary>
    public static void Tell(string text) => Write(LogLevel.Information, Program, "", text, []);

    /// <summary>Writes a warning to the user.</summary>
    public static void Warn(string text) => Write(LogLevel.Warning, Program, "", text, []);

    /// <summary>Writes why the program ends.</summary>
    public static void Fail(string text) => Write(LogLevel.Critical, Program, "", text, []);

    /// <summary>Writes a line that another program has written.</summary>
    /// <param name="source">The program.</param>
    /// <param name="line">The line.</param>
    public static void PassOn(string source, string line)
    {
        if (Format == LogFormat.Json) Write(LogLevel.Information, source, "", line, []);
        else lock (Gate) Console.Error.WriteLine($"[{source}] {line}");
    }

    /// <summary>Writes several lines that belong together, such as a table.</summary>
    public static void Report(Action<TextWriter> write)
    {
        using var text = new StringWriter(CultureInfo.InvariantCulture);
        write(text);
        if (Format == LogFormat.Json) Write(LogLevel.Information, Program, "", text.ToString().TrimEnd(), []);
        else lock (Gate) Console.Error.Write(text.ToString());
    }

    /// <summary>Writes a log message.</summary>
    /// <param name="level">Severity. It is not checked against <see cref="MinimumLevel"/>.</param>
    /// <param name="source">The component that logs it.</param>
    /// <param name="name">Name of the event; empty: none.</param>
    /// <param name="message">The message.</param>
    /// <param name="fields">The values of the message, for programs.</param>
    public static void Write(LogLevel level, string source, string name, string message, IEnumerable<KeyValuePair<string, object?>> fields)
    {
        var line = Format == LogFormat.Json ? ToJson(level, source, name, message, fields) : ToText(level, message);
        lock (Gate) Console.Error.WriteLine(line);
    }

    private static string ToText(LogLevel level, string message) => level is LogLevel.Information or LogLevel.Critical
        ? $"{Program}: {message}"
        : $"{Program}: {level.ToString().ToLowerInvariant()}: {message}";

    private static string ToJson(LogLevel level, string source, string name, string message, IEnumerable<KeyValuePair<string, object?>> fields)
    {
        using var buffer = new MemoryStream();
        using (var json = new Utf8JsonWriter(buffer, Options))
        {
            json.WriteStartObject();
            json.WriteString("time", DateTime.UtcNow.ToString("yyyy-MM-ddTHH:mm:ss.fffZ", CultureInfo.InvariantCulture));
            json.WriteString("level", level.ToString().ToLowerInvariant());
            json.WriteString("source", source);
            if (name.Length > 0) json.WriteString("event", name);
            json.WriteString("message", message);
            foreach (var (key, value) in fields)
            {
                if (key == "{OriginalFormat}") continue;
                json.WritePropertyName(JsonNamingPolicy.SnakeCaseLower.ConvertName(key));
                WriteValue(json, value);
            }
            json.WriteEndObject();
        }
        return Encoding.UTF8.GetString(buffer.ToArray());
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
