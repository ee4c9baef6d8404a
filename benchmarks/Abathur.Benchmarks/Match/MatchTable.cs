using System.Globalization;
using Spectre.Console;

namespace Abathur.Benchmarks.Match;

/// <summary>A match run as a table for people.</summary>
internal static class MatchTable
{
    /// <summary>Writes the table, and what does not fit into it below.</summary>
    public static void Write(IAnsiConsole console, MatchRunner runner, IReadOnlyList<CodecRun> runs)
    {
        var table = new Table().Border(TableBorder.Simple);
        foreach (var heading in (string[])[
            "codec", "frames", "encode ms", "p99", "decode ms", "p99", "+ touch ms", "KB/frame", "Mbit/s at 22.4 Hz", "alloc KB",
        ])
            table.AddColumn(
                new TableColumn(heading) { Alignment = heading == "codec" ? Justify.Left : Justify.Right, NoWrap = heading == "codec" });
        foreach (var run in runs.Where(run => run.Samples > 0))
        {
            var bytes = run.Bytes.Values.Average();
            table.AddRow(
                Markup.Escape(run.Name),
                run.Frames.Count.ToString(CultureInfo.InvariantCulture),
                Milliseconds(run.Encode?.TrimmedMean),
                Milliseconds(run.Encode?.Percentile(99)),
                Milliseconds(run.Decode?.TrimmedMean),
                Milliseconds(run.Decode?.Percentile(99)),
                Milliseconds(run.DecodeTouch?.TrimmedMean),
                Number(bytes / 1e3, bytes < 10_000 ? "0.00" : "0.0"),
                Number(bytes * 8 * 22.4 / 1e6, bytes < 10_000 ? "0.00" : "0.0"),
                Number((run.EncodeAllocated + run.DecodeAllocated) / 1e3 / run.Samples));
        }
        console.Write(table);
        console.WriteLine(
            "Times of single operations: mean of the middle half (25 % dropped at each end), and 99th percentile. 1 KB is 1000 bytes.");
        foreach (var run in runs)
        {
            if (run.Failure is not null) console.WriteLine($"{run.Name} was not timed: {run.Failure}");
            foreach (var line in MatchResult.CannotCarry(run)) console.WriteLine($"{run.Name} does not carry {line}");
        }
        if (runner.Interrupted) console.WriteLine("Interrupted: the results so far.");
    }

    private static string Milliseconds(double? nanoseconds) => nanoseconds is { } ns ? Number(ns / 1e6, "0.000") : "-";

    private static string Number(double value, string format = "0.0") => value.ToString(format, CultureInfo.InvariantCulture);
}
