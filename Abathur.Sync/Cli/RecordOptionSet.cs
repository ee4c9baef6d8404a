using System.CommandLine;
using Abathur.Recordings;
using Abathur.Recordings.Files;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Matches.Recording;

namespace Abathur.Sync.Cli;

/// <summary>The options of every command that can record the match that it publishes.</summary>
internal sealed class RecordOptionSet
{
    private const int MinChunkBytes = 1024;
    private const int MaxChunkBytes = 256 * 1024 * 1024;

    private readonly Option<string?> _output = new("--output", "-o")
    {
        Description = "Record the match (MCAP) into this file, further ones into FILE-2, FILE-3, ...; or each into a file of this folder.",
        HelpName = "FILE|FOLDER",
    };

    private readonly Option<string?> _pattern = new("--output-name")
    {
        Description = $"Name of the files in a folder, with {{start}}, {{map}}, {{players}}, {{match_id}} or {{n}}. Default: "
            + $"{RecordingNames.DefaultPattern}.",
        HelpName = "PATTERN",
    };

    private readonly Option<int> _chunkSize = new("--chunk-size")
    {
        Description = "Bytes of a chunk of the recording before compression. A killed process loses at most one chunk. Smaller chunks "
            + "compress worse.",
        DefaultValueFactory = _ => new RecordingOptions().ChunkSizeBytes,
        HelpName = "BYTES",
    };

    private readonly Option<bool> _compact = CreateCompact();

    private readonly Option<bool> _force = new("--force", "-f") { Description = "Replace the recording if it exists." };

    public void AddTo(Command command)
    {
        _chunkSize.Must(
            bytes => bytes is >= MinChunkBytes and <= MaxChunkBytes, $"--chunk-size must be {MinChunkBytes} to {MaxChunkBytes} bytes.");
        _pattern.Validators.Add(result =>
        {
            if (result.Tokens is [var pattern] && RecordingNames.Problem(pattern.Value) is { } problem)
                result.AddError($"--output-name: {problem}.");
        });
        command.Validators.Add(result =>
        {
            if (result.GetValue(_pattern) is not null && (result.GetValue(_output) is not { } path || !RecordingNames.IsFolder(path)))
                result.AddError("--output-name needs -o FOLDER: a folder that exists, or a path that ends as one.");
        });
        command.AddGroup("Recording", _output, _pattern, _force, _compact, _chunkSize);
    }

    /// <summary><c>--compact</c>, also of commands that write a recording without a match.</summary>
    public static Option<bool> CreateCompact() => new("--compact")
    {
        Description = "Store the observations as columns: less than half the size, but public MCAP tools cannot read them",
    };

    /// <summary>The recordings of the matches; null if the options request none. The caller disposes them.</summary>
    public MatchRecordings? Create(ParseResult result) => result.GetValue(_output) is { } path
        ? new MatchRecordings(
            RecordingNames.For(path, result.GetValue(_pattern)),
            new OutputOptions
            {
                Overwrite = result.GetValue(_force),
                OnKilledRun = killed => LogMessages.UnfinishedRecordingFound(ProgramLog.Logger, RecoverCommandLine.Describe(killed)),
            },
            new RecordingOptions { ChunkSizeBytes = result.GetValue(_chunkSize), Compact = result.GetValue(_compact) },
            ProgramLog.Logger,
            TimeProvider.System)
        : null;
}
