using System.Text.Json;

namespace Abathur.Client;

/// <summary>A match that a daemon of this user publishes on this machine.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Command">The daemon's command: <c>play</c>, <c>live</c>, ...</param>
/// <param name="ProcessId">The daemon's process.</param>
/// <param name="Started">When the daemon started.</param>
/// <param name="Addresses">Of the daemon, by transport: <c>grpc</c>, <c>socket</c>, <c>http</c>; <c>grpc+unix</c> and <c>socket+unix</c>
/// if it has them.</param>
public sealed record LocalMatch(
    string Name, string Command, int ProcessId, DateTimeOffset Started, IReadOnlyDictionary<string, string> Addresses)
{
    /// <summary>The address for <see cref="AbathurGame.ConnectAsync"/>: <c>match:NAME</c>.</summary>
    public string Address => LocalMatches.Prefix + Name;

    /// <summary>The matches that run, by name. Entries of daemons that have ended are removed.</summary>
    /// <exception cref="IOException">The directory of the matches cannot be read, or other users could put entries there.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static IReadOnlyList<LocalMatch> List()
    {
        var folder = MatchesFolder.Find();
        if (!Directory.Exists(folder)) return [];
        return [.. Directory.EnumerateFiles(folder, "*.json").Select(Read).OfType<LocalMatch>()
            .OrderBy(each => each.Name, StringComparer.Ordinal)];
    }

    /// <summary>Reads an entry; null if its daemon has ended, or the file is no entry.</summary>
    /// <param name="file">The file of the entry.</param>
    internal static LocalMatch? Read(string file)
    {
        if (!IsRunning(file)) return null;
        try
        {
            using var json = JsonDocument.Parse(File.ReadAllBytes(file));
            var entry = json.RootElement;
            var addresses = entry.EnumerateObject()
                .Where(each => each.Value.ValueKind == JsonValueKind.String && each.Name is not ("name" or "command" or "started"))
                .ToDictionary(each => each.Name, each => each.Value.GetString()!);
            return new LocalMatch(
                entry.GetProperty("name").GetString()!, entry.GetProperty("command").GetString()!,
                entry.GetProperty("pid").GetInt32(), entry.GetProperty("started").GetDateTimeOffset(), addresses);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException or InvalidOperationException
            or KeyNotFoundException or FormatException)
        {
            // Removed meanwhile, or not an entry.
            return null;
        }
    }

    /// <summary>Whether the daemon of an entry runs: it keeps a file locked. If it does not, its entry is removed.</summary>
    private static bool IsRunning(string file)
    {
        var lockFile = Path.ChangeExtension(file, ".lock");
        try
        {
            using var taken = new FileStream(
                lockFile, FileMode.Open, FileAccess.ReadWrite, FileShare.None, 1, FileOptions.DeleteOnClose);
            File.Delete(file);
            return false;
        }
        catch (FileNotFoundException)
        {
            return false;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return true;
        }
    }
}
