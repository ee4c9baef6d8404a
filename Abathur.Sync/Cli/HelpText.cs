using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;
using System.Globalization;
using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Cli;

/// <summary>Writes the help text of a command: its options under headings, at most as wide as the terminal.</summary>
internal sealed class HelpText : SynchronousCommandLineAction
{
    private const int MaxWidth = 100;
    private const int MinWidth = 40;
    // Of output that is no terminal.
    private const int DefaultWidth = 80;
    private const int Indent = 2;
    // Of names. The description of a longer one starts on the next line.
    private const int MaxNameWidth = 26;

    /// <summary>Replaces the library's help text in all commands below a root.</summary>
    public static void Use(RootCommand root)
    {
        var help = root.Options.OfType<HelpOption>().Single();
        help.Description = "Show this help.";
        help.Action = new HelpText();
        root.Options.OfType<VersionOption>().Single().Description = "Show the version.";
    }

    /// <summary>Help is shown even if the rest of the command line is invalid.</summary>
    public override bool ClearsParseErrors => true;

    public override int Invoke(ParseResult parseResult)
    {
        var output = parseResult.InvocationConfiguration.Output;
        var command = parseResult.CommandResult.Command;
        var width = Console.IsOutputRedirected ? DefaultWidth : Math.Clamp(Console.WindowWidth - 1, MinWidth, MaxWidth);
        Write(command, output, width);
        return ExitCode.Ok;
    }

    /// <summary>Writes the help text of a command.</summary>
    public static void Write(Command command, TextWriter output, int width)
    {
        WriteWrapped(output, Sentence(command.Description), 0, width);
        output.WriteLine();
        output.WriteLine($"Usage: {Usage(command)}");
        WriteRows(output, "Commands", command.Subcommands.Select(each => (each.Name, Sentence(each.Description))), width);
        WriteRows(output, "Arguments", command.Arguments.Select(each => (NameOf(each), DescriptionOf(each))), width);
        var options = command.Options.Concat(InheritedOptions(command)).Where(option => !option.Hidden).ToList();
        foreach (var group in options.GroupBy(OptionGroups.HeadingOf))
            WriteRows(output, group.Key, group.Select(each => (NameOf(each), DescriptionOf(each))), width);
    }

    /// <summary>The name by which a command is run: <c>abathur-sync play</c>.</summary>
    public static string NameOf(Command command) => command is RootCommand ? ProgramName.Current : $"{ProgramName.Current} {command.Name}";

    private static string Usage(Command command)
    {
        if (command.Subcommands.Count > 0) return $"{NameOf(command)} COMMAND [OPTIONS]";
        var arguments = command.Arguments.Select(argument =>
        {
            var name = NameOf(argument) + (argument.Arity.MaximumNumberOfValues > 1 ? "..." : "");
            return argument.Arity.MinimumNumberOfValues == 0 ? $"[{name}]" : name;
        });
        var required = command.Options.Where(option => option.Required).Select(option => $"{option.Name} {ValueNameOf(option)}");
        return string.Join(' ', [NameOf(command), .. arguments, .. required, "[OPTIONS]"]);
    }

    private static IEnumerable<Option> InheritedOptions(Command command) =>
        command.Parents.OfType<Command>().SelectMany(parent => parent.Options.Where(option => option.Recursive));

    private static string NameOf(Argument argument) => argument.HelpName ?? argument.Name.ToUpperInvariant();

    private static string NameOf(Option option)
    {
        var names = string.Join(", ", option.Aliases.Append(option.Name).Where(name => name[0] == '-').OrderBy(name => name.Length));
        return option.ValueType == typeof(bool) || option is HelpOption or VersionOption ? names : $"{names} {ValueNameOf(option)}";
    }

    private static string ValueNameOf(Option option) => option.HelpName ?? option.Name.TrimStart('-').ToUpperInvariant();

    private static string DescriptionOf(Argument argument) => Sentence(argument.Description);

    private static string DescriptionOf(Option option)
    {
        var description = Sentence(option.Description);
        if (!option.HasDefaultValue || option.ValueType == typeof(bool) || option is HelpOption or VersionOption) return description;
        var value = Convert.ToString(option.GetDefaultValue(), CultureInfo.InvariantCulture);
        return string.IsNullOrEmpty(value) ? description : $"{description} Default: {value}.";
    }

    private static string Sentence(string? text) => string.IsNullOrEmpty(text) || text.EndsWith('.') ? text ?? "" : text + ".";

    private static void WriteRows(TextWriter output, string heading, IEnumerable<(string Name, string Description)> rows, int width)
    {
        var all = rows.ToList();
        if (all.Count == 0) return;
        output.WriteLine();
        output.WriteLine($"{heading}:");
        var nameWidth = Math.Min(all.Max(row => row.Name.Length), MaxNameWidth);
        var start = Indent + nameWidth + Indent;
        foreach (var (name, description) in all)
        {
            output.Write($"{new string(' ', Indent)}{name.PadRight(nameWidth)}");
            if (name.Length > nameWidth)
            {
                output.WriteLine();
                output.Write(new string(' ', Indent + nameWidth));
            }
            output.Write(new string(' ', Indent));
            WriteWrapped(output, description, start, width);
        }
    }

    /// <summary>Writes words from a column on; further lines begin in the same column.</summary>
    private static void WriteWrapped(TextWriter output, string text, int start, int width)
    {
        var column = start;
        foreach (var word in text.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            if (column > start && column + 1 + word.Length > width)
            {
                output.WriteLine();
                output.Write(new string(' ', start));
                column = start;
            }
            if (column > start)
            {
                output.Write(' ');
                column++;
            }
            output.Write(word);
            column += word.Length;
        }
        output.WriteLine();
    }
}
