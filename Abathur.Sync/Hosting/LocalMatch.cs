using System.Text.Json;
using Abathur.Client;

namespace Abathur.Sync.Hosting;

/// <summary>
/// The entry of a running daemon in the directory of this user's matches on this machine: its addresses under the match's name. Agents find
/// it there as <c>match:NAME</c>.
/// </summary>
/// <remarks>
/// An entry is two files: <c>NAME.json</c>, and <c>NAME.lock</c>, which the daemon keeps locked. The operating system releases the lock of
/// a process that ended in any way: a program that gets it then removes both files.
/// </remarks>
internal sealed class LocalMatch : IDisposable
{
    private const int MaxNumber = 1000;
    private readonly string _file;
    private readonly FileStream _lock;

    private LocalMatch(string name, string file, FileStream taken) => (Name, _file, _lock) = (name, file, taken);

    /// <summary>Name of the match, unique among the running ones.</summary>
    public string Name { get; }

    /// <summary>The nearest name to a text.</summary>
    public static string ToName(string text) =>
        text.Length == 0 ? "match" : string.Concat(text.Take(MatchName.MaxLength).Select(c => MatchName.Has(c) ? c : '-'));

    /// <summary>Takes a name; null if a running daemon has it.</summary>
    /// <exception cref="IOException">The directory cannot be written, or other users can put entries there.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be written.</exception>
    public static LocalMatch? TryTake(string name)
    {
        var file = Path.Combine(MatchesFolder.Create(), $"{name}.json");
        var lockFile = Path.ChangeExtension(file, ".lock");
        FileStream taken;
        try
        {
            taken = new FileStream(lockFile, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None, 1, FileOptions.DeleteOnClose);
        }
        catch (IOException) when (File.Exists(lockFile))
        {
            return null;
        }
        if (!File.Exists(lockFile))
        {
            // It was opened just before another program removed it together with an entry of an ended daemon.
            taken.Dispose();
            return TryTake(name);
        }
        return new LocalMatch(name, file, taken);
    }

    /// <summary>Takes a name, with a number behind it if a running daemon has it.</summary>
    /// <inheritdoc cref="TryTake"/>
    public static LocalMatch TakeSimilar(string name)
    {
        for (var number = 1; number <= MaxNumber; number++)
        {
            var suffix = number == 1 ? "" : $"-{number}";
            if (TryTake(name[..Math.Min(name.Length, MatchName.MaxLength - suffix.Length)] + suffix) is { } match) return match;
        }
        throw new IOException($"there are {MaxNumber} matches with the name {name}");
    }

    /// <summary>Lets agents find the daemon.</summary>
    /// <param name="command">The daemon's command.</param>
    /// <param name="addresses">Where it listens.</param>
    /// <param name="isTls">Whether its TCP ports use TLS.</param>
    /// <param name="started">When it started.</param>
    /// <exception cref="IOException">The directory cannot be written.</exception>
    public void Publish(string command, BoundAddresses addresses, bool isTls, DateTimeOffset started)
    {
        var temporary = Path.ChangeExtension(_file, ".part");
        using (var stream = File.Create(temporary))
        using (var json = new Utf8JsonWriter(stream, new JsonWriterOptions { Indented = true }))
        {
            json.WriteStartObject();
            json.WriteString("name", Name);
            json.WriteString("command", command);
            json.WriteNumber("pid", Environment.ProcessId);
            json.WriteString("started", started.UtcDateTime);
            foreach (var (key, url) in addresses.Urls(isTls)) json.WriteString(key, url);
            json.WriteEndObject();
        }
        File.Move(temporary, _file, overwrite: true);
    }

    /// <summary>The address of gRPC of a match on this machine; null: no daemon publishes this name, or the directory
    /// cannot be trusted.</summary>
    public static string? GrpcOf(string name)
    {
        try
        {
            using var entry = JsonDocument.Parse(File.ReadAllBytes(Path.Combine(MatchesFolder.Find(), $"{name}.json")));
            return entry.RootElement.TryGetProperty("grpc", out var address) ? address.GetString() : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException or InvalidOperationException)
        {
            // The entry is missing, or is just being removed.
            return null;
        }
    }

    /// <summary>Removes the entry.</summary>
    public void Dispose()
    {
        File.Delete(_file);
        _lock.Dispose();
    }
}
