using SC2APIProtocol;

namespace Abathur.Sync.Cli;

/// <summary>Reads players as a command line names them: <c>ai:zerg:elite</c>.</summary>
internal static class OpponentOption
{
    // The names in the game's menu, besides those of the API.
    private static readonly Dictionary<string, Difficulty> Difficulties = new(StringComparer.OrdinalIgnoreCase)
    {
        ["veryeasy"] = Difficulty.VeryEasy,
        ["easy"] = Difficulty.Easy,
        ["medium"] = Difficulty.Medium,
        ["mediumhard"] = Difficulty.MediumHard,
        ["hard"] = Difficulty.Hard,
        ["harder"] = Difficulty.Harder,
        ["veryhard"] = Difficulty.VeryHard,
        ["elite"] = Difficulty.VeryHard,
        ["cheatvision"] = Difficulty.CheatVision,
        ["cheatmoney"] = Difficulty.CheatMoney,
        ["cheatinsane"] = Difficulty.CheatInsane,
    };

    /// <summary>The syntax of a player, for messages.</summary>
    public static string Syntax =>
        $"ai:RACE[:DIFFICULTY[:BUILD]] with RACE {Names<Race>(Race.NoRace)}, DIFFICULTY {string.Join(", ", Difficulties.Keys)}, BUILD "
            + $"{Names<AIBuild>()}";

    /// <summary>A race by its name.</summary>
    public static bool TryParseRace(string text, out Race race) => TryParse(text, out race) && race != Race.NoRace;

    /// <summary>A computer player; null if the text is not a valid one.</summary>
    public static PlayerSetup? Parse(string text)
    {
        if (text.Split(':') is not ["ai", var raceName, .. var rest] || rest.Length > 2 || !TryParseRace(raceName, out var race))
            return null;
        var setup = new PlayerSetup { Type = PlayerType.Computer, Race = race, Difficulty = Difficulty.Medium };
        if (rest.Length > 0)
        {
            if (!Difficulties.TryGetValue(rest[0], out var difficulty)) return null;
            setup.Difficulty = difficulty;
        }
        if (rest.Length > 1)
        {
            if (!TryParse<AIBuild>(rest[1], out var build)) return null;
            setup.AiBuild = build;
        }
        return setup;
    }

    private static bool TryParse<T>(string text, out T value)
        where T : struct, System.Enum =>
        System.Enum.TryParse(text, ignoreCase: true, out value) && text.All(char.IsLetter);

    private static string Names<T>(params T[] except)
        where T : struct, System.Enum =>
        string.Join(", ", System.Enum.GetValues<T>().Except(except).Select(each => each.ToString().ToLowerInvariant()));
}
