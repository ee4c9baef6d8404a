using Abathur.Benchmarks.Codecs;
using Abathur.Benchmarks.Match;
using BenchmarkDotNet.Attributes;

namespace Abathur.Benchmarks;

/// <summary>One observation through each codec, warm: what an operation costs at its best. Whole matches: <c>match</c>.</summary>
/// <remarks>
/// <c>--filter '*Codec*.Encode'</c>, <c>--anyCategories Decode</c>, <c>--filter '*Codec*(Codec: "cbor"*'</c>. The input is one frame over
/// and over, which
/// the caches and the branch predictor of the processor learn: a match run has another frame each time.
/// </remarks>
[MemoryDiagnoser]
[GroupBenchmarksBy(
    BenchmarkDotNet.Configs.BenchmarkLogicalGroupRule.ByCategory, BenchmarkDotNet.Configs.BenchmarkLogicalGroupRule.ByParams)]
[CategoriesColumn]
public class CodecBenchmarks
{
    private ICodec _codec = null!;
    private object _source = null!;
    private ReadOnlyMemory<byte> _encoded;

    /// <summary>How much there is in the observation.</summary>
    public enum Complexity
    {
        /// <summary>One unit and nothing else.</summary>
        OneUnit,

        /// <summary>The first frame of the recording.</summary>
        FirstFrame,

        /// <summary>Its last frame.</summary>
        LateFrame,
    }

    /// <summary>Names of the uncompressed codecs.</summary>
    public static IEnumerable<string> Codecs => CodecCatalog.Names;

    [ParamsAllValues]
    public Complexity Observation { get; set; }

    [ParamsSource(nameof(Codecs))]
    public string Codec { get; set; } = "";

    [GlobalSetup]
    public void SetUp()
    {
        var observation = Observation switch
        {
            Complexity.OneUnit => Skirmish.OneUnit(),
            Complexity.FirstFrame => Skirmish.FirstObservation(),
            _ => Skirmish.LastObservation(),
        };
        _codec = CodecCatalog.TryCreate(Codec)!;
        if (CodecCheck.Run(_codec, observation).Problem is { } problem) throw new InvalidOperationException($"{Codec}: {problem}");
        _source = _codec.Prepare(observation);
        _encoded = _codec.Encode(_source).ToArray();
    }

    [Benchmark]
    [BenchmarkCategory("Encode")]
    public int Encode() => _codec.Encode(_source).Length;

    [Benchmark]
    [BenchmarkCategory("Decode")]
    public object Decode() => _codec.Decode(_encoded);

    [Benchmark]
    [BenchmarkCategory("DecodeTouch")]
    public ulong DecodeAndTouch() => _codec.Touch(_codec.Decode(_encoded));
}
