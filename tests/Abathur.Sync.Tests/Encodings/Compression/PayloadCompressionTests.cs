using System.Buffers;
using System.IO.Compression;
using Abathur.Sync.Encodings;
using Abathur.Sync.Encodings.Compression;
using Abathur.Sync.Frames;
using V1Compression = Abathur.Sync.V1.Compression;

namespace Abathur.Sync.Tests.Encodings.Compression;

public class PayloadCompressionTests
{
    [Theory]
    [InlineData(V1Compression.Gzip)]
    [InlineData(V1Compression.Br)]
    public void Compress_EachLevel_OthersReadIt(V1Compression compression) => AssertRoundTrips(compression);

    [ZstdFact]
    public void Compress_ZstdEachLevel_OthersReadIt() => AssertRoundTrips(V1Compression.Zstd);

    [Fact]
    public void For_NoneAndStreams_IsNull()
    {
        foreach (var other in new[] { V1Compression.None, V1Compression.ZstdStream, V1Compression.BrStream }) Assert.Null(PayloadCompression.For(other));
    }

    [Theory]
    [InlineData(V1Compression.Gzip, 0)]
    [InlineData(V1Compression.Gzip, 10)]
    [InlineData(V1Compression.Br, -1)]
    [InlineData(V1Compression.Br, 12)]
    public void Create_LevelOutOfRange_Throws(V1Compression compression, int level)
    {
        Assert.False(PayloadCompression.For(compression)!.Takes(level));
        Assert.Throws<ArgumentOutOfRangeException>(() => PayloadCompression.For(compression)!.Create(level));
    }

    [Fact]
    public void Encode_BrotliOnceWarm_AllocatesNothingPerFrame()
    {
        using var encoder = new CompressingEncoder(null, new BrotliCompressor(1));
        var data = Sample(100_000);
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
        Assert.Equal(new byte[] { 1, 2, 3, 1, 2, 3 }, Read(V1Compression.Gzip, payload.Span.ToArray()));
        payload.Release();
    }

    private static void AssertRoundTrips(V1Compression compression)
    {
        var kind = PayloadCompression.For(compression)!;
        Assert.True(kind.Takes(kind.DefaultLevel));
        for (var level = kind.MinLevel; level <= kind.MaxLevel; level++)
        {
            using var compressor = kind.Create(level);
            foreach (var size in new[] { 0, 1, 5000, 200_000, 3 })
            {
                var output = new ArrayBufferWriter<byte>();
                compressor.Compress(Sample(size), output);
                Assert.Equal(Sample(size), Read(compression, output.WrittenSpan.ToArray()));
            }
        }
    }

    private static byte[] Read(V1Compression compression, byte[] data)
    {
        var source = new MemoryStream(data);
        using Stream stream = compression switch
        {
            V1Compression.Gzip => new GZipStream(source, CompressionMode.Decompress),
            V1Compression.Br => new BrotliStream(source, CompressionMode.Decompress),
            _ => new ZstdDecompressionStream(source),
        };
        using var plain = new MemoryStream();
        stream.CopyTo(plain);
        return plain.ToArray();
    }

    private static byte[] Sample(int size)
    {
        var random = new Random(7);
        return [.. Enumerable.Range(0, size).Select(_ => (byte)random.Next(16))];
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
