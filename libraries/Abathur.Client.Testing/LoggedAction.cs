using System.Text.Json;
using Google.Protobuf;

namespace Abathur.Client.Testing;

/// <summary>An action that a client sent to the emulated game.</summary>
/// <param name="GameLoop">Game loop of the game then.</param>
/// <param name="Action">The action.</param>
public sealed record LoggedAction(uint GameLoop, SC2APIProtocol.Action Action)
{
    private static readonly JsonParser Parser = new(JsonParser.Settings.Default.WithIgnoreUnknownFields(true));

    internal static List<LoggedAction> Read(string path)
    {
        var actions = new List<LoggedAction>();
        if (!File.Exists(path)) return actions;
        using var file = new StreamReader(new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete));
        var text = file.ReadToEnd();
        // The last line may still be incomplete.
        foreach (var line in text[..(text.LastIndexOf('\n') + 1)].Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            using var entry = JsonDocument.Parse(line);
            if (!entry.RootElement.TryGetProperty("action", out var action)) continue;
            actions.Add(new LoggedAction(
                entry.RootElement.GetProperty("game_loop").GetUInt32(), Parser.Parse<SC2APIProtocol.Action>(action.GetRawText())));
        }
        return actions;
    }
}
