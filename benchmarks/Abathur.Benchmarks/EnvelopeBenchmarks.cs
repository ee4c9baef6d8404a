using System.Buffers;
using System.IO.Pipelines;
using Abathur.Sync.Frames;
using Abathur.Sync.Transports.Framing;
using BenchmarkDotNet.Attributes;
using Google.Protobuf;
using Wire = Abathur.Sync.V1.Frame;

namespace Abathur.Benchmarks;

/// <summary>One frame made ready and written to subscribers: the envelope around ready bytes, against a message built and serialized for
/// each.</summary>
[MemoryDiagnoser]
public class EnvelopeBenchmarks
{
    private readonly byte[] _observation = Skirmish.Observation();
    private readonly ArrayBufferWriter<byte> _memory = new(1 << 20);
    private readonly Pipe _pipe = new(
        new PipeOptions(pauseWriterThreshold: 0, minimumSegmentSize: 64 * 1024, useSynchronizationContext: false));
    private SC2APIProtocol.ResponseObservation _parsed = null!;

    [Params(1, 10)]
    public int Subscribers { get; set; }

    [GlobalSetup]
    public void SetUp() => _parsed = SC2APIProtocol.ResponseObservation.Parser.ParseFrom(_observation);

    /// <summary>Into memory that is there already: what envelope and copying cost.</summary>
    [Benchmark]
    public int ToMemory()
    {
        var frame = Encode();
        var bytes = 0;
        for (var i = 0; i < Subscribers; i++)
        {
            _memory.ResetWrittenCount();
            ProtoFraming.WriteFrame(_memory, frame, default);
            bytes += _memory.WrittenCount;
        }
        frame.Release();
        return bytes;
    }

    /// <summary>Into a pipe that is read at once, as a transport's.</summary>
    [Benchmark]
    public async Task<long> ToPipe()
    {
        var frame = Encode();
        var bytes = 0L;
        for (var i = 0; i < Subscribers; i++)
        {
            ProtoFraming.WriteFrame(_pipe.Writer, frame, default);
            await _pipe.Writer.FlushAsync();
            var read = await _pipe.Reader.ReadAsync();
            bytes += read.Buffer.Length;
            _pipe.Reader.AdvanceTo(read.Buffer.End);
        }
        frame.Release();
        return bytes;
    }

    /// <summary>What a server does that gives messages to its gRPC library.</summary>
    [Benchmark(Baseline = true)]
    public int SerializeForEach()
    {
        var bytes = 0;
        for (var i = 0; i < Subscribers; i++)
        {
            _memory.ResetWrittenCount();
            new Wire { MatchId = "skirmish-7", Sequence = 1, GameLoop = 9632, Keyframe = true, Observation = _parsed }.WriteTo(
                (IBufferWriter<byte>)_memory);
            bytes += _memory.WrittenCount;
        }
        return bytes;
    }

    private EncodedFrame Encode()
    {
        var payload = SharedBuffer.Rent(_observation.Length);
        payload.Write(_observation);
        var frame = SharedFrame.Rent(9632, FrameStamp.Now(TimeProvider.System), payload);
        frame.MarkPublished("skirmish-7", 1, FrameStamp.Now(TimeProvider.System));
        var encoded = EncodedFrame.Plain(frame);
        frame.Release();
        return encoded;
    }
}
