using System.Globalization;

namespace Abathur.Sync.Hosting;

/// <summary>The limit of the operating system on open files and connections of this process.</summary>
internal static class OpenFiles
{
    /// <summary>Descriptors that the runtime, its libraries, recordings and agents need besides connections. If none is left, the runtime
    /// ends the process.</summary>
    public const int Reserved = 256;

    private const int Fewest = 16;
    private const string Limits = "/proc/self/limits";
    private const string Name = "Max open files";

    /// <summary>The requested number of connections, or the number that leaves enough descriptors for everything else, whichever is
    /// lower.</summary>
    public static int Bound(int connections)
    {
        if (!File.Exists(Limits)) return connections;
        var line = File.ReadLines(Limits).FirstOrDefault(each => each.StartsWith(Name, StringComparison.Ordinal));
        // The soft limit; it may be "unlimited".
        var soft = line?[Name.Length..].Split(' ', StringSplitOptions.RemoveEmptyEntries).FirstOrDefault();
        return int.TryParse(soft, CultureInfo.InvariantCulture, out var files)
            ? Math.Min(connections, Math.Max(files - Reserved, Fewest))
            : connections;
    }
}
