using System.Globalization;

namespace Abathur.Sync.Hosting;

/// <summary>How many files and connections the operating system lets this process have open.</summary>
internal static class OpenFiles
{
    /// <summary>What the runtime, its libraries, recordings and agents need besides connections: without any left, the runtime ends the process.</summary>
    public const int Reserved = 256;

    private const int Fewest = 16;
    private const string Limits = "/proc/self/limits";
    private const string Name = "Max open files";

    /// <summary>At most so many connections as were asked for, and as leave enough for everything else.</summary>
    public static int Bound(int connections)
    {
        if (!File.Exists(Limits)) return connections;
        var line = File.ReadLines(Limits).FirstOrDefault(each => each.StartsWith(Name, StringComparison.Ordinal));
        // The soft limit; "unlimited" is no number.
        var soft = line?[Name.Length..].Split(' ', StringSplitOptions.RemoveEmptyEntries).FirstOrDefault();
        return int.TryParse(soft, CultureInfo.InvariantCulture, out var files) ? Math.Min(connections, Math.Max(files - Reserved, Fewest)) : connections;
    }
}
