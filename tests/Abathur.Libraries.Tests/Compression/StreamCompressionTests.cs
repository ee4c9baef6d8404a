using System.Buffers;

namespace Abathur.Compression.Tests;

public class StreamCompressionTests
{
    private static readonly StreamCompression[] Kinds = [StreamCompression.Zstd, StreamCompression.Brotli];

    /// <summary>The names of the stream compressions of this machine: <c>br-stream</c>, and <c>zstd-stream</c> where libzstd is
    /// installed.</summary>
    public static TheoryData<string> Available => new(Kinds.Where(kind => kind.IsAvailable).Select(kind => kind.Name));

    [Theory]
    [MemberData(nameof(Available))]
    public void Compress_EachLevel_EachPayloadIsThereAtOnce(string name)
    {
        var kind = Kind(name);
        Assert.True(kind.Takes(kind.DefaultLevel));
        for (var level = kind.MinLevel; level <= kind.MaxLevel; level++)
        {
            using var compressor = kind.Create(level);
            using var decoder = kind.CreateDecompressor();
            foreach (var windowBits in new[] { 17, 20, 17 })
            {
                compressor.Restart(windowBits);
                decoder.Restart();
                foreach (var size in new[] { 0, 1, 5000, 0, 300_000, 3 })
                {
                    var plain = Samples.HalfRandom(size);
                    Assert.Equal(plain, Decompress(decoder, Compress(compressor, plain)));
                }
            }
        }
    }

    [Theory]
    [MemberData(nameof(Available))]
    public void Compress_SameAgain_TakesFewBytes(string name)
    {
        foreach (var level in Enumerable.Range(3, 9))
        {
            using var compressor = Kind(name).Create(level);
            compressor.Restart(21);
            var plain = Samples.HalfRandom(100_000);
            Assert.InRange(Compress(compressor, plain).Length, 45_000, 65_000);
            var again = Compress(compressor, plain).Length;
            Assert.True(again < 200, $"level {level}: {again}");
        }
    }

    [ZstdFact]
    public void Restart_Zstd_HeaderSaysTheWindowAndNoSize()
    {
        using var compressor = StreamCompression.Zstd.Create(7);
        foreach (var windowBits in new[] { 17, 18, 21, 23, 17 })
        {
            compressor.Restart(windowBits);
            var data = Compress(compressor, Samples.HalfRandom(1000));
            // RFC 8878, 3.1.1.1: magic number, then neither single segment, content size, checksum nor dictionary; the window is 2^(10 +
            // exponent).
            Assert.Equal([0x28, 0xb5, 0x2f, 0xfd, 0, (byte)((windowBits - 10) << 3)], data[..6]);
        }
    }

    [Fact]
    public void Restart_Brotli_HeaderSaysTheWindow()
    {
        using var compressor = StreamCompression.Brotli.Create(4);
        for (var windowBits = 18; windowBits <= 23; windowBits++)
        {
            compressor.Restart(windowBits);
            // RFC 7932, 9.1: 18 to 24 are a one and three bits of the window less 17.
            Assert.Equal(1 | ((windowBits - 17) << 1), Compress(compressor, Samples.HalfRandom(1000))[0] & 15);
        }
    }

    [Theory]
    [MemberData(nameof(Available))]
    public void Compress_OnceWarm_AllocatesNothing(string name)
    {
        using var compressor = Kind(name).Create(4);
        compressor.Restart(19);
        var data = Samples.HalfRandom(100_000);
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
    [InlineData("zstd-stream", 0)]
    [InlineData("zstd-stream", 20)]
    [InlineData("br-stream", 1)]
    [InlineData("br-stream", 12)]
    public void Create_LevelOutOfRange_Throws(string name, int level)
    {
        Assert.False(Kind(name).Takes(level));
        Assert.Throws<ArgumentOutOfRangeException>(() => Kind(name).Create(level));
    }

    [Theory]
    [MemberData(nameof(Available))]
    public void Decompress_MoreThanTheLimit_ThrowsWithTheLimit(string name)
    {
        using var compressor = Kind(name).Create(4);
        compressor.Restart(20);
        var payload = Compress(compressor, Samples.HalfRandom(10_000));
        using var exact = Kind(name).CreateDecompressor();
        Assert.Equal(10_000, exact.Decompress(payload, new ArrayBufferWriter<byte>(), 10_000));
        using var decompressor = Kind(name).CreateDecompressor();
        var error = Assert.Throws<CompressionException>(() => decompressor.Decompress(payload, new ArrayBufferWriter<byte>(), 9_999));
        Assert.Contains("9999", error.Message);
    }

    [Theory]
    [MemberData(nameof(Available))]
    public void Decompress_DamagedOrArbitraryBytes_ThrowsItsExceptionAndStaysWithinTheLimit(string name)
    {
        using var compressor = Kind(name).Create(4);
        compressor.Restart(20);
        var payload = Compress(compressor, Samples.HalfRandom(10_000));
        var random = new Random(11);
        for (var i = 0; i < 300; i++)
        {
            var damaged = i % 2 == 0 ? [.. payload] : new byte[random.Next(1, 200)];
            if (i % 2 == 0) damaged[random.Next(damaged.Length)] ^= (byte)random.Next(1, 256);
            else random.NextBytes(damaged);
            using var decompressor = Kind(name).CreateDecompressor();
            var output = new ArrayBufferWriter<byte>();
            try
            {
                decompressor.Decompress(damaged, output, 20_000);
            }
            catch (CompressionException)
            {
                // Damage that is noticed.
            }
            Assert.InRange(output.WrittenCount, 0, 20_000);
        }
    }

    private static StreamCompression Kind(string name) => Kinds.Single(kind => kind.Name == name);

    private static byte[] Decompress(IStreamDecompressor decompressor, byte[] payload)
    {
        var output = new ArrayBufferWriter<byte>();
        decompressor.Decompress(payload, output, 1 << 20);
        return output.WrittenSpan.ToArray();
    }

    private static byte[] Compress(IStreamCompressor compressor, byte[] data)
    {
        var output = new ArrayBufferWriter<byte>();
        compressor.Compress(data, output);
        return output.WrittenSpan.ToArray();
    }
}
