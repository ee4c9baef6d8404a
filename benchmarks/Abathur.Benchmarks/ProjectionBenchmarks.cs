using System.Buffers;
using Abathur.Protobuf.FieldMasks;
using BenchmarkDotNet.Attributes;
using Google.Protobuf;
using Google.Protobuf.WellKnownTypes;
using SC2APIProtocol;

namespace Abathur.Benchmarks;

/// <summary>A field mask on one frame: on the wire bytes, against parsing, merging what the mask names, and writing again.</summary>
[MemoryDiagnoser]
public class ProjectionBenchmarks
{
    private readonly byte[] _observation = Skirmish.Observation();
    private readonly ArrayBufferWriter<byte> _output = new(1 << 20);
    private WireProjection _projection = null!;
    private FieldMask _mask = null!;

    /// <summary>Path of the mask. Google's FieldMask does not go through repeated fields, so these end at one.</summary>
    [Params("observation.raw_data.units", "observation.score", "observation")]
    public string Path { get; set; } = "";

    [GlobalSetup]
    public void SetUp()
    {
        _projection = WireProjection.For(ResponseObservation.Descriptor, [Path]);
        _mask = FieldMask.FromString(Path);
        if (WireBytes() != ParseAndRewrite()) throw new InvalidOperationException("both ways must give as many bytes");
    }

    [Benchmark]
    public int WireBytes()
    {
        _output.ResetWrittenCount();
        _projection.Project(_observation, _output);
        return _output.WrittenCount;
    }

    [Benchmark(Baseline = true)]
    public int ParseAndRewrite()
    {
        _output.ResetWrittenCount();
        var projected = new ResponseObservation();
        _mask.Merge(ResponseObservation.Parser.ParseFrom(_observation), projected);
        projected.WriteTo((IBufferWriter<byte>)_output);
        return _output.WrittenCount;
    }
}
