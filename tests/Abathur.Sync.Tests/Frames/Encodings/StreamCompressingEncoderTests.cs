using System.Buffers;
using Abathur.Compression;
using Abathur.Sync.Frames;
using Abathur.Sync.Frames.Encodings;

namespace Abathur.Sync.Tests.Frames.Encodings;

public sealed class StreamCompressingEncoderTests : IDisposable
{
    private readonly CountingCompressor _compressor = new();

    public void Dispose() => _compressor.Dispose();

    [Theory]
    [InlineData(0, 17)]
    [InlineData(5_000, 17)]
    [InlineData(8_192, 17)]
    [InlineData(8_193, 18)]
    [InlineData(60_000, 20)]
    [InlineData(150_000, 21)]
    [InlineData(1_000_000, 21)]
    [InlineData(1_100_000, 22)]
    [InlineData(4_000_000, 23)]
    [InlineData(64_000_000, 23)]
    public void WindowBits_LargestFrame_SpansAtLeastTwoUpToTheBound(int largest, int bits) =>
        Assert.Equal(bits, StreamCompressingEncoder.WindowBits(largest));

    [Fact]
    public void Encode_FramesOutgrowTheWindow_MakesAKeyframeWithALargerOne()
    {
        using var encoder = new StreamCompressingEncoder(null, false, _compressor);
        Assert.Equal(new EncodedPayload(true, 1000), Encode(encoder, 1000, demand: true));
        Assert.Equal(new EncodedPayload(false, 65_536), Encode(encoder, 65_536));
        Assert.Equal(new EncodedPayload(true, 65_537), Encode(encoder, 65_537));
        Assert.Equal(new EncodedPayload(false, 500_000), Encode(encoder, 500_000));
        // Larger frames than the largest window spans twice are as they are: no keyframe would help.
        Assert.True(Encode(encoder, 6_000_000).IsKeyframe);
        Assert.False(Encode(encoder, 7_000_000).IsKeyframe);
        Assert.Equal([17, 21, 23], _compressor.Restarts);
    }

    [Fact]
    public void Encode_InnerIsStateless_ItsKeyframesRestartNothing()
    {
        using var encoder = new StreamCompressingEncoder(new Inner(leans: false), false, _compressor);
        Assert.True(Encode(encoder, 10, demand: true).IsKeyframe);
        Assert.Equal(new EncodedPayload(false, 10), Encode(encoder, 10));
        Assert.True(Encode(encoder, 10, demand: true).IsKeyframe);
        Assert.Equal(2, _compressor.Restarts.Count);
    }

    [Fact]
    public void Encode_InnerLeans_KeyframesAreDecidedForBoth()
    {
        var inner = new Inner(leans: true);
        using var encoder = new StreamCompressingEncoder(inner, true, _compressor);
        Assert.True(Encode(encoder, 10, demand: true).IsKeyframe);
        Assert.False(Encode(encoder, 10).IsKeyframe);
        inner.MakesKeyframe = true;
        Assert.True(Encode(encoder, 10).IsKeyframe);
        Assert.Equal(2, _compressor.Restarts.Count);
        inner.MakesKeyframe = false;
        // What outgrows the window shows it when it depends on others already: the next one is the keyframe.
        Assert.False(Encode(encoder, 100_000).IsKeyframe);
        Assert.True(Encode(encoder, 10).IsKeyframe);
        Assert.False(Encode(encoder, 10).IsKeyframe);
        Assert.Equal([17, 17, 21], _compressor.Restarts);
        Assert.Equal([true, false, false, false, true, false], inner.Demands);
    }

    private static EncodedPayload Encode(StreamCompressingEncoder encoder, int bytes, bool demand = false) =>
        encoder.Encode(new byte[bytes], demand, new ArrayBufferWriter<byte>());

    private sealed class Inner(bool leans) : IFrameEncoder
    {
        public bool MakesKeyframe { get; set; }

        public List<bool> Demands { get; } = [];

        public EncodedPayload Encode(ReadOnlySpan<byte> observation, bool mustBeKeyframe, IBufferWriter<byte> payload)
        {
            Demands.Add(mustBeKeyframe);
            payload.Write(observation);
            return new EncodedPayload(!leans || mustBeKeyframe || MakesKeyframe);
        }
    }

    private sealed class CountingCompressor : IStreamCompressor
    {
        public List<int> Restarts { get; } = [];

        public void Restart(int windowBits) => Restarts.Add(windowBits);

        public void Compress(ReadOnlySpan<byte> source, IBufferWriter<byte> output)
        {
        }

        public void Dispose()
        {
        }
    }
}
