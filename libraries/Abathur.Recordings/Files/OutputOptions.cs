namespace Abathur.Recordings.Files;

/// <summary>How an <see cref="OutputFile"/> treats existing files.</summary>
public sealed record OutputOptions
{
    /// <summary>Whether an existing file is replaced. Default: false.</summary>
    public bool Overwrite { get; init; }

    /// <summary>Paths of the inputs, none of which may be the output. <c>-</c> (standard input) is ignored. Default: empty.</summary>
    public IReadOnlyCollection<string> Inputs { get; init; } = [];

    /// <summary>Bytes of the stream's buffer; 0, the default: unbuffered.</summary>
    public int BufferBytes { get; init; }

    /// <summary>Called for each unfinished file of a killed run that was renamed. Default: none.</summary>
    public Action<KilledRun>? OnKilledRun { get; init; }
}
