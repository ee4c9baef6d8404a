using System.Buffers;
using Abathur.Sync.Encodings.Compression;
using Abathur.Sync.Tests.Sources.Synth;
using V1Compression = Abathur.Sync.V1.Compression;

namespace Abathur.Sync.Tests.Encodings.Compression;

public class StreamCompressionTests
{
    [Theory]
    [StreamCompressionData]
    public void Compress_EachLevel_EachPayloadIsThereAtOnce(V1Compression compression)
    {
        var kind = StreamCompression.For(compression)!;
        Assert.True(kind.Takes(kind.DefaultLevel));
        for (var level = kind.MinLevel; level <= kind.MaxLevel; level++)
        {
            using var compressor = kind.Create(level);
            using var decoder = StreamDecoder.For(compression);
            foreach (var windowBits in new[] { 17, 20, 17 })
            {
                compressor.Restart(windowBits);
                decoder.Restart();
                foreach (var size in new[] { 0, 1, 5000, 0, 300_000, 3 })
                {
                    var plain = Sample(size);
                    Assert.Equal(plain, decoder.Decode(Compress(compressor, plain)));
                }
            }
        }
    }

    [Theory]
    [StreamCompressionData]
    public void Compress_SameAgain_TakesFewBytes(V1Compression compression)
    {
        foreach (var level in Enumerable.Range(3, 9))
        {
            using var compressor = StreamCompression.For(compression)!.Create(level);
            compressor.Restart(21);
            var plain = Sample(100_000);
            Assert.InRange(Compress(compressor, plain).Length, 45_000, 65_000);
            var again = Compress(compressor, plain).Length;
            Assert.True(again < 200, $"level {level}: {again}");
        }
    }

    [ZstdFact]
    public void Restart_Zstd_HeaderSaysTheWindowAndNoSize()
    {
        using var compressor = StreamCompression.For(V1Compression.ZstdStream)!.Create(7);
        foreach (var windowBits in new[] { 17, 18, 21, 23, 17 })
        {
            compressor.Restart(windowBits);
            var data = Compress(compressor, Sample(1000));
            // RFC 8878, 3.1.1.1: magic number, then neither single segment, content size, checksum nor dictionary; the window is 2^(10 + exponent).
            Assert.Equal([0x28, 0xb5, 0x2f, 0xfd, 0, (byte)((windowBits - 10) << 3)], data[..6]);
        }
    }

    [Fact]
    public void Restart_Brotli_HeaderSaysTheWindow()
    {
        using var compressor = StreamCompression.For(V1Compression.BrStream)!.Create(4);
        for (var windowBits = 18; windowBits <= 23; windowBits++)
        {
            compressor.Restart(windowBits);
            // RFC 7932, 9.1: 18 to 24 are a one and three bits of the window less 17.
            Assert.Equal(1 | ((windowBits - 17) << 1), Compress(compressor, Sample(1000))[0] & 15);
        }
    }

    [Theory]
    [StreamCompressionData]
    public void Compress_OnceWarm_AllocatesNothing(V1Compression compression)
    {
        using var compressor = StreamCompression.For(compression)!.Create(4);
        compressor.Restart(19);
        var data = Sample(100_000);
        var output = new ArrayBufferWriter<byte>(300_000);
        for (var i = 0; i < 3; i++) Once();
        Allocated.AtMost(100 * 8, () =>
        {
            for (var i = 0; i < 100; i++) Once();
        });

        void Once()
        {
            output.ResetWrittenCount();
            compressor.Compress(data, output);
        }
    }

    [Theory]
    [StreamCompressionData]
    public void Compress_GeneratedMatch_IsSmall(V1Compression compression)
    {
        using var compressor = StreamCompression.For(compression)!.Create(StreamCompression.For(compression)!.DefaultLevel);
        compressor.Restart(21);
        var frames = Generated.Skirmish.Skip(600).Take(200).ToList();
        var total = frames.Sum(frame => Compress(compressor, frame).Length);
        Assert.InRange(total, 1, frames.Sum(frame => frame.Length) / 25);
    }

    [Theory]
    [InlineData(V1Compression.ZstdStream, 0)]
    [InlineData(V1Compression.ZstdStream, 20)]
    [InlineData(V1Compression.BrStream, 1)]
    [InlineData(V1Compression.BrStream, 12)]
    public void Create_LevelOutOfRange_Throws(V1Compression compression, int level)
    {
        Assert.False(CompressionKind.For(compression)!.Takes(level));
        Assert.Throws<ArgumentOutOfRangeException>(() => StreamCompression.For(compression)!.Create(level));
    }

    [Fact]
    public void For_OneShot_IsNull()
    {
        foreach (var other in new[] { V1Compression.None, V1Compression.Gzip, V1Compression.Br, V1Compression.Zstd }) Assert.Null(StreamCompression.For(other));
    }

    private static byte[] Compress(IStreamCompressor compressor, byte[] data)
    {
        var output = new ArrayBufferWriter<byte>();
        compressor.Compress(data, output);
        return output.WrittenSpan.ToArray();
    }

    private static byte[] Sample(int size)
    {
        var random = new Random(7);
        return [.. Enumerable.Range(0, size).Select(_ => (byte)random.Next(16))];
    }
}
