using System.CommandLine;

namespace Abathur.Sync.Cli;

/// <summary><c>--stop-with-parent</c>, of every verb that runs until it is told to stop.</summary>
internal sealed class StopWithParentOption
{
    private readonly Option<bool> _option = new("--stop-with-parent")
    {
        Description = "Stop when standard input is closed: for programs that start the daemon and hold the other end.",
    };

    public void AddTo(Command command) => command.Add(_option);

    /// <summary>Starts to wait for the end of standard input, where that is asked for; then cancels <paramref name="stop"/>.</summary>
    public void Watch(ParseResult result, CancellationTokenSource stop)
    {
        if (!result.GetValue(_option)) return;
        // A thread of its own: reading standard input cannot be cancelled, and must not keep the process alive.
        new Thread(() =>
        {
            while (Console.In.Read() >= 0)
            {
                // What is said there does not matter.
            }
            try
            {
                stop.Cancel();
            }
            catch (ObjectDisposedException)
            {
                // It is over already.
            }
        })
        { IsBackground = true, Name = "standard input" }.Start();
    }
}
