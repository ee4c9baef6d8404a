using Abathur.Recordings.Files;
using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Cli;

/// <summary>The command that recovers a recording, quoted for a shell.</summary>
internal static class RecoverCommandLine
{
    private const string Characters = "/._-+=:,@%";

    /// <summary>Describes the file that a killed run left, and how to recover it.</summary>
    public static string Describe(KilledRun killed)
    {
        var what = $"an earlier run was killed before its file was complete: what it wrote is now {killed.Path}";
        return killed.IsRecording ? $"{what}; recover it with: {For(killed.Path)}" : what;
    }

    /// <summary>Reports each killed run in one line.</summary>
    public static Action<KilledRun> TellTo(TextWriter report) => killed => report.WriteLine($"{ProgramName.Current}: {Describe(killed)}");

    /// <summary>The command for a file that ends in <c>.part</c>; its result is in the same folder.</summary>
    public static string For(string path)
    {
        var full = Path.GetFullPath(path);
        return string.Join(' ', Program().Append("recover").Append(full).Append("-o").Append(DefaultOutput(full)).Select(Quote));
    }

    /// <summary>Where <c>recover</c> writes by default: <c>match.mcap</c> and <c>match.mcap.part</c> both give <c>match.recovered.mcap</c>,
    /// <c>match.mcap.killed-1.part</c> gives
    /// <c>match.killed-1.recovered.mcap</c>.</summary>
    public static string DefaultOutput(string input)
    {
        var name = input.EndsWith(".part", StringComparison.Ordinal) ? input[..^5] : input;
        var last = Path.GetExtension(name);
        if (last.StartsWith(".killed-", StringComparison.Ordinal))
            return Path.ChangeExtension(name[..^last.Length], null) + last + ".recovered.mcap";
        return Path.ChangeExtension(name, ".recovered.mcap");
    }

    // The way this process was started, because the program may not be on the path.
    private static IEnumerable<string> Program()
    {
        if (ProgramName.Current != ProgramName.Daemon) return [ProgramName.Current];
        var process = Environment.ProcessPath ?? ProgramName.Daemon;
        return Path.GetFileNameWithoutExtension(process) == "dotnet"
            ? [process, Path.Combine(AppContext.BaseDirectory, "abathur-sync.dll")]
            : [process];
    }

    private static string Quote(string text)
    {
        if (text.All(each => char.IsAsciiLetterOrDigit(each) || Characters.Contains(each) || (OperatingSystem.IsWindows() && each == '\\')))
            return text;
        // File names on Windows cannot contain a quotation mark.
        return OperatingSystem.IsWindows() ? $"\"{text}\"" : $"'{text.Replace("'", @"'\''", StringComparison.Ordinal)}'";
    }
}
