using Abathur.Mcap;
using Abathur.Recordings;
using BenchmarkDotNet.Attributes;

namespace Abathur.Benchmarks;

/// <summary>Writing and reading a recording. Figures are per frame: 1 s divided by the mean is frames a second.</summary>
[MemoryDiagnoser]
public class RecordingBenchmarks : IDisposable
{
    private const int FrameCount = 1344;
    private readonly List<byte[]> _observations = Skirmish.Observations();
    private readonly MemoryStream _file = new();

    /// <summary>Compression of the chunks.</summary>
    [Params(McapCompression.None, McapCompression.Zstd)]
    public McapCompression Compression { get; set; }

    [GlobalSetup]
    public void SetUp()
    {
        if (_observations.Count != FrameCount) throw new InvalidOperationException($"the recording has {_observations.Count} frames");
        Write();
    }

    [GlobalCleanup]
    public void Dispose()
    {
        _file.Dispose();
        GC.SuppressFinalize(this);
    }

    [Benchmark(OperationsPerInvoke = FrameCount)]
    public long Write()
    {
        _file.SetLength(0);
        using var writer = new RecordingWriter(
            _file, new RecordingMatch { MatchId = "benchmark" }, new RecordingOptions { Compression = Compression }, leaveOpen: true);
        for (var i = 0; i < _observations.Count; i++) writer.WriteObservation((uint)i, i, _observations[i]);
        writer.Close();
        return _file.Length;
    }

    [Benchmark(OperationsPerInvoke = FrameCount)]
    public long Read()
    {
        using var reader = new RecordingReader(new McapReader(new MemoryStream(_file.GetBuffer(), 0, (int)_file.Length)));
        var bytes = 0L;
        while (reader.ReadNext(out var observation)) bytes += observation.Payload.Length;
        return bytes;
    }
}
