using System.Globalization;
using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Cli;

/// <summary>
/// One line on the terminal that shows how far a long command is: a bar, the rate and the time left, both from the work done so far.
/// Where lines cannot be updated, nothing is shown.
/// </summary>
/// <remarks>Drawn when progress is reported, at most ten times a second, and removed when it is disposed. Not thread-safe.</remarks>
internal sealed class ProgressLine : IProgress<long>, IDisposable
{
    private const int MinBarCells = 10, MaxBarCells = 40;
    private const string Separator = "  ";
    // The first moments, in which the program starts, say nothing about the rest.
    private static readonly TimeSpan MinTimeOfEstimate = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Refresh = TimeSpan.FromMilliseconds(100);

    private readonly TextWriter? _terminal;
    private readonly string _what;
    private readonly string? _unit;
    private readonly long? _total;
    private readonly TimeProvider _time;
    private readonly long _started;
    private long _drawn;
    private bool _isDrawn;

    /// <param name="terminal">Where to draw; null: nowhere.</param>
    /// <param name="what">The command.</param>
    /// <param name="unit">What is counted: "frames"; null: bytes.</param>
    /// <param name="total">All of it; null: not known.</param>
    /// <param name="time">The clock.</param>
    public ProgressLine(TextWriter? terminal, string what, string? unit, long? total, TimeProvider time)
    {
        (_terminal, _what, _unit, _total, _time) = (terminal, what, unit, total, time);
        _started = _drawn = time.GetTimestamp();
    }

    /// <summary>Shows the progress on standard error, if that is a terminal.</summary>
    public static ProgressLine Start(string what, string? unit, long? total) =>
        new(Terminal.CanUpdateLines && !ProgramLog.IsQuiet ? Console.Error : null, what, unit, total, TimeProvider.System);

    /// <param name="done">Bytes or other units done.</param>
    public void Report(long done)
    {
        if (_terminal is null || _time.GetElapsedTime(_drawn) < Refresh) return;
        (_drawn, _isDrawn) = (_time.GetTimestamp(), true);
        Terminal.UpdateLine(_terminal, Line(_what, _unit, done, _total, _time.GetElapsedTime(_started), Terminal.Width - 1));
    }

    /// <summary>Removes the line.</summary>
    public void Dispose()
    {
        if (_isDrawn) Terminal.UpdateLine(_terminal!, "");
        _isDrawn = false;
    }

    /// <summary>The line, of at most this width: without the bar, then without the rate, the command and the time left, if it is
    /// narrow.</summary>
    public static string Line(string what, string? unit, long done, long? total, TimeSpan elapsed, int width)
    {
        var perSecond = done / Math.Max(elapsed.TotalSeconds, 1e-3);
        var rate = $"{Amount(perSecond, unit)}/s";
        if (total is not > 0) return FittingText.Join(Separator, width, (what, 1), (Amount(done, unit), 2), (rate, 0));

        var share = Math.Min(done / (double)total, 1);
        var left = TimeSpan.FromSeconds(Math.Min((total.Value - done) / Math.Max(perSecond, 1e-3), TimeSpan.FromDays(9).TotalSeconds));
        var percent = Text($"{share,5:0 %}");
        var clock = left.TotalHours >= 1 ? Text($"{Math.Floor(left.TotalHours):0}:{left:mm\\:ss}") : Text($"{left:m\\:ss}");
        var time = elapsed < MinTimeOfEstimate ? "" : $"{clock} left";
        var parts = FittingText.Join(Separator, width, (what, 1), (percent, 3), (rate, 0), (time, 2));
        var cells = Math.Min(width - parts.Length - 3, MaxBarCells);
        if (cells < MinBarCells || !parts.StartsWith(what, StringComparison.Ordinal)) return parts;
        var full = (int)(share * cells);
        return $"{what} [{new string('#', full)}{new string('-', cells - full)}]{parts[what.Length..]}";
    }

    private static string Amount(double count, string? unit) => (unit, count) switch
    {
        (null, < 1e6) => Text($"{count / 1e3:0} kB"),
        (null, < 1e9) => Text($"{count / 1e6:0.0} MB"),
        (null, _) => Text($"{count / 1e9:0.00} GB"),
        (_, < 10) => Text($"{count:0.0} {unit}"),
        _ => Text($"{count:N0} {unit}"),
    };

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
