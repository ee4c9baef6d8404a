using System.Globalization;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Matches;
using Abathur.Sync.V1;

namespace Abathur.Sync.Cli;

/// <summary>
/// The terminal view of a playback: one status line that is kept up to date, and the keys space (pause), → (step), ↑ and ↓ (rate),
/// q (quit). Without a terminal, nothing is shown or read.
/// </summary>
internal sealed class PlaybackView : IAsyncDisposable
{
    private static readonly TimeSpan Refresh = TimeSpan.FromMilliseconds(200);
    private static readonly double[] Rates = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 64, 0];
    private readonly IPlaybackControl _control;
    private readonly MatchRun _run;
    private readonly StopSignals _stop;
    private readonly CancellationTokenSource _closed = new();
    private readonly Task _showing;

    private PlaybackView(IPlaybackControl control, MatchRun run, StopSignals stop)
    {
        _control = control;
        _run = run;
        _stop = stop;
        _showing = !Terminal.CanUpdateLines || Console.IsInputRedirected || ProgramLog.IsJson ? Task.CompletedTask : Task.Run(ShowAsync);
    }

    /// <summary>Shows the view until it is disposed. The key q stops the match.</summary>
    public static PlaybackView Start(IPlaybackControl control, MatchRun run, StopSignals stop) => new(control, run, stop);

    public async ValueTask DisposeAsync()
    {
        await _closed.CancelAsync();
        await _showing;
        _closed.Dispose();
    }

    private async Task ShowAsync()
    {
        Console.Error.WriteLine(FittingText.JoinInOrder("   ", Terminal.Width - 1, "space: pause", "q: quit", "→: step", "↑ ↓: rate"));
        try
        {
            while (true)
            {
                while (Console.KeyAvailable) await PressAsync(Console.ReadKey(intercept: true).Key);
                Show();
                await Task.Delay(Refresh, _closed.Token);
            }
        }
        catch (OperationCanceledException)
        {
            Show();
            Console.Error.WriteLine();
        }
        catch (InvalidOperationException)
        {
            // The terminal was closed: play on without a view.
        }
    }

    private async Task PressAsync(ConsoleKey key)
    {
        var state = _control.State;
        ControlRequest? request = key switch
        {
            ConsoleKey.Spacebar when state.Paused => new() { Resume = new() },
            ConsoleKey.Spacebar => new() { Pause = new() },
            ConsoleKey.RightArrow => new() { Step = new() },
            ConsoleKey.UpArrow => new() { SetRate = new() { Rate = Next(state.Rate, 1) } },
            ConsoleKey.DownArrow => new() { SetRate = new() { Rate = Next(state.Rate, -1) } },
            _ => null,
        };
        if (key == ConsoleKey.Q) _stop.Stop();
        if (request is null) return;
        try
        {
            await _control.ControlAsync(request, _closed.Token);
        }
        catch (PlaybackException)
        {
            // The playback ended while the key was pressed.
        }
    }

    private void Show()
    {
        var status = new Status();
        _run.Describe(status);
        Terminal.UpdateLine(Console.Error, Line(_control.State, status, Terminal.Width - 1));
    }

    /// <summary>The status line, of at most this width.</summary>
    public static string Line(PlaybackState state, Status status, int width)
    {
        var rate = state.Rate == 0 ? "unlimited" : Text($"×{state.Rate:0.##}");
        var dropped = status.Subscribers.Aggregate(0UL, (sum, each) => sum + each.FramesDropped);
        // Some terminals draw the symbol in two columns.
        return FittingText.Join(
            "   ", width - 1,
            (Text($"{(state.Paused ? "⏸" : "▶")} loop {state.GameLoop,6} / {state.LastGameLoop}"), 3),
            (Text($"{status.FramesPerSecond,5:0} frames/s ({rate})"), 1),
            (Text($"{status.Subscribers.Count} agents"), 0),
            (Text($"{dropped} dropped"), 2));
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private static double Next(double rate, int direction)
    {
        var index = Array.FindIndex(Rates, each => each == rate);
        if (index < 0) index = Array.FindLastIndex(Rates, each => each != 0 && each <= rate);
        return Rates[Math.Clamp(index + direction, 0, Rates.Length - 1)];
    }
}
