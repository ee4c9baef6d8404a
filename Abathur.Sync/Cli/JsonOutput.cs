using System.CommandLine;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Cli;

/// <summary>What <c>--json</c> prints: one object with keys in snake case, which docs/commands.md lists.</summary>
internal static class JsonOutput
{
    private static readonly SummaryContext Context = new(new JsonSerializerOptions
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        WriteIndented = true,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    });

    public static Option<bool> CreateOption() => new("--json") { Description = "Print the result as a JSON object" };

    public static void Write<T>(TextWriter output, T summary) =>
        output.WriteLine(PrintableText.EscapeJson(JsonSerializer.Serialize(summary, typeof(T), Context)));
}

/// <summary>Serializes without reflection, as a trimmed program needs it.</summary>
[JsonSerializable(typeof(RecordingSummary))]
[JsonSerializable(typeof(ImportCommand.ImportSummary))]
[JsonSerializable(typeof(ExportCommand.ExportSummary))]
[JsonSerializable(typeof(RecoverCommand.RecoverSummary))]
internal sealed partial class SummaryContext : JsonSerializerContext;
