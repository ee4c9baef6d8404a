using System.Globalization;

namespace Abathur.Sc2.Install;

/// <summary>An installed game.</summary>
/// <param name="Root">Its folder: the one that holds <c>Versions</c>.</param>
/// <param name="Executable">The newest version's program.</param>
/// <param name="WorkingFolder">The folder to start it in.</param>
public sealed record GameInstall(string Root, string Executable, string WorkingFolder)
{
    /// <summary>Environment variable that names the game's folder.</summary>
    public const string PathVariable = "SC2PATH";

    /// <summary>Finds the game: in SC2PATH if it is set, else where the game recorded that it was started, else in the usual
    /// folders.</summary>
    /// <param name="sc2Path">Value of SC2PATH; null or empty if it is not set.</param>
    /// <param name="places">The usual folders of this system.</param>
    /// <exception cref="GameException">It was not found; the message names all folders.</exception>
    public static GameInstall Find(string? sc2Path, GamePlaces places)
    {
        if (!string.IsNullOrEmpty(sc2Path))
        {
            return In(sc2Path, places) ?? throw new GameException($"{PathVariable} is {sc2Path}, which has no {Wanted(places)}");
        }
        List<string> roots = [.. NotedRoots(places.ExecuteInfo), .. places.Roots];
        return roots.Select(root => In(root, places)).FirstOrDefault(found => found is not null)
            ?? throw new GameException(
                $"StarCraft II was not found: no {Wanted(places)} in {string.Join(" or ", roots)}. Set {PathVariable} to its folder");
    }

    private static string Wanted(GamePlaces places) => Path.Combine("Versions", "Base*", places.Executable);

    private static GameInstall? In(string root, GamePlaces places)
    {
        var versions = Path.Combine(root, "Versions");
        if (!Directory.Exists(versions)) return null;
        var newest = Directory.EnumerateDirectories(versions, "Base*")
            .Where(folder => File.Exists(Path.Combine(folder, places.Executable)))
            .MaxBy(folder => int.TryParse(
                Path.GetFileName(folder).AsSpan("Base".Length), NumberStyles.None, CultureInfo.InvariantCulture,
                out var build) ? build : -1);
        return newest is null
            ? null
            : new GameInstall(root, Path.Combine(newest, places.Executable), Path.Combine(root, places.WorkingFolder));
    }

    /// <summary>The root from "executable = ROOT/Versions/BaseNNNNN/..." in the file that the game writes.</summary>
    private static IEnumerable<string> NotedRoots(string? executeInfo)
    {
        if (executeInfo is null || !File.Exists(executeInfo)) yield break;
        foreach (var line in File.ReadLines(executeInfo).Take(100))
        {
            if (line.Split('=', 2) is not [var key, var value] || key.Trim() != "executable") continue;
            // The separator may be that of another operating system.
            var path = value.Trim().Replace('\\', '/');
            var end = path.LastIndexOf("/Versions/", StringComparison.Ordinal);
            if (end > 0) yield return path[..end];
        }
    }
}
