using System.Buffers;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Text;
using Abathur.Protobuf;
using Abathur.Synth;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Benchmarks;

/// <summary>
/// Wire bytes to ProtoJSON and back over many distinct frames in turn, ours against Google's formatter and parser. An operation is the
/// whole set of frames.
/// </summary>
/// <remarks>
/// Google's formatter starts from messages that are parsed already, which favours it; both sides check UTF-8 and ranges. The real frames
/// come from
/// the folder <c>observations</c> in the one that <c>ABATHUR_SHARED</c> names; without that folder the case fails and says so.
/// </remarks>
[MemoryDiagnoser]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory, BenchmarkLogicalGroupRule.ByParams)]
[CategoriesColumn]
public class TranscoderBenchmarks
{
    private const int FramesEach = 100;
    private static readonly TimeSpan WarmUp = TimeSpan.FromSeconds(4);
    private readonly ProtoJsonTranscoder _transcoder = ProtoJsonTranscoder.For(ResponseObservation.Descriptor);
    private readonly ArrayBufferWriter<byte> _output = new(4 << 20);
    private readonly List<byte[]> _wires = [];
    private readonly List<byte[]> _jsons = [];
    private readonly List<ResponseObservation> _messages = [];
    private readonly List<string> _texts = [];

    /// <summary>Where the frames come from.</summary>
    public enum FrameSet
    {
        /// <summary>The first frames of 81 real matches on as many maps.</summary>
        RealFirstFrames,

        /// <summary>A hundred frames spread over a generated match of two AIs.</summary>
        EliteSpread,

        /// <summary>A hundred frames of it one after the other, late.</summary>
        EliteConsecutive,
    }

    [ParamsAllValues]
    public FrameSet Frames { get; set; }

    [GlobalSetup]
    public void SetUp()
    {
        _wires.AddRange(Frames switch
        {
            FrameSet.RealFirstFrames => RealFrames(),
            FrameSet.EliteSpread => Elite(first: 100, every: 60),
            _ => Elite(first: 6_000, every: 1),
        });
        foreach (var wire in _wires)
        {
            _output.ResetWrittenCount();
            _transcoder.ToJson(wire, _output);
            _jsons.Add(_output.WrittenSpan.ToArray());
            _texts.Add(Encoding.UTF8.GetString(_jsons[^1]));
            _messages.Add(ResponseObservation.Parser.ParseFrom(wire));
            _output.ResetWrittenCount();
            _transcoder.ToProto(_jsons[^1], _output);
            if (!_output.WrittenSpan.SequenceEqual(JsonParser.Default.Parse<ResponseObservation>(_texts[^1]).ToByteArray()))
                throw new InvalidOperationException("both ways must give the same bytes");
        }
        // An operation is long, so that a short job ends before the JIT compiler has had its way with any of them.
        for (var start = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(start) < WarmUp;)
        {
            TranscoderToJson();
            TranscoderToProto();
            JsonFormatterFormat();
            JsonParserParse();
        }
    }

    [Benchmark]
    [BenchmarkCategory("ToJson")]
    public long TranscoderToJson()
    {
        var bytes = 0L;
        foreach (var wire in _wires)
        {
            _output.ResetWrittenCount();
            _transcoder.ToJson(wire, _output);
            bytes += _output.WrittenCount;
        }
        return bytes;
    }

    [Benchmark(Baseline = true)]
    [BenchmarkCategory("ToJson")]
    public long JsonFormatterFormat()
    {
        var characters = 0L;
        foreach (var message in _messages) characters += JsonFormatter.Default.Format(message).Length;
        return characters;
    }

    [Benchmark]
    [BenchmarkCategory("ToProto")]
    public long TranscoderToProto()
    {
        var bytes = 0L;
        foreach (var json in _jsons)
        {
            _output.ResetWrittenCount();
            _transcoder.ToProto(json, _output);
            bytes += _output.WrittenCount;
        }
        return bytes;
    }

    [Benchmark(Baseline = true)]
    [BenchmarkCategory("ToProto")]
    public uint JsonParserParse()
    {
        var loops = 0u;
        foreach (var text in _texts) loops += JsonParser.Default.Parse<ResponseObservation>(text).Observation.GameLoop;
        return loops;
    }

    private static IEnumerable<byte[]> RealFrames()
    {
        var folder = Path.Combine(Environment.GetEnvironmentVariable("ABATHUR_SHARED") ?? "shared", "observations");
        if (!Directory.Exists(folder))
            throw new DirectoryNotFoundException(
                $"this case needs real observations in {Path.GetFullPath(folder)}: run it by dotnet make.cs bench");
        return Directory.EnumerateFiles(folder, "observation.binpb", SearchOption.AllDirectories)
            .Order(StringComparer.Ordinal)
            .Select(File.ReadAllBytes);
    }

    private static IEnumerable<byte[]> Elite(int first, int every)
    {
        var match = new MatchGenerator(SynthOptions.Elite);
        for (var step = 0; step < first + (FramesEach * every) && match.Next(); step++)
        {
            if (step >= first && (step - first) % every == 0) yield return match.Observation.ToArray();
        }
    }

    // BenchmarkDotNet runs from a folder of its own making, so the way goes from this file.
    private static string ThisFile([CallerFilePath] string path = "") => path;
}
