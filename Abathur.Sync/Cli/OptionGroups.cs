using System.CommandLine;
using System.Runtime.CompilerServices;

namespace Abathur.Sync.Cli;

/// <summary>The headings under which the help text lists options.</summary>
internal static class OptionGroups
{
    /// <summary>Heading of options that are in no group.</summary>
    public const string Other = "Options";

    private static readonly ConditionalWeakTable<Option, string> Groups = [];

    /// <summary>Adds options to a command, under a heading.</summary>
    public static void AddGroup(this Command command, string heading, params IEnumerable<Option> options)
    {
        foreach (var option in options)
        {
            Groups.AddOrUpdate(option, heading);
            command.Add(option);
        }
    }

    /// <summary>The heading of an option.</summary>
    public static string HeadingOf(Option option) => Groups.TryGetValue(option, out var heading) ? heading : Other;
}
