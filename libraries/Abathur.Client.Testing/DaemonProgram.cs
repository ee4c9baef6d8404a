namespace Abathur.Client.Testing;

/// <summary>Finds the daemon's program.</summary>
internal static class DaemonProgram
{
    private const string Variable = "ABATHUR_SYNC";
    private const string Name = "abathur-sync";

    /// <summary>The command line that starts the daemon.</summary>
    /// <param name="command">A path or a command line; null: the one in ABATHUR_SYNC, else the Release build of the clone in which this
    /// runs, else <c>abathur-sync</c> on the PATH.</param>
    /// <exception cref="DaemonException">It was not found.</exception>
    public static IReadOnlyList<string> Find(string? command)
    {
        command = string.IsNullOrEmpty(command) ? Environment.GetEnvironmentVariable(Variable) : command;
        if (!string.IsNullOrEmpty(command)) return WithDotnet(File.Exists(command) ? [command] : Split(command));
        var found = InClone() ?? OnPath() ?? throw new DaemonException(
            $"{Name} was not found: put it on the PATH, or name it in the environment variable {Variable}", null);
        return WithDotnet([found]);
    }

    /// <summary>The words of a command line: blanks separate them, quotation marks group characters, and a backslash is a part of a word.
    /// </summary>
    /// <exception cref="DaemonException">A quotation mark is not closed, or there is no word.</exception>
    internal static List<string> Split(string text)
    {
        var words = new List<string>();
        System.Text.StringBuilder? word = null;
        var quote = '\0';
        foreach (var letter in text)
        {
            if (quote != '\0')
            {
                if (letter == quote) quote = '\0';
                else word!.Append(letter);
            }
            else if (letter is '"' or '\'')
            {
                quote = letter;
                word ??= new();
            }
            else if (char.IsWhiteSpace(letter))
            {
                if (word is not null) words.Add(word.ToString());
                word = null;
            }
            else
            {
                (word ??= new()).Append(letter);
            }
        }
        if (word is not null) words.Add(word.ToString());
        if (quote != '\0') throw new DaemonException($"the command line '{text}' has a quotation mark that is not closed", null);
        if (words.Count == 0) throw new DaemonException("the command line of the daemon is empty", null);
        return words;
    }

    private static List<string> WithDotnet(List<string> command) =>
        command[0].EndsWith(".dll", StringComparison.OrdinalIgnoreCase) ? ["dotnet", .. command] : command;

    private static string? InClone()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            var program = Path.Combine(folder.FullName, "artifacts", "bin", "Abathur.Sync", "release", $"{Name}.dll");
            if (File.Exists(program)) return program;
        }
        return null;
    }

    private static string? OnPath()
    {
        var name = OperatingSystem.IsWindows() ? $"{Name}.exe" : Name;
        var folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator);
        return folders.Where(folder => folder.Length > 0).Select(folder => Path.Combine(folder, name)).FirstOrDefault(File.Exists);
    }
}
