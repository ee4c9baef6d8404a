using System.Buffers;
using System.IO.Compression;
using System.Runtime.InteropServices;
using Abathur.Compression;

namespace Abathur.Benchmarks.Codecs;

/// <summary>Compresses frames as the daemon does, at its default level, and decompresses them; buffers are reused. Not
/// thread-safe.</summary>
internal sealed class FrameCompressor : IDisposable
{
    private readonly IPayloadCompressor _compressor;
    private readonly ZstdDecompressor? _zstd;
    private readonly PayloadCompression _compression;
    private readonly ArrayBufferWriter<byte> _compressed = new();
    private byte[] _plain = [];

    /// <exception cref="CompressionException">The system lacks the library for it.</exception>
    public FrameCompressor(PayloadCompression compression)
    {
        _compression = compression;
        _compressor = compression.Create(compression.DefaultLevel);
        if (compression.Name == "zstd") _zstd = new ZstdDecompressor();
    }

    /// <summary>Name and level, for people.</summary>
    public string Label => $"{_compression.Name} level {_compression.DefaultLevel}";

    /// <summary>Compresses; the result is valid until the next call.</summary>
    public ReadOnlyMemory<byte> Compress(ReadOnlySpan<byte> plain)
    {
        // The receiver below has room for the largest frame so far, as an agent with a limit has.
        if (plain.Length > _plain.Length) _plain = new byte[plain.Length + plain.Length / 4];
        _compressed.ResetWrittenCount();
        _compressor.Compress(plain, _compressed);
        return _compressed.WrittenMemory;
    }

    /// <summary>Decompresses what <see cref="Compress"/> of this object gave; the result is valid until the next call.</summary>
    public ReadOnlyMemory<byte> Decompress(ReadOnlyMemory<byte> compressed) => _plain.AsMemory(0, _compression.Name switch
    {
        "gzip" => Gunzip(compressed),
        "br" =>
            BrotliDecoder.TryDecompress(compressed.Span, _plain, out var written)
                ? written
                : throw new InvalidDataException("Brotli did not decompress"),
        _ => _zstd!.Decompress(compressed.Span, _plain),
    });

    public void Dispose()
    {
        _compressor.Dispose();
        _zstd?.Dispose();
    }

    private int Gunzip(ReadOnlyMemory<byte> compressed)
    {
        // GZipStream wants a stream: this one is over the array itself.
        if (!MemoryMarshal.TryGetArray(compressed, out var array)) array = compressed.ToArray();
        using var gzip = new GZipStream(
            new MemoryStream(array.Array!, array.Offset, array.Count, writable: false), CompressionMode.Decompress);
        return gzip.ReadAtLeast(_plain, _plain.Length, throwOnEndOfStream: false);
    }
}
