using System.CommandLine;
using System.Globalization;
using Abathur.Client;
using Abathur.Recordings;
using Abathur.Sync.Diagnostics;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Abathur.Sync.Cli;

/// <summary><c>abathur-sync info FILE [--json]</c></summary>
internal static class InfoCommand
{
    private const int WidthOfPipe = 120;

    public static Command Create()
    {
        var file = new Argument<string>("file") { Description = "The recording.", HelpName = "FILE" }.OrSample();
        var json = JsonOutput.CreateOption();
        var command = new Command("info", "Show what a recording contains") { file, json };
        command.SetAction((parsed, cancellationToken) => Task.Run(
            () => Run(SampleRecording.Of(parsed, file), parsed.GetValue(json), parsed.InvocationConfiguration.Output, cancellationToken),
            CancellationToken.None));
        return command;
    }

    private static int Run(string file, bool json, TextWriter output, CancellationToken cancellationToken)
    {
        if (!File.Exists(file) && HostPort.Parse(file) is not null)
            throw new CliException($"there is no file {file}; `{ProgramName.Current} status` shows a running daemon", ExitCode.BadInput);
        using var recording = RecordingReader.Open(file, cancellationToken: cancellationToken);
        var summary = RecordingSummary.Of(file, recording);
        if (json) JsonOutput.Write(output, summary);
        else ConsoleText.Write(output, WidthOfPipe, _ => ToText(summary));
        return ExitCode.Ok;
    }

    private static Rows ToText(RecordingSummary summary)
    {
        var match = summary.Match;
        var facts = new Grid().AddColumn(new GridColumn().NoWrap().PadRight(3)).AddColumn();
        Row(facts, "match", match.MatchId + (match.Simulated ? "  (simulated)" : ""));
        if (match.GroupId.Length > 0) Row(facts, "group", $"{match.GroupId}  (the same in the other player's recording)");
        Row(facts, "map", OrUnknown(match.MapName));
        Row(facts, "player", match.PlayerId == 0 ? "unknown" : Number(match.PlayerId));
        Row(
            facts, "game",
            $"{OrUnknown(match.GameVersion)}, {match.TickHz.ToString(CultureInfo.InvariantCulture)} loops/s, source "
                + $"{OrUnknown(match.Source)}");
        Row(facts, "frames", Number(summary.Frames));
        if (summary.Frames > 0) Row(facts, "game loops", $"{Number(summary.FirstGameLoop)} to {Number(summary.LastGameLoop)}");
        if (summary.FirstFrameUnits is { Count: > 0 } units)
        {
            var byType = string.Join(", ", units.OrderByDescending(each => each.Value).Select(each => $"{Number(each.Value)} {each.Key}"));
            Row(facts, "first frame", $"{Number(units.Values.Sum())} units: {byType}");
        }
        Row(facts, "duration", TimeSpan.FromSeconds(summary.DurationSeconds).ToString(@"h\:mm\:ss\.f", CultureInfo.InvariantCulture));
        Row(facts, "recorded", Time(summary.StartTimeNs));
        Row(facts, "size", $"{Size(summary.FileBytes)}, {Number((long)summary.BytesPerFrame)} bytes a frame");
        Row(
            facts, "chunks",
            $"{Number(summary.Chunks)}, {string.Join(" and ", summary.Compression)}, "
                + $"{summary.CompressionRatio.ToString("0.#", CultureInfo.InvariantCulture)} : 1, largest "
                    + $"{Size((long)summary.LargestChunkBytes)}");
        foreach (var (key, value) in summary.Metadata) Row(facts, key, value);
        Row(facts, "game info", summary.GameInfoBytes == 0 ? "none" : Size(summary.GameInfoBytes));
        Row(facts, "game data", summary.GameDataBytes == 0 ? "none" : Size(summary.GameDataBytes));

        var channels = new Table()
            .Border(TableBorder.Rounded)
            .AddColumn("topic")
            .AddColumn("schema")
            .AddColumn(new TableColumn("messages").RightAligned());
        foreach (var channel in summary.Channels)
            channels.AddRow(Plain(channel.Topic), Plain(channel.Schema), Number((long)channel.Messages));

        var rows = new List<IRenderable> { new Markup($"[bold]{Plain(summary.File)}[/]") };
        if (summary.Damage is { } damage)
            rows.Add(new Markup($"[yellow]not complete: {Plain(damage)}; `{ProgramName.Current} recover` makes a proper file of it[/]"));
        return new Rows([.. rows, facts, channels]);
    }

    private static void Row(Grid grid, string name, string value) => grid.AddRow($"[grey]{Plain(name)}[/]", Plain(value));

    /// <summary>Text that is not markup, from a file that others may have written.</summary>
    private static string Plain(string text) => Markup.Escape(PrintableText.Escape(text));

    private static string OrUnknown(string text) => text.Length == 0 ? "unknown" : text;

    private static string Number(long value) => value.ToString("N0", CultureInfo.InvariantCulture);

    private static string Time(ulong unixNs) =>
        DateTimeOffset.UnixEpoch.AddTicks((long)Math.Min(unixNs / 100, (ulong)TimeSpan.TicksPerDay * 365 * 7000))
            .ToString("yyyy-MM-dd HH:mm:ss 'UTC'", CultureInfo.InvariantCulture);

    private static string Size(long bytes) => bytes switch
    {
        < 10_000 => $"{Number(bytes)} bytes",
        < 1_000_000 => string.Create(CultureInfo.InvariantCulture, $"{bytes / 1e3:0.0} kB"),
        _ => string.Create(CultureInfo.InvariantCulture, $"{bytes / 1e6:0.0} MB"),
    };
}
