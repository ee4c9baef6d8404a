using System.CommandLine;

namespace Abathur.Sync.Cli;

/// <summary><c>--stop-with-parent</c>, of every command that runs until it is told to stop.</summary>
internal sealed class StopWithParentOption
{
    public Option<bool> Option { get; } = new("--stop-with-parent")
    {
        Description = "Stop when standard input is closed: for programs that start the daemon and hold the other end.",
    };

    /// <summary>Starts to listen for the signals that stop the command. The caller disposes it.</summary>
    public StopSignals Listen(ParseResult result, CancellationToken interrupted) => new(result.GetValue(Option), interrupted);
}
