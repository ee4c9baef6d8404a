namespace Abathur.Sync.Dashboard;

/// <summary>
/// A folder whose recordings may be named by clients. What they name stays inside: a name is a bare file name of few kinds of characters, which means the
/// same on every system, and no link leads out.
/// </summary>
/// <param name="path">The folder, which exists.</param>
public sealed class RecordingFolder(string path)
{
    /// <summary>Longest name.</summary>
    public const int MaxNameLength = 128;

    /// <summary>How every name ends, in lower or upper case.</summary>
    public const string Extension = ".mcap";

    /// <summary>Windows opens a device for these, whatever follows them after a dot.</summary>
    private static readonly HashSet<string> Devices = new(
        [
            "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$",
            .. Enumerable.Range(0, 10).SelectMany(number => new[] { $"COM{number}", $"LPT{number}" }),
        ],
        StringComparer.OrdinalIgnoreCase);

    /// <summary>The folder, without links.</summary>
    public string FullPath { get; } = RealPath(path);

    /// <summary>The full path of the file that a client's name stands for, whether it exists or not; null with the reason where it may not be named.</summary>
    /// <param name="name">As the client wrote it, decoded once.</param>
    /// <param name="problem">What is wrong, for a person; empty where nothing is.</param>
    public string? TryResolve(string name, out string problem)
    {
        problem = NameProblem(name);
        if (problem.Length > 0) return null;
        var file = Path.GetFullPath(Path.Combine(FullPath, name));
        if (Path.GetDirectoryName(file) != FullPath) problem = "the name leads out of the folder";
        else if (LeadsOut(file)) problem = "the file is a link that leads out of the folder";
        else if (Directory.Exists(file)) problem = "this is a folder";
        return problem.Length > 0 ? null : file;
    }

    /// <summary>Files of the folder that may be named, in the order of their names.</summary>
    public IReadOnlyList<FileInfo> List() =>
        [.. new DirectoryInfo(FullPath).EnumerateFiles().Where(file => TryResolve(file.Name, out _) is not null).OrderBy(file => file.Name, StringComparer.OrdinalIgnoreCase)];

    private static string NameProblem(string name)
    {
        if (name.Length is 0 or > MaxNameLength) return $"a name has 1 to {MaxNameLength} characters";
        if (!name.All(letter => char.IsAsciiLetterOrDigit(letter) || letter is ' ' or '.' or '_' or '-' or '(' or ')')) return "a name has letters, digits, space and ._-() only";
        if (name[0] is '.' or ' ') return "a name does not begin with a dot or a space";
        if (name.Contains("..", StringComparison.Ordinal)) return "a name has no two dots in a row";
        if (!name.EndsWith(Extension, StringComparison.OrdinalIgnoreCase) || name.Length == Extension.Length) return $"a name ends in {Extension}";
        // What stands before the first dot is what Windows looks at, spaces at its end apart.
        return Devices.Contains(name[..name.IndexOf('.')].TrimEnd(' ')) ? "this is the name of a device on Windows" : "";
    }

    private bool LeadsOut(string file)
    {
        // Also a link to nothing has its attributes.
        var info = new FileInfo(file);
        if (info.LinkTarget is null && (!info.Exists || (info.Attributes & FileAttributes.ReparsePoint) == 0)) return false;
        try
        {
            return info.ResolveLinkTarget(returnFinalTarget: true) is not { } target || Path.GetDirectoryName(RealPath(target.FullName)) != FullPath;
        }
        catch (IOException)
        {
            // A ring of links.
            return true;
        }
    }

    /// <summary>The path with every link on its way resolved.</summary>
    private static string RealPath(string path)
    {
        var full = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        if (Path.GetDirectoryName(full) is not { } parent) return full;
        var here = Path.Combine(RealPath(parent), Path.GetFileName(full));
        var target = Directory.Exists(here) ? Directory.ResolveLinkTarget(here, returnFinalTarget: true) : File.ResolveLinkTarget(here, returnFinalTarget: true);
        return target is null ? here : Path.TrimEndingDirectorySeparator(Path.GetFullPath(target.FullName));
    }
}
