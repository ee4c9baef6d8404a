using Spectre.Console;
using Spectre.Console.Rendering;

namespace Abathur.Sync.Cli;

/// <summary>Tables on standard output: as wide as the terminal, or in a pipe or a file of a fixed width, without spaces at the ends of
/// lines.</summary>
internal static class ConsoleText
{
    /// <summary>Writes something once.</summary>
    /// <param name="output">Standard output.</param>
    /// <param name="widthOfPipe">Columns where it is not a terminal.</param>
    /// <param name="create">Makes it for a width in columns.</param>
    public static void Write(TextWriter output, int widthOfPipe, Func<int, IRenderable> create)
    {
        if (!Console.IsOutputRedirected)
        {
            var terminal = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(output) });
            terminal.Write(create(terminal.Profile.Width));
            return;
        }
        using var text = new StringWriter();
        var plain = AnsiConsole.Create(new AnsiConsoleSettings { Ansi = AnsiSupport.No, Out = new AnsiConsoleOutput(text) });
        plain.Profile.Width = widthOfPipe;
        plain.Write(create(widthOfPipe));
        foreach (var line in text.ToString().TrimEnd().Split('\n')) output.WriteLine(line.TrimEnd());
    }
}
