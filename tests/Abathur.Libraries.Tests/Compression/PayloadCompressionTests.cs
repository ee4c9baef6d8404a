using System.Buffers;
using System.IO.Compression;

namespace Abathur.Compression.Tests;

public class PayloadCompressionTests
{
    [Theory]
    [InlineData("gzip")]
    [InlineData("br")]
    public void Compress_EachLevel_OthersReadIt(string compression) => AssertRoundTrips(compression);

    [ZstdFact]
    public void Compress_ZstdEachLevel_OthersReadIt() => AssertRoundTrips("zstd");

    [Theory]
    [InlineData("gzip", 0)]
    [InlineData("gzip", 10)]
    [InlineData("br", -1)]
    [InlineData("br", 12)]
    public void Create_LevelOutOfRange_Throws(string compression, int level)
    {
        Assert.False(Named(compression).Takes(level));
        Assert.Throws<ArgumentOutOfRangeException>(() => Named(compression).Create(level));
    }

    private static void AssertRoundTrips(string compression)
    {
        var kind = Named(compression);
        Assert.True(kind.Takes(kind.DefaultLevel));
        for (var level = kind.MinLevel; level <= kind.MaxLevel; level++)
        {
            using var compressor = kind.Create(level);
            foreach (var size in new[] { 0, 1, 5000, 200_000, 3 })
            {
                var output = new ArrayBufferWriter<byte>();
                compressor.Compress(Samples.HalfRandom(size), output);
                Assert.Equal(Samples.HalfRandom(size), Read(compression, output.WrittenSpan.ToArray()));
            }
        }
    }

    private static PayloadCompression Named(string name) =>
        new[] { PayloadCompression.Gzip, PayloadCompression.Brotli, PayloadCompression.Zstd }.Single(kind => kind.Name == name);

    private static byte[] Read(string compression, byte[] data)
    {
        var source = new MemoryStream(data);
        using Stream stream = compression switch
        {
            "gzip" => new GZipStream(source, CompressionMode.Decompress),
            "br" => new BrotliStream(source, CompressionMode.Decompress),
            _ => new ZstdDecompressionStream(source),
        };
        using var plain = new MemoryStream();
        stream.CopyTo(plain);
        return plain.ToArray();
    }
}
