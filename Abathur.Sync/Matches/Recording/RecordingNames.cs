using System.Globalization;
using System.Text.RegularExpressions;
using Abathur.Recordings;
using SC2APIProtocol;

namespace Abathur.Sync.Matches.Recording;

/// <summary>Names the recordings of successive matches: a file and then <c>FILE-N</c>, or files in a folder by a pattern.</summary>
public sealed partial class RecordingNames
{
    /// <summary>The pattern of names in a folder where none is given.</summary>
    public const string DefaultPattern = "{start}_{map}_{players}";

    /// <summary>What a pattern may have in braces.</summary>
    public static readonly IReadOnlyList<string> Fields = ["start", "map", "players", "match_id", "n"];

    private const int MaxNumber = 100_000;
    private readonly string _place;
    private readonly string? _pattern;
    private int _matches;
    private int _number = 1;

    private RecordingNames(string place, string? pattern) => (_place, _pattern) = (place, pattern);

    /// <summary>The file of the first match; null: it depends on the match.</summary>
    public string? First => _pattern is null ? _place : null;

    /// <summary>Names by an option: a folder that exists, or a path that ends as one, else a file.</summary>
    /// <param name="output">The path.</param>
    /// <param name="pattern">The pattern of names in a folder; null: <see cref="DefaultPattern"/>.</param>
    public static RecordingNames For(string output, string? pattern) =>
        new(output, IsFolder(output) ? pattern ?? DefaultPattern : null);

    /// <summary>Whether a path is that of a folder.</summary>
    public static bool IsFolder(string output) => Directory.Exists(output) || Path.EndsInDirectorySeparator(output);

    /// <summary>What is wrong with a pattern; null if nothing is.</summary>
    public static string? Problem(string pattern)
    {
        if (pattern.Length == 0) return "a pattern is not empty";
        var rest = Field().Replace(pattern, match => Fields.Contains(match.Groups[1].Value) ? "" : match.Value);
        return rest.AsSpan().IndexOfAny('{', '}') < 0
            ? null
            : $"a pattern has {string.Join(", ", Fields.Select(field => $"{{{field}}}"))}, and no other braces";
    }

    /// <summary>Makes the folder where it does not exist.</summary>
    /// <exception cref="IOException">Files cannot be written there.</exception>
    /// <exception cref="UnauthorizedAccessException">They may not be written there.</exception>
    public void CheckFolder()
    {
        Directory.CreateDirectory(_place);
        var file = Path.Combine(_place, $".{Guid.NewGuid():N}.part");
        using var check = new FileStream(file, FileMode.CreateNew, FileAccess.Write, FileShare.None, 1, FileOptions.DeleteOnClose);
    }

    /// <summary>The paths for the next match, the best first. One that exists is not for it.</summary>
    /// <param name="match">The match.</param>
    /// <param name="info">Its game info; null: unknown.</param>
    /// <param name="start">When it began.</param>
    public IEnumerable<string> Of(RecordingMatch match, ResponseGameInfo? info, DateTimeOffset start)
    {
        var matches = ++_matches;
        var path = _pattern is null
            ? _place
            : Path.Combine(_place, RecordingFolder.ToName(Field().Replace(_pattern, field => field.Groups[1].Value switch
            {
                "start" => start.ToString("yyyyMMdd-HHmmss", CultureInfo.InvariantCulture),
                "map" => match.MapName.Length > 0 ? match.MapName : "unknown",
                "players" => PlayersOf(info),
                "match_id" => match.MatchId,
                _ => matches.ToString(CultureInfo.InvariantCulture),
            })));
        return Numbered(path, isNamed: _pattern is not null || matches == 1);
    }

    private IEnumerable<string> Numbered(string path, bool isNamed)
    {
        var (name, extension) = (Path.ChangeExtension(path, null), Path.GetExtension(path));
        if (isNamed) yield return path;
        // All names of a file are numbered on, so that the ten thousandth match does not try those of all others.
        for (var number = _pattern is null ? _number : 1; number < MaxNumber;)
        {
            number++;
            if (_pattern is null) _number = number;
            yield return $"{name}-{number}{extension}";
        }
    }

    /// <summary>Names of the players, or their races.</summary>
    private static string PlayersOf(ResponseGameInfo? info)
    {
        var players = (info?.PlayerInfo ?? []).Where(player => player.Type != PlayerType.Observer).Select(player =>
            player.PlayerName.Length > 0 ? player.PlayerName
            : (player.RaceActual != Race.NoRace ? player.RaceActual : player.RaceRequested).ToString());
        return string.Join("-vs-", players) is { Length: > 0 } names ? names : "unknown";
    }

    [GeneratedRegex(@"\{([a-z_]+)\}")]
    private static partial Regex Field();
}
