namespace Abathur.Recordings.Files;

/// <summary>How an <see cref="OutputFile"/> treats what is there.</summary>
public sealed record OutputOptions
{
    /// <summary>Whether a file at the place is replaced. Default: false.</summary>
    public bool Overwrite { get; init; }

    /// <summary>Paths of the inputs, none of which may be the output. <c>-</c> (standard input) is ignored. Default: empty.</summary>
    public IReadOnlyCollection<string> Inputs { get; init; } = [];

    /// <summary>Bytes of the stream's buffer; 0, the default: each write goes to the operating system.</summary>
    public int BufferBytes { get; init; }

    /// <summary>Told of each unfinished file of a killed run that was renamed. Default: nobody is told.</summary>
    public Action<KilledRun>? OnKilledRun { get; init; }
}
