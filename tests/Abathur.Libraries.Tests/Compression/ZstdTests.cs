namespace Abathur.Compression.Tests;

public class ZstdTests
{
    [ZstdFact]
    public void VersionString_LibraryPresent_IsAVersion() => Assert.True(Version.Parse(LibZstd.VersionString) >= new Version(1, 4));

    [ZstdFact]
    public void Compress_Decompressed_GivesTheSame()
    {
        using var compressor = new ZstdCompressor(3);
        using var decompressor = new ZstdDecompressor();
        foreach (var size in new[] { 0, 1, 1000, 300_000 })
        {
            var data = Sample(size);
            var compressed = Compress(compressor, data);
            Assert.True(ZstdDecompressor.CanHold(compressed, (ulong)size));
            Assert.False(ZstdDecompressor.CanHold(compressed, (ulong)size + 1));
            var back = new byte[size];
            Assert.Equal(size, decompressor.Decompress(compressed, back));
            Assert.Equal(data, back);
        }
    }

    [ZstdFact]
    public void Decompress_DamagedOrTooLarge_Throws()
    {
        using var compressor = new ZstdCompressor(3);
        using var decompressor = new ZstdDecompressor();
        var compressed = Compress(compressor, Sample(1000));
        Assert.Throws<CompressionException>(() => decompressor.Decompress(compressed, new byte[999]));
        Assert.Throws<CompressionException>(() => decompressor.Decompress(compressed.AsSpan(0, compressed.Length - 1), new byte[1000]));
        Assert.Throws<CompressionException>(() => decompressor.Decompress("not zstd at all"u8, new byte[1000]));
    }

    [ZstdFact]
    public void DecompressWhatIsThere_CutAnywhere_GivesAPrefix()
    {
        using var compressor = new ZstdCompressor(1);
        using var decompressor = new ZstdDecompressor();
        var data = Sample(600_000);
        var compressed = Compress(compressor, data);
        var most = 0;
        for (var cut = 0; cut <= compressed.Length; cut += Math.Max(1, compressed.Length / 100))
        {
            var back = new byte[data.Length];
            var written = decompressor.DecompressWhatIsThere(compressed.AsSpan(0, cut), back);
            Assert.True(written >= most);
            most = written;
            Assert.True(back.AsSpan(0, written).SequenceEqual(data.AsSpan(0, written)));
        }
        Assert.True(most > 300_000);
    }

    [ZstdFact]
    public void DecompressionStream_SeveralFramesInSmallReads_GivesAll()
    {
        using var compressor = new ZstdCompressor(3);
        var data = Sample(400_000);
        byte[] compressed = [.. Compress(compressor, data), .. Compress(compressor, data)];
        using var stream = new ZstdDecompressionStream(new MemoryStream(compressed));
        using var all = new MemoryStream();
        stream.CopyTo(all, 1000);
        Assert.Equal([.. data, .. data], all.ToArray());
    }

    [ZstdFact]
    public void DecompressionStream_CutOrGarbage_Throws()
    {
        using var compressor = new ZstdCompressor(3);
        var compressed = Compress(compressor, Sample(400_000));
        using var cut = new ZstdDecompressionStream(new MemoryStream(compressed, 0, compressed.Length - 1));
        Assert.Contains(
            "is truncated", Assert.Throws<CompressionException>(() => cut.CopyTo(Stream.Null)).Message, StringComparison.Ordinal);
        using var garbage = new ZstdDecompressionStream(new MemoryStream([1, 2, 3, 4, 5, 6, 7, 8]));
        Assert.Throws<CompressionException>(() => garbage.CopyTo(Stream.Null));
        using var empty = new ZstdDecompressionStream(new MemoryStream());
        Assert.Equal(-1, empty.ReadByte());
    }

    private static byte[] Compress(ZstdCompressor compressor, byte[] data)
    {
        var buffer = new byte[ZstdCompressor.MaxCompressedBytes(data.Length)];
        return buffer[..compressor.Compress(data, buffer)];
    }

    // Neither noise nor zeros.
    private static byte[] Sample(int bytes)
    {
        var random = new Random(1);
        var data = new byte[bytes];
        for (var i = 0; i < bytes; i++) data[i] = (byte)(i % 7 == 0 ? random.Next(256) : i / 100);
        return data;
    }
}
