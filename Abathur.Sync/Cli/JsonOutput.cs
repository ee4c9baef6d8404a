using System.CommandLine;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Abathur.Sync.Cli;

/// <summary>What <c>--json</c> prints: one object with keys in snake case, which docs/commands.md lists.</summary>
internal static class JsonOutput
{
    private static readonly JsonSerializerOptions Options = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        WriteIndented = true,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    public static Option<bool> CreateOption() => new("--json") { Description = "Print the result as a JSON object" };

    public static void Write<T>(TextWriter output, T summary) => output.WriteLine(JsonSerializer.Serialize(summary, Options));
}
