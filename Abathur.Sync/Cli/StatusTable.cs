using System.Globalization;
using Abathur.Sync.Diagnostics;
using Abathur.Sync.Frames;
using Abathur.Sync.V1;
using Spectre.Console;
using Spectre.Console.Rendering;
using Status = Abathur.Sync.V1.Status;

namespace Abathur.Sync.Cli;

/// <summary>The status of a daemon as text.</summary>
internal static class StatusTable
{
    private static readonly CultureInfo Culture = CultureInfo.InvariantCulture;

    private const int LabelWidth = 12, LabelPadding = 3;

    /// <summary>Creates the table.</summary>
    /// <param name="place">Address of the daemon.</param>
    /// <param name="status">Its status.</param>
    /// <param name="before">The previous status, for rates; null: none.</param>
    /// <param name="elapsed">Time since the previous status.</param>
    /// <param name="width">Columns of the terminal: what does not fit is omitted, so that no line wraps.</param>
    public static IRenderable Create(string place, Status status, Status? before, TimeSpan elapsed, int width)
    {
        var facts = new Grid().AddColumn(new GridColumn().NoWrap().Width(LabelWidth).PadRight(LabelPadding))
            .AddColumn(new GridColumn().NoWrap().PadRight(0));
        Row("daemon", place, $"version {status.Process.Version}", $"up {Span(status.Process.Uptime.ToTimeSpan())}");
        Row("match", Match(status));
        if (status.Playback is { } playback) Row("playback", Playback(playback));
        Row("frames", Text($"{status.FramesPublished:N0} published"), Text($"{status.FramesPerSecond:0.0} a second"));
        if (status.Recording is { } recording) Row("recording", Recording(recording));
        if (status.Actions is { } actions)
            Row(
                "actions", Text($"{actions.Given:N0} given"), Text($"{actions.Failed:N0} failed"), Text($"{actions.Late:N0} late"),
                Text($"{actions.Refused:N0} refused"));
        if (status.FrameBudget is { Bot: { } bot, Daemon: { } daemon } budget)
            Row(
                "frame budget", Text($"bot {bot.MeanMs:0.0} ms"), Text($"daemon {daemon.MeanMs:0.00} ms (mean)"),
                Text($"{budget.SkippedGameLoops:N0} game loops skipped"));
        // A client that sees the match later is not told.
        if (status.Process.CpuTime is not null)
            Row(
                "process",
                Text($"{status.Process.WorkingSetBytes / 1e6:0} MB (peak {status.Process.PeakWorkingSetBytes / 1e6:0})"),
                Cpu(status, before, elapsed));
        return new Rows(facts, new Text(""), Subscribers(status, before, elapsed, width));

        void Row(string name, params string[] parts)
        {
            var value = FittingText.JoinInOrder(
                ", ", Math.Max(width - LabelWidth - LabelPadding, 1), [.. parts.Select(PrintableText.Escape)]);
            facts.AddRow(new Text(name, new Style(Color.Grey)), new Text(value));
        }
    }

    private static IRenderable Subscribers(Status status, Status? before, TimeSpan elapsed, int width)
    {
        if (status.Subscribers.Count == 0) return new Text("No subscribers.");
        StatusColumn[] columns =
        [
            new("subscriber", each => each.Name.Length > 0 ? each.Name : each.Peer, Keep: 8, IsText: true),
            new("by", each => each.Transport, Keep: 0, IsText: true),
            new("policy", each => Name(each.Policy), Keep: 5, IsText: true),
            new("encoding", each => new PayloadFormat(each.Encoding, each.Compression).ToString(), Keep: 3, IsText: true),
            new("frames", each => Text($"{each.FramesSent:N0}"), Keep: 6),
            new("dropped", each => Text($"{each.FramesDropped:N0}"), Keep: 7, IsWarning: each => each.FramesDropped > 0),
            new("lag", each => Text($"{each.LagGameLoops}"), Keep: 4),
            new("waiting", each => Text($"{each.FramesWaiting}"), Keep: 1),
            new("Mbit/s", each => Rate(each, before, elapsed), Keep: 2),
        ];
        var kept = columns.ToList();
        while (kept.Count > 1 && WidthOf(kept, status.Subscribers) > width) kept.Remove(kept.MinBy(column => column.Keep)!);

        var table = new Table().Border(TableBorder.Simple);
        foreach (var column in kept)
        {
            var heading = new TableColumn(column.Heading).NoWrap();
            table.AddColumn(column.IsText ? heading : heading.RightAligned());
        }
        foreach (var each in status.Subscribers)
        {
            table.AddRow(kept.Select(column => new Text(
                FittingText.Shorten(column.Text(each), width - StatusColumn.EdgesWidth),
                column.IsWarning?.Invoke(each) == true ? new Style(Color.Yellow) : Style.Plain)));
        }
        return table;
    }

    private static int WidthOf(IEnumerable<StatusColumn> columns, IEnumerable<SubscriberStatus> subscribers) => columns.Sum(
        column => StatusColumn.PaddingWidth + subscribers.Select(column.Text).Append(column.Heading).Max(text => text.Length))
            + StatusColumn.EdgesWidth - StatusColumn.PaddingWidth;

    private static string[] Match(Status status) => status.Match is not { } match
        ? ["none yet"]
        : [
            match.MapName.Length > 0 ? match.MapName : "unknown map",
            $"{Name(match.Source)}{(match.Simulated ? " (simulated)" : "")}",
            Text($"{match.TickHz:0.#} loops/s"),
        ];

    private static string[] Playback(PlaybackState playback) =>
    [
        Text($"game loop {playback.GameLoop} of {playback.FirstGameLoop} to {playback.LastGameLoop}"),
        playback.Rate == 0 ? "unlimited" : Text($"{playback.Rate:0.##}x"),
        playback.Paused ? "paused" : "",
        playback.Loop ? "looping" : "",
    ];

    private static string[] Recording(RecordingStatus recording) => recording.Error.Length > 0
        ? [$"failed: {recording.Error}"]
        : [
            Text($"{recording.Frames:N0} frames"),
            recording.FramesDropped > 0 ? Text($"{recording.FramesDropped:N0} dropped") : "",
            Path.GetFileName(recording.Path),
        ];

    private static string Rate(SubscriberStatus now, Status? before, TimeSpan elapsed)
    {
        if (before?.Subscribers.FirstOrDefault(each => each.Id == now.Id) is not { } then || elapsed <= TimeSpan.Zero) return "";
        return Text($"{(now.BytesSent - then.BytesSent) * 8 / 1e6 / elapsed.TotalSeconds:0.00}");
    }

    private static string Cpu(Status now, Status? before, TimeSpan elapsed)
    {
        if (before is null || elapsed <= TimeSpan.Zero) return $"CPU time {Span(now.Process.CpuTime.ToTimeSpan())}";
        var used = now.Process.CpuTime.ToTimeSpan() - before.Process.CpuTime.ToTimeSpan();
        return Text($"CPU {100 * used / elapsed:0.0} %");
    }

    private static string Span(TimeSpan span) => span.ToString(span.TotalDays >= 1 ? @"d\.hh\:mm\:ss" : @"h\:mm\:ss", Culture);

    private static string Name<T>(T value)
        where T : struct, System.Enum => value.ToString().ToLowerInvariant();

    private static string Text(FormattableString text) => text.ToString(Culture);

    /// <summary>A column of the table of subscribers.</summary>
    /// <param name="Heading">Its heading.</param>
    /// <param name="Cell">Its text for a subscriber.</param>
    /// <param name="Keep">How long it stays as the terminal gets narrower: the column with the lowest number goes first.</param>
    /// <param name="IsText">Whether it is aligned to the left.</param>
    /// <param name="IsWarning">Whether its text is to be noticed.</param>
    private sealed record StatusColumn(
        string Heading, Func<SubscriberStatus, string> Cell, int Keep, bool IsText = false, Func<SubscriberStatus, bool>? IsWarning = null)
    {
        /// <summary>Of the table's border: a space on each side of a column and one between two; the edges have one more each.</summary>
        public const int PaddingWidth = 3, EdgesWidth = 4;

        /// <summary>The text of the cell as it is shown: names are those of clients.</summary>
        public string Text(SubscriberStatus subscriber) => PrintableText.Escape(Cell(subscriber));
    }
}
