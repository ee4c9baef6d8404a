using System.Buffers;
using System.IO.Compression;
using Abathur.Compression;
using Abathur.Sync.Frames;
using Abathur.Sync.Frames.Encodings;

namespace Abathur.Sync.Tests.Frames.Encodings;

public class CompressingEncoderTests
{
    [Fact]
    public void Encode_BrotliOnceWarm_AllocatesNothingPerFrame()
    {
        using var encoder = new CompressingEncoder(null, new BrotliCompressor(1));
        var data = Samples.HalfRandom(100_000);
        var output = new ArrayBufferWriter<byte>(300_000);
        for (var i = 0; i < 3; i++) Encode();
        // The runtime's own events may allocate a little now and then.
        Allocated.AtMost(100 * 64, () =>
        {
            for (var i = 0; i < 100; i++) Encode();
        });

        void Encode()
        {
            output.ResetWrittenCount();
            encoder.Encode(data, true, output);
        }
    }

    [Fact]
    public void Encode_InnerEncoder_CompressesItsPayload()
    {
        using var encoder = new CompressingEncoder(new Doubling(), new GzipCompressor(6));
        var payload = SharedBuffer.Rent();
        encoder.Encode([1, 2, 3], true, payload);
        Assert.Equal(new byte[] { 1, 2, 3, 1, 2, 3 }, Decompress(payload.Span.ToArray()));
        payload.Release();
    }

    private static byte[] Decompress(byte[] data)
    {
        using var stream = new GZipStream(new MemoryStream(data), CompressionMode.Decompress);
        using var plain = new MemoryStream();
        stream.CopyTo(plain);
        return plain.ToArray();
    }

    private sealed class Doubling : IFrameEncoder
    {
        public EncodedPayload Encode(ReadOnlySpan<byte> observation, bool mustBeKeyframe, IBufferWriter<byte> payload)
        {
            payload.Write(observation);
            payload.Write(observation);
            return EncodedPayload.Keyframe;
        }
    }
}
