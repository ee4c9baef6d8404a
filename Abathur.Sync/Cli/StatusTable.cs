using System.Globalization;
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

    /// <summary>Creates the table.</summary>
    /// <param name="place">Address of the daemon.</param>
    /// <param name="status">Its status.</param>
    /// <param name="before">The previous status, for rates; null: none.</param>
    /// <param name="elapsed">Time since the previous status.</param>
    public static IRenderable Create(string place, Status status, Status? before, TimeSpan elapsed)
    {
        var facts = new Grid().AddColumn(new GridColumn().NoWrap().PadRight(3)).AddColumn();
        Row(facts, "daemon", $"{place}, version {status.Process.Version}, up {Span(status.Process.Uptime.ToTimeSpan())}");
        Row(facts, "match", Match(status));
        if (status.Playback is { } playback) Row(facts, "playback", Playback(playback));
        Row(facts, "frames", Text($"{status.FramesPublished:N0} published, {status.FramesPerSecond:0.0} a second"));
        if (status.Recording is { } recording) Row(facts, "recording", Recording(recording));
        if (status.Actions is { } actions)
            Row(
                facts, "actions",
                Text($"{actions.Given:N0} given, {actions.Failed:N0} failed, {actions.Late:N0} late, {actions.Refused:N0} refused"));
        if (status.FrameBudget is { Bot: { } bot, Daemon: { } daemon } budget)
            Row(
                facts, "frame budget",
                Text($"bot {bot.MeanMs:0.0} ms, daemon {daemon.MeanMs:0.00} ms (mean); {budget.SkippedGameLoops:N0} game loops skipped"));
        Row(
            facts, "process",
            Text($"{status.Process.WorkingSetBytes / 1e6:0} MB (peak {status.Process.PeakWorkingSetBytes / 1e6:0}), ")
                + Cpu(status, before, elapsed));
        return new Rows(facts, new Text(""), Subscribers(status, before, elapsed));
    }

    private static IRenderable Subscribers(Status status, Status? before, TimeSpan elapsed)
    {
        if (status.Subscribers.Count == 0) return new Text("No subscribers.");
        var table = new Table().Border(TableBorder.Simple);
        foreach (var name in new[] { "subscriber", "by", "policy", "encoding" }) table.AddColumn(new TableColumn(name).NoWrap());
        foreach (var name in new[] { "frames", "dropped", "lag", "waiting", "Mbit/s" })
            table.AddColumn(new TableColumn(name).RightAligned().NoWrap());
        foreach (var each in status.Subscribers)
        {
            var dropped = each.FramesDropped == 0 ? new Text("0") : new Text(Text($"{each.FramesDropped:N0}"), new Style(Color.Yellow));
            table.AddRow(
                new Text(each.Name.Length > 0 ? each.Name : each.Peer),
                new Text(each.Transport),
                new Text(Name(each.Policy)),
                new Text(new PayloadFormat(each.Encoding, each.Compression).ToString()),
                new Text(Text($"{each.FramesSent:N0}")),
                dropped,
                new Text(Text($"{each.LagGameLoops}")),
                new Text(Text($"{each.FramesWaiting}")),
                new Text(Rate(each, before, elapsed)));
        }
        return table;
    }

    private static string Match(Status status) => status.Match is not { } match
        ? "none yet"
        : (match.MapName.Length > 0 ? match.MapName : "unknown map")
            + Text($", {Name(match.Source)}{(match.Simulated ? " (simulated)" : "")}, {match.TickHz:0.#} loops/s");

    private static string Playback(PlaybackState playback)
    {
        var rate = playback.Rate == 0 ? "unlimited" : Text($"{playback.Rate:0.##}x");
        return Text($"game loop {playback.GameLoop} of {playback.FirstGameLoop} to {playback.LastGameLoop}, ")
            + $"{rate}{(playback.Paused ? ", paused" : "")}{(playback.Loop ? ", looping" : "")}";
    }

    private static string Recording(RecordingStatus recording) => recording.Error.Length > 0
        ? $"failed: {recording.Error}"
        : Text($"{recording.Path}: {recording.Frames:N0} frames")
            + (recording.FramesMissed > 0 ? Text($", {recording.FramesMissed:N0} missed") : "");

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

    private static void Row(Grid grid, string name, string value) => grid.AddRow(new Text(name, new Style(Color.Grey)), new Text(value));

    private static string Span(TimeSpan span) => span.ToString(span.TotalDays >= 1 ? @"d\.hh\:mm\:ss" : @"h\:mm\:ss", Culture);

    private static string Name<T>(T value)
        where T : struct, System.Enum => value.ToString().ToLowerInvariant();

    private static string Text(FormattableString text) => text.ToString(Culture);
}
