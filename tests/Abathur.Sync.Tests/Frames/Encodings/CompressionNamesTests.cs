using System.Buffers;
using Abathur.Compression;
using Abathur.Sync.Frames.Encodings;
using Abathur.Synth.Tests;
using V1Compression = Abathur.Sync.V1.Compression;

namespace Abathur.Sync.Tests.Frames.Encodings;

public class CompressionNamesTests
{
    [Fact]
    public void Kind_EachValueOfTheProtocol_IsTheCompressionOfThatName()
    {
        Assert.Null(V1Compression.None.Kind());
        Assert.Equal(PayloadCompression.Gzip, V1Compression.Gzip.Kind());
        Assert.Equal(PayloadCompression.Brotli, V1Compression.Br.Kind());
        Assert.Equal(PayloadCompression.Zstd, V1Compression.Zstd.Kind());
        Assert.Equal(StreamCompression.Zstd, V1Compression.ZstdStream.Kind());
        Assert.Equal(StreamCompression.Brotli, V1Compression.BrStream.Kind());
        Assert.Null(V1Compression.ZstdStream.PayloadKind());
        Assert.Null(V1Compression.Zstd.StreamKind());
    }

    [Theory]
    [StreamCompressionData]
    public void StreamKind_GeneratedMatch_IsCompressedWell(V1Compression compression)
    {
        using var compressor = compression.StreamKind()!.Create(compression.StreamKind()!.DefaultLevel);
        compressor.Restart(21);
        var frames = Generated.Skirmish.Skip(600).Take(200).ToList();
        var output = new ArrayBufferWriter<byte>();
        foreach (var frame in frames) compressor.Compress(frame, output);
        Assert.InRange(output.WrittenCount, 1, frames.Sum(frame => frame.Length) / 25);
    }
}
