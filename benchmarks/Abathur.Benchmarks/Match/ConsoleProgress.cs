using System.Diagnostics;
using Spectre.Console;

namespace Abathur.Benchmarks.Match;

/// <summary>A bar with the time left, drawn between timed sections: no thread of its own disturbs them. Silent where there is no
/// terminal.</summary>
internal sealed class ConsoleProgress : IMatchProgress
{
    private static readonly TimeSpan Refresh = TimeSpan.FromMilliseconds(250);
    private readonly ProgressContext? _context;
    private readonly ProgressTask? _task;
    private long _last;

    private ConsoleProgress(ProgressContext? context)
    {
        _context = context;
        _task = context?.AddTask("starting");
    }

    /// <summary>Runs something with a progress to report to.</summary>
    public static void Run(IAnsiConsole console, Action<IMatchProgress> run)
    {
        if (!console.Profile.Capabilities.Interactive)
        {
            run(new ConsoleProgress(null));
            return;
        }
        console.Progress()
            .AutoRefresh(false)
            .AutoClear(true)
            .Columns(new TaskDescriptionColumn(), new ProgressBarColumn(), new PercentageColumn(), new RemainingTimeColumn())
            .Start(context => run(new ConsoleProgress(context)));
    }

    public void Report(string what, double done, double total)
    {
        if (_task is null || (_last != 0 && Stopwatch.GetElapsedTime(_last) < Refresh)) return;
        _last = Stopwatch.GetTimestamp();
        _task.Description = Markup.Escape(what);
        _task.IsIndeterminate = total == 0;
        if (total > 0) (_task.MaxValue, _task.Value) = (total, done);
        _context!.Refresh();
    }
}
