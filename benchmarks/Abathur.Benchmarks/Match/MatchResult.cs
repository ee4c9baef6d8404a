using System.Text.Json.Nodes;

namespace Abathur.Benchmarks.Match;

/// <summary>A match run as JSON: the format that <c>abathur bench</c> writes, too, and that the report reads.</summary>
/// <remarks>Times are in nanoseconds, sizes in bytes. What does not exist (the encoding of a row that only reads; a codec that failed its
/// check) is null.</remarks>
internal static class MatchResult
{
    /// <summary>Milliseconds of one game loop at 22.4 Hz, as ns.</summary>
    public const double TickNs = 1e9 / 22.4;

    private const int MaxSeriesPoints = 400;

    /// <summary>The whole result.</summary>
    public static JsonObject ToJson(
        MatchOptions options, RecordedFrames frames, MatchRunner runner, IEnumerable<CodecRun> runs, JsonObject environment)
    {
        var result = new JsonObject
        {
            ["environment"] = environment,
            ["recording"] = new JsonObject
            {
                ["file"] = frames.FileName,
                ["frames"] = frames.Count,
                ["bytes"] = frames.FileBytes,
                ["simulated"] = frames.Match.Simulated,
            },
            ["frames"] = runner.FrameCount,
            ["rounds"] = options.Rounds,
            ["seed"] = options.Seed,
            ["trim"] = Statistics.Trim,
            ["language"] = "csharp",
            ["interrupted"] = runner.Interrupted,
            ["codecs"] = new JsonObject(runs.Select(run => KeyValuePair.Create(run.Name, (JsonNode?)ToJson(run)))),
        };
        return result;
    }

    private static JsonObject ToJson(CodecRun run)
    {
        var (encode, decode) = (run.Encode, run.Decode);
        var meanBytes = run.Bytes.Count == 0 ? 0 : run.Bytes.Values.Average();
        return new JsonObject
        {
            ["label"] = run.Codec.Label,
            ["footnotes"] = ToJson(run.Codec.Footnotes),
            ["cannot_carry"] = ToJson(CannotCarry(run)),
            ["error"] = run.Failure,
            ["frames"] = run.Failure is null ? run.Frames.Count : 0,
            ["samples"] = run.Samples,
            ["encode_ns"] = ToJson(encode),
            ["decode_ns"] = ToJson(decode),
            ["decode_touch_ns"] = ToJson(run.DecodeTouch),
            ["bytes"] = run.Bytes.Count == 0
                ? null
                : new JsonObject { ["min"] = run.Bytes.Values.Min(), ["mean"] = meanBytes, ["max"] = run.Bytes.Values.Max() },
            ["keyframes"] = run.Keyframes.Count == 0
                ? null
                : new JsonObject { ["frames"] = run.Keyframes.Count, ["bytes"] = run.Keyframes.Average() },
            ["bytes_series"] = Series(run.Bytes),
            ["mbit_per_second"] = run.Bytes.Count == 0
                ? null
                : new JsonObject { ["16"] = meanBytes * 8 * 16 / 1e6, ["22.4"] = meanBytes * 8 * 22.4 / 1e6 },
            ["frames_per_second"] = new JsonObject { ["encode"] = 1e9 / encode?.TrimmedMean, ["decode"] = 1e9 / decode?.TrimmedMean },
            ["tick_share"] = new JsonObject { ["encode"] = encode?.TrimmedMean / TickNs, ["decode"] = decode?.TrimmedMean / TickNs },
            ["allocated_bytes"] = PerFrame(run.EncodeAllocated + run.DecodeAllocated, run.Samples),
            ["allocated_bytes_encode"] = PerFrame(run.EncodeAllocated, run.Samples),
            ["allocated_bytes_decode"] = PerFrame(run.DecodeAllocated, run.Samples),
            ["peak_memory_bytes"] = null,
        };
    }

    private static JsonObject? ToJson(Statistics? statistics) => statistics is null ? null : new JsonObject
    {
        ["trimmed_mean"] = statistics.TrimmedMean,
        ["min"] = statistics.Min,
        ["p50"] = statistics.Percentile(50),
        ["p90"] = statistics.Percentile(90),
        ["p99"] = statistics.Percentile(99),
        ["p99_9"] = statistics.Percentile(99.9),
        ["max"] = statistics.Max,
        ["rounds"] = new JsonArray([.. statistics.Rounds.Select(each => (JsonNode)each)]),
        ["quantiles"] = new JsonArray([.. Statistics.QuantilePercentages.Select(each => new JsonArray(each, statistics.Percentile(each)))]),
    };

    private static JsonArray ToJson(IEnumerable<string> lines) => new([.. lines.Select(line => (JsonNode)line)]);

    /// <summary>What the format leaves out, as its class says and as the check has found.</summary>
    public static IEnumerable<string> CannotCarry(CodecRun run)
    {
        foreach (var line in run.Codec.CannotCarry) yield return line;
        if (run.FramesWithoutUnknownFields > 0)
            yield return $"unknown fields of a newer game: {run.FramesWithoutUnknownFields} of {run.Bytes.Count} frames came back "
                + "without them";
    }

    private static JsonArray Series(SortedDictionary<int, int> bytes)
    {
        var points = bytes.ToArray();
        return new(
            [.. RecordedFrames.EvenlySpaced(points.Length, MaxSeriesPoints).Select(i => new JsonArray(points[i].Key, points[i].Value))]);
    }

    private static double? PerFrame(long bytes, int samples) => samples == 0 ? null : (double)bytes / samples;
}
