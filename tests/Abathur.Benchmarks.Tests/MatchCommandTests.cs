using System.Text.Json.Nodes;
using Abathur.Benchmarks.Codecs;
using Abathur.Benchmarks.Match;
using Abathur.Sync.Frames;

namespace Abathur.Benchmarks.Tests;

public sealed class MatchCommandTests : IDisposable
{
    private static readonly string[] StatisticNames = ["trimmed_mean", "min", "p50", "p90", "p99", "p99_9", "max"];
    private readonly string _folder = Directory.CreateTempSubdirectory("match-").FullName;

    private string Json => Path.Combine(_folder, "out.json");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Match_Skirmish_WritesTheDocumentedResult()
    {
        string[] names = ["protobuf", "projection", "system-text-json+zstd", "cbor+gzip", "cbor+br"];
        var (code, output, error) = Run(
            Skirmish.Path, "--codecs", string.Join(',', names), "--frames", "20", "--rounds", "2", "--json", Json);
        Assert.Equal((0, ""), (code, error));
        Assert.All(names, name => Assert.Contains(name, output, StringComparison.Ordinal));
        var result = JsonNode.Parse(File.ReadAllText(Json))!;
        Assert.Equal("csharp", (string)result["language"]!);
        Assert.Equal((20, 2), ((int)result["frames"]!, (int)result["rounds"]!));
        Assert.Equal(
            ("skirmish.mcap", 1344, true),
            ((string)result["recording"]!["file"]!, (int)result["recording"]!["frames"]!, (bool)result["recording"]!["simulated"]!));
        foreach (var key in (string[])["date", "commit", "cpu", "cores", "os", "load", "runtimes", "packages"])
            Assert.NotNull(result["environment"]![key]);
        Assert.InRange((double)result["environment"]!["clock"]!["read_ns"]!, 0, 1e6);
        Assert.Equal(names, result["codecs"]!.AsObject().Select(each => each.Key));
        foreach (var (_, codec) in result["codecs"]!.AsObject())
        {
            foreach (var operation in (string[])["encode_ns", "decode_ns", "decode_touch_ns"]) CheckStatistics(codec![operation]!);
            var bytes = codec!["bytes"]!;
            Assert.InRange((double)bytes["mean"]!, (double)bytes["min"]!, (double)bytes["max"]!);
            Assert.Equal((double)bytes["mean"]! * 8 * 22.4 / 1e6, (double)codec["mbit_per_second"]!["22.4"]!, 1e-9);
            Assert.Equal((double)bytes["mean"]! * 8 * 16 / 1e6, (double)codec["mbit_per_second"]!["16"]!, 1e-9);
            Assert.Equal(1e9 / (double)codec["encode_ns"]!["trimmed_mean"]!, (double)codec["frames_per_second"]!["encode"]!, 1e-6);
            Assert.Equal((double)codec["decode_ns"]!["trimmed_mean"]! / (1e9 / 22.4), (double)codec["tick_share"]!["decode"]!, 1e-9);
            Assert.Equal(
                (double)codec["allocated_bytes"]!, (double)codec["allocated_bytes_encode"]! + (double)codec["allocated_bytes_decode"]!,
                1e-6);
            Assert.True((double)codec["allocated_bytes_decode"]! > 0);
            Assert.Equal(20, (int)codec["frames"]!);
            var series = codec["bytes_series"]!.AsArray();
            Assert.Equal((20, 0, 1343), (series.Count, (int)series[0]![0]!, (int)series[^1]![0]!));
            Assert.NotEmpty((string)codec["label"]!);
            Assert.NotEmpty(codec["footnotes"]!.AsArray());
            Assert.Null(codec["error"]);
        }
        Assert.NotEmpty(result["codecs"]!["projection"]!["cannot_carry"]!.AsArray());
        Assert.Empty(result["codecs"]!["protobuf"]!["cannot_carry"]!.AsArray());
        Assert.Equal(0, (double)JsonNode.Parse(File.ReadAllText(Json))!["codecs"]!["projection"]!["allocated_bytes_encode"]!);
        Assert.Equal([Json], Directory.GetFiles(_folder));
    }

    [Fact]
    [Trait(Kinds.Trait, Kinds.Benchmarks)]
    public void Match_NoCodecsNamed_TakesAllUncompressed()
    {
        var (code, _, error) = Run(Skirmish.Path, "--frames", "2", "--json", Json);
        Assert.Equal((0, ""), (code, error));
        Assert.Equal(CodecCatalog.Names, JsonNode.Parse(File.ReadAllText(Json))!["codecs"]!.AsObject().Select(each => each.Key));
    }

    [Fact]
    [Trait(Kinds.Trait, Kinds.Benchmarks)]
    public void Match_Streams_TakeTheBytesOfTheDaemonsStreamFrameByFrame()
    {
        string[] names = ["protobuf", "zstd-stream", "columns+zstd-stream", "columns+zstd"];
        var (code, output, error) = Run(Skirmish.Path, "--codecs", string.Join(',', names), "--json", Json);
        Assert.Equal((0, ""), (code, error));
        var codecs = JsonNode.Parse(File.ReadAllText(Json))!["codecs"]!;
        Assert.All(names, name => Assert.Contains(name, output, StringComparison.Ordinal));
        Assert.Null(codecs["protobuf"]!["keyframes"]);
        foreach (var (name, format) in (ValueTuple<string, PayloadFormat>[])[
            ("zstd-stream", new(Sync.V1.Encoding.Proto, Sync.V1.Compression.ZstdStream)),
            ("columns+zstd-stream", new(Sync.V1.Encoding.Columns, Sync.V1.Compression.ZstdStream)),
            ("columns+zstd", new(Sync.V1.Encoding.Columns, Sync.V1.Compression.Zstd)),
        ])
        {
            using var codec = new StreamCodec(format);
            var payloads = Skirmish.Observations().Select(each => (Bytes: codec.Encode(each).Length, codec.IsKeyframe)).ToList();
            var (keyframes, actual) = (payloads.Where(each => each.IsKeyframe).ToList(), codecs[name]!);
            Assert.Equal(1344, (int)actual["frames"]!);
            Assert.Equal(payloads.Average(each => each.Bytes), (double)actual["bytes"]!["mean"]!, 1e-9);
            Assert.Equal((6, 6), (keyframes.Count, (int)actual["keyframes"]!["frames"]!));
            Assert.Equal(keyframes.Average(each => each.Bytes), (double)actual["keyframes"]!["bytes"]!, 1e-9);
            Assert.True((double)actual["decode_touch_ns"]!["p50"]! > (double)actual["decode_ns"]!["p50"]!);
        }
    }

    [Theory]
    [InlineData(1344, 1344, "0-1343")]
    [InlineData(1344, 5, "672-895")]
    [InlineData(100, 5, "0-99")]
    [InlineData(1344, 448, "224-447,896-1119")]
    [InlineData(1300, 700, "224-447,672-895,1120-1299")]
    public void AlongKeyframes_SomeOfAll_AreWholeIntervalsEvenlySpaced(int count, int wanted, string expected)
    {
        var frames = RecordedFrames.AlongKeyframes(count, wanted, StreamCodec.KeyframeInterval);
        var ranges = frames.Where(number => number == 0 || !frames.Contains(number - 1))
            .Select(first => $"{first}-{Enumerable.Range(first, count).First(number => !frames.Contains(number + 1))}");
        Assert.Equal(expected, string.Join(',', ranges));
    }

    [Fact]
    public void Match_BudgetTooSmallForAll_TakesFewerFramesOfEach()
    {
        var (code, _, error) = Run(Skirmish.Path, "--codecs", "protobuf,protojson-google", "--budget", "0.01", "--json", Json);
        Assert.Equal((0, ""), (code, error));
        var result = JsonNode.Parse(File.ReadAllText(Json))!;
        Assert.Equal(1344, (int)result["frames"]!);
        // The budget was gone before anything was timed: each takes the least that says anything.
        Assert.All(result["codecs"]!.AsObject(), each => Assert.Equal(10, (int)each.Value!["frames"]!));
    }

    [Theory]
    [InlineData("there is no codec nothing; there are protobuf, ", "SKIRMISH", "--codecs", "protobuf,nothing")]
    [InlineData("there is no codec protobuf+lz4; there are ", "SKIRMISH", "--codecs", "protobuf+lz4")]
    [InlineData("--codecs is empty", "SKIRMISH", "--codecs", ",")]
    [InlineData("--rounds must be 1 to 1000", "SKIRMISH", "--rounds", "0")]
    [InlineData("--frames must be at least 1", "SKIRMISH", "--frames", "0")]
    [InlineData("--budget must be above 0", "SKIRMISH", "--budget", "-1")]
    [InlineData("--budget must be above 0", "SKIRMISH", "--budget", "NaN")]
    [InlineData("--json names no file", "SKIRMISH", "--json", "")]
    [InlineData("is a folder; --json names a file", "SKIRMISH", "--json", ".")]
    [InlineData("there is no folder", "SKIRMISH", "--json", "no/such/folder/out.json")]
    [InlineData("which FILE?")]
    [InlineData("--speed", "SKIRMISH", "--speed", "9")]
    public void Match_WrongUsage_Is2AndSaysWhy(string expected, params string[] arguments)
    {
        var (code, output, error) = Run([.. arguments.Select(each => each == "SKIRMISH" ? Skirmish.Path : each)]);
        Assert.Equal((2, ""), (code, output));
        Assert.Contains(expected, error, StringComparison.Ordinal);
        Assert.Single(error.TrimEnd().Split('\n'));
    }

    [Fact]
    public void Match_FileThatIsMissingCutOrAnother_Is3AndSaysWhy()
    {
        var cut = Path.Combine(_folder, "cut.mcap");
        File.WriteAllBytes(cut, File.ReadAllBytes(Skirmish.Path)[..^1000]);
        var text = Path.Combine(_folder, "text.mcap");
        File.WriteAllText(text, "not a recording");
        foreach (var (file, expected) in (ValueTuple<string, string>[])[
            ("missing.mcap", "there is no file"),
            (cut, "is cut off"),
            (text, "MCAP"),
            (_folder, "is a folder"),
        ])
        {
            var (code, output, error) = Run(file, "--frames", "2", "--json", Json);
            Assert.Equal((3, ""), (code, output));
            Assert.Contains(expected, error, StringComparison.Ordinal);
            Assert.Single(error.TrimEnd().Split('\n'));
            Assert.False(File.Exists(Json));
        }
    }

    [Fact]
    public void Match_List_NamesEveryCodecAndCompression()
    {
        var (code, output, _) = Run("--list");
        Assert.Equal(0, code);
        Assert.All([.. CodecCatalog.Names, .. CodecCatalog.Compressions], name => Assert.Contains(name, output, StringComparison.Ordinal));
    }

    [Fact]
    public void Match_CancelledAtOnce_Is130AndWritesThatItWas()
    {
        var (code, output, _) = Run(new CancellationToken(canceled: true), Skirmish.Path, "--codecs", "protobuf", "--json", Json);
        Assert.Equal(130, code);
        Assert.Contains("Interrupted", output, StringComparison.Ordinal);
        var result = JsonNode.Parse(File.ReadAllText(Json))!;
        Assert.True((bool)result["interrupted"]!);
        Assert.Null(result["codecs"]!["protobuf"]!["encode_ns"]);
    }

    [Fact]
    public void Runner_CancelledWhileTiming_KeepsWhatIsMeasured()
    {
        using var frames = RecordedFrames.Open(Skirmish.Path);
        using var cancellation = new CancellationTokenSource();
        var timed = 0;
        var progress = new CallbackProgress(what =>
        {
            if (what.StartsWith("timing", StringComparison.Ordinal) && ++timed == 7) cancellation.Cancel();
        });
        var run = new CodecRun("protobuf", new ProtobufCodec());
        var runner = new MatchRunner(
            new MatchOptions { Recording = Skirmish.Path, Codecs = ["protobuf"], Frames = 20 }, frames, [run], progress);
        runner.Run(cancellation.Token);
        Assert.True(runner.Interrupted);
        Assert.Equal(7, run.Samples);
        Assert.NotNull(run.Encode);
    }

    [Fact]
    [Trait(Kinds.Trait, Kinds.Benchmarks)]
    public void Runner_Rounds_OrdersTheCodecsAnewBySeed()
    {
        string[] Order(int seed)
        {
            using var frames = RecordedFrames.Open(Skirmish.Path);
            var order = new List<string>();
            var progress = new CallbackProgress(what =>
            {
                if (what.Contains("timing", StringComparison.Ordinal) && order.LastOrDefault() != what) order.Add(what);
            });
            var runs = new[] { "protobuf", "protobuf-buffer", "projection", "cbor" }
                .Select(name => new CodecRun(name, CodecCatalog.TryCreate(name)!))
                .ToArray();
            new MatchRunner(
                new MatchOptions { Recording = Skirmish.Path, Codecs = [], Frames = 2, Rounds = 3, Seed = seed }, frames, runs,
                progress).Run(default);
            return [.. order];
        }

        var first = Order(1);
        Assert.Equal(12, first.Length);
        Assert.Equal(first, Order(1));
        Assert.NotEqual(first, Order(2));
    }

    [Fact]
    public void RecordedFrames_ReadTwice_GivesTheFramesOfTheFile()
    {
        using var frames = RecordedFrames.Open(Skirmish.Path);
        var all = Skirmish.Observations();
        int[] numbers = [0, 5, 700, 1343];
        for (var pass = 0; pass < 2; pass++)
        {
            var read = frames.Read(numbers).ToArray();
            Assert.Equal(numbers, read.Select(each => each.Number));
            Assert.All(read, each => Assert.Equal(all[each.Number], each.Observation));
        }
    }

    private static void CheckStatistics(JsonNode statistics)
    {
        var values = StatisticNames.ToDictionary(name => name, name => (double)statistics[name]!);
        double[] rising = [values["min"], values["p50"], values["p90"], values["p99"], values["p99_9"], values["max"]];
        Assert.Equal(rising.Order(), rising);
        Assert.InRange(values["trimmed_mean"], values["min"], values["max"]);
        Assert.True(values["min"] > 0);
        Assert.Equal(2, statistics["rounds"]!.AsArray().Count);
        var quantiles = statistics["quantiles"]!.AsArray();
        Assert.Equal(103, quantiles.Count);
        Assert.Equal((100, values["max"]), ((double)quantiles[^1]![0]!, (double)quantiles[^1]![1]!));
        Assert.Equal((50, values["p50"]), ((double)quantiles[50]![0]!, (double)quantiles[50]![1]!));
    }

    private static (int Code, string Output, string Error) Run(params string[] arguments) => Run(default, arguments);

    private static (int Code, string Output, string Error) Run(CancellationToken cancellationToken, params string[] arguments)
    {
        var (output, error) = (new StringWriter(), new StringWriter());
        return (MatchCommand.Invoke(arguments, output, error, cancellationToken), output.ToString(), error.ToString());
    }

    private sealed class CallbackProgress(Action<string> report) : IMatchProgress
    {
        public void Report(string what, double done, double total) => report(what);
    }
}
