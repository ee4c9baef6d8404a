using System.CommandLine;
using System.CommandLine.Parsing;

namespace Abathur.Sync.Tests.Cli;

/// <summary>The rules that the values of all options and arguments of all commands obey.</summary>
public sealed class OptionRulesTests
{
    // Of options that read numbers out of texts.
    private static readonly string[] WithOwnParsers = ["--rate", "--delay", "--start-time"];

    private static readonly Type[] NumberTypes = [typeof(double), typeof(int), typeof(uint), typeof(long), typeof(ulong)];

    // Rules of commands are looked at before those of options.
    private static readonly Dictionary<string, string[]> Needed = new()
    {
        ["--as-player"] = ["--observe"],
        ["--opponent"] = ["--map", "map"],
        ["--output-name"] = ["-o", "folder/"],
        ["--seed"] = ["--map", "map"],
    };

    // Made once, as in a process: commands have static options.
    private static readonly RootCommand Root = Program.CreateRoot();

    private static IEnumerable<(string Command, Option Option)> Options =>
        Root.Subcommands.SelectMany(command => command.Options.Concat(Root.Options.Where(each => each.Recursive))
            .Select(option => (command.Name, option)))
            .Where(each => each.option.ValueType != typeof(bool) && each.option.Arity.MaximumNumberOfValues > 0);

    [Fact]
    public void Numbers_ThatAreWrittenInAnotherWay_AreRefused()
    {
        string[] texts = ["0,5", "1,000", "1 000", " 1", "1 ", "1_0", "0x1", "1e999", "nan", "Infinity", "\u0661", "one"];
        Assert.Empty(
            from each in Options
            where NumberTypes.Contains(TypeOf(each.Option)) || WithOwnParsers.Contains(each.Option.Name)
            from text in texts
            where !IsRefused(each.Option.Name, each.Command, each.Option.Name, text)
            select $"{each.Command} {each.Option.Name} \"{text}\"");
    }

    [Fact]
    public void Numbers_AreOfTypesWithARule() =>
        Assert.Empty(
            Options.Select(each => TypeOf(each.Option)).Distinct()
                .Except([.. NumberTypes, typeof(string), typeof(string[]), typeof(DateTimeOffset)]));

    [Fact]
    public void EmptyValues_AreRefused()
    {
        var options = from each in Options
                      where !IsRefused(each.Option.Name, each.Command, each.Option.Name, "")
                      select $"{each.Command} {each.Option.Name}";
        var arguments = from command in Root.Subcommands
                        from argument in command.Arguments
                        where !IsRefused(argument.Name, command.Name, "")
                        select $"{command.Name} {argument.Name}";
        Assert.Empty(options.Concat(arguments));
    }

    [Theory]
    [InlineData("play", "-r", "0,5", "--rate must be 0.1 to 1000")]
    [InlineData("play", "--start-offset", "1,5", "--start-offset must be a number, not '1,5'")]
    [InlineData("play", "--history-mb", "1,024", "--history-mb must be a whole number, not '1,024'")]
    [InlineData("cat", "--start", "-1", "--start must be a whole number, 0 or more, not '-1'")]
    [InlineData("emulate", "--start", "-1", "--start must be a whole number, 0 or more, not '-1'")]
    [InlineData("emulate", "--stop", "1e3", "--stop must be a whole number, 0 or more, not '1e3'")]
    [InlineData("export", "-o", "", "--output must not be empty")]
    [InlineData("play", "--recordings", "", "--recordings must not be empty")]
    public async Task Command_WithABadValue_EndsWithTwoAndOneLine(string command, string option, string value, string message)
    {
        var (exitCode, output, error) = await CliProcess.RunAsync(command, CommittedRecording.Path, option, value);
        Assert.Equal(2, exitCode);
        Assert.Empty(output);
        Assert.Contains(message, error, StringComparison.Ordinal);
        Assert.Single(error.TrimEnd().Split('\n'));
    }

    private static bool IsRefused(string symbol, params string[] line) =>
        Root.Parse([.. line, .. Needed.GetValueOrDefault(symbol) ?? []]).Errors.Any(error => error.SymbolResult switch
        {
            OptionResult option => option.Option.Name == symbol,
            ArgumentResult argument => argument.Argument.Name == symbol,
            _ => false,
        });

    private static Type TypeOf(Option option) => Nullable.GetUnderlyingType(option.ValueType) ?? option.ValueType;
}
