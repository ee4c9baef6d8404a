using System.Globalization;

namespace Abathur.Fuzz;

/// <summary>The command line.</summary>
internal sealed record FuzzOptions
{
    public const string Usage = """
        usage: fuzz [TARGET...] [--seconds N] [--seed N] [--save FOLDER] [--python PATH]
               fuzz --replay FILE TARGET [--times N]
               fuzz --list

        Without a target: all of them, the time shared out among them. Findings are saved, with the command that shows them again.
        """;

    /// <summary>Seconds in all. Default 60.</summary>
    public double Seconds { get; init; } = 60;

    /// <summary>Seed of the mutations. Default: another one each time; it is printed.</summary>
    public int Seed { get; init; } = Random.Shared.Next();

    /// <summary>Folder of the findings.</summary>
    public string Save { get; init; } = Path.Combine("artifacts", "fuzz");

    /// <summary>The interpreter with the package; empty: targets that need it are omitted.</summary>
    public string Python { get; init; } = "";

    /// <summary>A saved input to be taken once; null: fuzz.</summary>
    public string? Replay { get; init; }

    /// <summary>How often it is taken: what depends on the time may need more than once. Default 1.</summary>
    public int Times { get; init; } = 1;

    /// <summary>Whether only the names of the targets are wanted.</summary>
    public bool List { get; init; }

    /// <summary>Names of the targets; empty: all.</summary>
    public IReadOnlyList<string> Targets { get; init; } = [];

    /// <summary>Reads it.</summary>
    /// <exception cref="FormatException">It cannot be read; the message says why.</exception>
    public static FuzzOptions Parse(string[] arguments)
    {
        var options = new FuzzOptions();
        for (var i = 0; i < arguments.Length; i++)
        {
            options = arguments[i] switch
            {
                "--seconds" => options with { Seconds = Number(arguments, ref i, 0.1, 1e6) },
                "--seed" => options with { Seed = (int)Number(arguments, ref i, 0, int.MaxValue) },
                "--save" => options with { Save = Text(arguments, ref i) },
                "--python" => options with { Python = Text(arguments, ref i) },
                "--replay" => options with { Replay = Text(arguments, ref i) },
                "--times" => options with { Times = (int)Number(arguments, ref i, 1, 1e6) },
                "--list" => options with { List = true },
                ['-', ..] => throw new FormatException($"there is no option {arguments[i]}"),
                _ => options with { Targets = [.. options.Targets, arguments[i]] },
            };
        }
        if (options.Replay is not null && options.Targets.Count != 1)
            throw new FormatException("--replay FILE needs the name of one target");
        if (options.Replay is { } file && !File.Exists(file)) throw new FormatException($"there is no file {file}");
        return options;
    }

    private static string Text(string[] arguments, ref int i) =>
        ++i < arguments.Length ? arguments[i] : throw new FormatException($"{arguments[i - 1]} needs a value");

    private static double Number(string[] arguments, ref int i, double min, double max)
    {
        var name = arguments[i];
        return double.TryParse(Text(arguments, ref i), CultureInfo.InvariantCulture, out var number) && number >= min && number <= max
            ? number
            : throw new FormatException($"{name} takes a number from {min} to {max}");
    }
}
