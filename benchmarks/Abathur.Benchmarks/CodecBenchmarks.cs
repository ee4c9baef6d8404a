using Abathur.Benchmarks.Codecs;
using Abathur.Benchmarks.Match;
using BenchmarkDotNet.Attributes;

namespace Abathur.Benchmarks;

/// <summary>One observation through each codec, warm: what an operation costs at its best. Whole matches: <c>match</c>.</summary>
/// <remarks>
/// <c>--filter '*Codec*.Encode'</c>, <c>--anyCategories Decode</c>, <c>--filter '*Codec*(Codec: "cbor"*'</c>. The input is one frame over
/// and over, which the caches and the branch predictor of the processor learn: a match run has another frame each time. A stream goes over
/// the frames from one keyframe to the next, and its mean is of all of them.
/// </remarks>
[MemoryDiagnoser]
[GroupBenchmarksBy(
    BenchmarkDotNet.Configs.BenchmarkLogicalGroupRule.ByCategory, BenchmarkDotNet.Configs.BenchmarkLogicalGroupRule.ByParams)]
[CategoriesColumn]
public class CodecBenchmarks
{
    private ICodec _codec = null!;
    private object[] _sources = [];
    private (ReadOnlyMemory<byte> Bytes, bool IsKeyframe)[] _encoded = [];
    private int _next;

    /// <summary>Names of the uncompressed codecs, and of streams.</summary>
    public static IEnumerable<string> Codecs => CodecCatalog.Names;

    [Params(ComplexityLevel.Small, ComplexityLevel.Middle, ComplexityLevel.Late)]
    public ComplexityLevel Level { get; set; }

    [ParamsSource(nameof(Codecs))]
    public string Codec { get; set; } = "";

    [GlobalSetup]
    public void SetUp()
    {
        _codec = CodecCatalog.TryCreate(Codec)!;
        var observations = _codec.IsStream
            ? ComplexityLevels.Observations(Level, StreamCodec.KeyframeInterval)
            : [ComplexityLevels.Observation(Level)];
        foreach (var observation in observations)
        {
            if (CodecCheck.Run(_codec, observation).Problem is { } problem) throw new InvalidOperationException($"{Codec}: {problem}");
        }
        _codec.Restart();
        _next = 0;
        _sources = [.. observations.Select(_codec.Prepare)];
        _encoded = [.. _sources.Select(source => (new ReadOnlyMemory<byte>(_codec.Encode(source).ToArray()), _codec.IsKeyframe))];
    }

    [Benchmark]
    [BenchmarkCategory("Encode")]
    public int Encode() => _codec.Encode(_sources[Next()]).Length;

    [Benchmark]
    [BenchmarkCategory("Decode")]
    public object Decode()
    {
        var (bytes, isKeyframe) = _encoded[Next()];
        if (_codec is StreamCodec stream) stream.IsKeyframe = isKeyframe;
        return _codec.Decode(bytes);
    }

    [Benchmark]
    [BenchmarkCategory("DecodeTouch")]
    public ulong DecodeAndTouch() => _codec.Touch(Decode());

    private int Next()
    {
        var next = _next;
        _next = next + 1 == _sources.Length ? 0 : next + 1;
        return next;
    }
}
