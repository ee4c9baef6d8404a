using System.Text;

namespace Abathur.Sync.Matches.Recording;

/// <summary>
/// A folder whose recordings clients may open by name. Names cannot refer to files outside: a name is a plain file name of a few kinds of
/// characters, valid on every system, and links that lead out of the folder are refused.
/// </summary>
/// <param name="path">The folder, which exists.</param>
public sealed class RecordingFolder(string path)
{
    /// <summary>Maximum bytes of a name in UTF-8: file systems allow 255.</summary>
    public const int MaxNameBytes = 200;

    /// <summary>Extension of every name, in lower or upper case.</summary>
    public const string Extension = ".mcap";

    private const string Punctuation = " ._-()'";

    /// <summary>Windows opens a device for these names, with any extension.</summary>
    private static readonly HashSet<string> Devices = new(
        [
            "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$",
            .. Enumerable.Range(0, 10).SelectMany(number => new[] { $"COM{number}", $"LPT{number}" }),
        ],
        StringComparer.OrdinalIgnoreCase);

    /// <summary>The folder, with all links resolved.</summary>
    public string FullPath { get; } = RealPath(path);

    /// <summary>The full path of the file with this name, whether it exists or not; null with the reason if the name is not
    /// allowed.</summary>
    /// <param name="name">The name as the client sent it, percent-decoded once.</param>
    /// <param name="problem">What is wrong, as a message; empty if nothing is wrong.</param>
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

    /// <summary>The nearest allowed name to a text.</summary>
    /// <param name="text">Without the extension.</param>
    public static string ToName(string text)
    {
        var name = new StringBuilder();
        Rune? before = null;
        foreach (var each in text.EnumerateRunes())
        {
            var isAllowed = ComposedText.IsLetterOrDigit(each, before) || (each.IsAscii && Punctuation.Contains((char)each.Value));
            before = isAllowed && !(each.Value == '.' && before?.Value == '.') ? each : (Rune)'-';
            name.Append(before);
        }
        // With room for the two characters that may come in front.
        while (Encoding.UTF8.GetByteCount(name.ToString()) > MaxNameBytes - Extension.Length - 2)
            name.Length -= char.IsLowSurrogate(name[^1]) ? 2 : 1;
        while (name.Length > 0 && name[^1] is ('.' or ' ')) name.Length--;
        if (name.Length == 0 || name[0] is '.' or ' ') name.Insert(0, '_');
        if (NameProblem(name + Extension).Length > 0) name.Insert(0, '_');
        return name + Extension;
    }

    /// <summary>Files of the folder with allowed names, sorted by name.</summary>
    /// <param name="others">The number of other files that end in <see cref="Extension"/>.</param>
    public IReadOnlyList<FileInfo> List(out int others)
    {
        var files = new DirectoryInfo(FullPath).EnumerateFiles()
            .Where(file => file.Name.EndsWith(Extension, StringComparison.OrdinalIgnoreCase))
            .ToLookup(file => TryResolve(file.Name, out _) is not null);
        others = files[false].Count();
        return [.. files[true].OrderBy(file => file.Name, StringComparer.OrdinalIgnoreCase)];
    }

    private static string NameProblem(string name)
    {
        if (name.Length == 0 || Encoding.UTF8.GetByteCount(name) > MaxNameBytes) return $"a name has 1 to {MaxNameBytes} bytes of UTF-8";
        Rune? before = null;
        foreach (var each in name.EnumerateRunes())
        {
            if (!ComposedText.IsLetterOrDigit(each, before) && !(each.IsAscii && Punctuation.Contains((char)each.Value)))
                return $"a name has letters, digits, space and {Punctuation.Trim()} only, in the normal form C of Unicode";
            before = each;
        }
        if (name[0] is '.' or ' ') return "a name does not begin with a dot or a space";
        if (name.Contains("..", StringComparison.Ordinal)) return "a name has no two dots in a row";
        if (!name.EndsWith(Extension, StringComparison.OrdinalIgnoreCase) || name.Length == Extension.Length)
            return $"a name ends in {Extension}";
        // Windows compares the part before the first dot, without trailing spaces.
        return Devices.Contains(name[..name.IndexOf('.')].TrimEnd(' ')) ? "this is the name of a device on Windows" : "";
    }

    private bool LeadsOut(string file)
    {
        // A broken link has its attributes, too.
        var info = new FileInfo(file);
        if (info.LinkTarget is null && (!info.Exists || (info.Attributes & FileAttributes.ReparsePoint) == 0)) return false;
        try
        {
            return info.ResolveLinkTarget(returnFinalTarget: true) is not { } target
                || Path.GetDirectoryName(RealPath(target.FullName)) != FullPath;
        }
        catch (IOException)
        {
            // A cycle of links.
            return true;
        }
    }

    /// <summary>The path with every link on its way resolved.</summary>
    private static string RealPath(string path)
    {
        var full = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        if (Path.GetDirectoryName(full) is not { } parent) return full;
        var here = Path.Combine(RealPath(parent), Path.GetFileName(full));
        var target = Directory.Exists(here)
            ? Directory.ResolveLinkTarget(here, returnFinalTarget: true)
            : File.ResolveLinkTarget(here, returnFinalTarget: true);
        return target is null ? here : Path.TrimEndingDirectorySeparator(Path.GetFullPath(target.FullName));
    }
}
