using Abathur.Recordings;
using Abathur.Recordings.Conversion;

namespace Abathur.Emulator.MatchData;

/// <summary>The input of an emulated game: a recording, or serialized observations that are converted to a temporary one while this is
/// open.</summary>
/// <remarks>
/// A folder, or a file that is not a recording (<c>.binpb</c>, <c>.pb</c>, <c>.obs</c>, each also with <c>.zst</c>), is imported into a
/// temporary file. By default <c>game_info.binpb</c> is read from the folder of the observations, and <c>game_data.binpb</c> from there or
/// from the folder above, which several maps may share.
/// </remarks>
public sealed class EmulatorInput : IDisposable
{
    private const string GameInfoName = "game_info.binpb";
    private const string GameDataName = "game_data.binpb";
    private static readonly string[] ObservationEndings = [".binpb", ".pb", ".obs"];
    private readonly string? _temporary;

    private EmulatorInput(RecordingReader recording, string? temporary, ReadOnlyMemory<byte>? gameInfo, ReadOnlyMemory<byte>? gameData)
    {
        Recording = recording;
        _temporary = temporary;
        GameInfo = gameInfo;
        GameData = gameData;
    }

    public RecordingReader Recording { get; }

    /// <summary>Serialized <c>ResponseGameInfo</c> that replaces that of the recording; null: use the recording's.</summary>
    public ReadOnlyMemory<byte>? GameInfo { get; }

    /// <summary>Serialized <c>ResponseData</c> that replaces that of the recording; null: use the recording's.</summary>
    public ReadOnlyMemory<byte>? GameData { get; }

    /// <param name="path">Recording, observations, or a folder of them.</param>
    /// <param name="gameInfo">File with the game info; null: the default file.</param>
    /// <param name="gameData">File with the game data; null: the default file.</param>
    /// <param name="cancellationToken">Cancels an import, opening, and later reading.</param>
    /// <exception cref="RecordingException">An input does not exist or cannot be read.</exception>
    /// <exception cref="IOException">A file cannot be read or written.</exception>
    public static EmulatorInput Open(string path, string? gameInfo, string? gameData, CancellationToken cancellationToken)
    {
        if (!Directory.Exists(path) && !IsObservations(path))
        {
            var reader = RecordingReader.Open(path, cancellationToken: cancellationToken);
            return new EmulatorInput(reader, null, Read(gameInfo), Read(gameData));
        }
        if (!Path.Exists(path)) throw new RecordingException($"there is no file {path}");
        var inputs = Directory.Exists(path) ? ImportInput.FromFolder(path) : [ImportInput.FromFile(path)];
        // The full path is needed: the parent of a folder given as "." is not part of the argument.
        var folder = Path.GetDirectoryName(Path.GetFullPath(inputs[0].Name))!;
        var options = new ImportOptions
        {
            StartTimeUnixNs = 0,
            MatchId = Path.GetFileName(folder),
            GameInfo = Read(gameInfo ?? Beside(folder, GameInfoName)),
            GameData = Read(gameData ?? Beside(folder, GameDataName) ?? Beside(Path.GetDirectoryName(folder), GameDataName)),
        };
        var temporary = Path.Combine(Path.GetTempPath(), $"abathur-emulate-{Guid.NewGuid():N}.mcap");
        try
        {
            RecordingImporter.Import(inputs, temporary, options, cancellationToken);
            cancellationToken.ThrowIfCancellationRequested();
            return new EmulatorInput(RecordingReader.Open(temporary, cancellationToken: cancellationToken), temporary, null, null);
        }
        catch
        {
            File.Delete(temporary);
            throw;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Recording.Dispose();
        if (_temporary is not null) File.Delete(_temporary);
    }

    private static bool IsObservations(string path)
    {
        var name = path.EndsWith(".zst", StringComparison.OrdinalIgnoreCase) ? path[..^4] : path;
        return ObservationEndings.Any(ending => name.EndsWith(ending, StringComparison.OrdinalIgnoreCase));
    }

    private static string? Beside(string? folder, string name) =>
        folder is not null && File.Exists(Path.Combine(folder, name)) ? Path.Combine(folder, name) : null;

    private static ReadOnlyMemory<byte>? Read(string? path)
    {
        if (path is null) return null;
        if (!File.Exists(path)) throw new RecordingException($"there is no file {path}");
        return File.ReadAllBytes(path);
    }
}
