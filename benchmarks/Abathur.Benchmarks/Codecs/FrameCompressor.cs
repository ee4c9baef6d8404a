using System.IO.Compression;
using Abathur.Sync.Encodings.Compression;

namespace Abathur.Benchmarks.Codecs;

/// <summary>Compresses frames one by one, with contexts and buffers that are reused. Not thread-safe.</summary>
internal sealed class FrameCompressor(FrameCompression compression) : IDisposable
{
    private const int BrotliQuality = 4;
    private const int BrotliWindowBits = 22;
    private const int ZstdLevel = 3;
    private readonly ZstdCompressor? _zstd = compression == FrameCompression.Zstd ? new ZstdCompressor(ZstdLevel) : null;
    private readonly ZstdDecompressor? _unzstd = compression == FrameCompression.Zstd ? new ZstdDecompressor() : null;
    private readonly MemoryStream _stream = new();
    private byte[] _compressed = [];
    private byte[] _plain = [];

    /// <summary>Library and level, for people.</summary>
    public string Label => compression switch
    {
        FrameCompression.Gzip => "gzip level 6",
        FrameCompression.Brotli => $"Brotli quality {BrotliQuality}",
        _ => $"zstd level {ZstdLevel}",
    };

    /// <summary>Compresses; the result is valid until the next call.</summary>
    public ReadOnlyMemory<byte> Compress(ReadOnlySpan<byte> plain)
    {
        // The receiver below makes room for the largest frame so far, as an agent with a limit does.
        if (plain.Length > _plain.Length) _plain = new byte[plain.Length + plain.Length / 4];
        switch (compression)
        {
            case FrameCompression.Gzip:
                _stream.SetLength(0);
                using (var gzip = new GZipStream(_stream, CompressionLevel.Optimal, leaveOpen: true)) gzip.Write(plain);
                return _stream.GetBuffer().AsMemory(0, (int)_stream.Length);
            case FrameCompression.Brotli:
                Reserve(BrotliEncoder.GetMaxCompressedLength(plain.Length));
                if (!BrotliEncoder.TryCompress(plain, _compressed, out var written, BrotliQuality, BrotliWindowBits)) throw new InvalidDataException("Brotli did not compress");
                return _compressed.AsMemory(0, written);
            default:
                Reserve(ZstdCompressor.MaxCompressedBytes(plain.Length));
                return _compressed.AsMemory(0, _zstd!.Compress(plain, _compressed));
        }
    }

    /// <summary>Decompresses what <see cref="Compress"/> of this object gave; the result is valid until the next call.</summary>
    public ReadOnlyMemory<byte> Decompress(ReadOnlyMemory<byte> compressed)
    {
        switch (compression)
        {
            case FrameCompression.Gzip:
                // GZipStream wants a stream: this one is over the array itself.
                _ = System.Runtime.InteropServices.MemoryMarshal.TryGetArray(compressed, out var array);
                using (var gzip = new GZipStream(new MemoryStream(array.Array!, array.Offset, array.Count, writable: false), CompressionMode.Decompress))
                    return _plain.AsMemory(0, gzip.ReadAtLeast(_plain, _plain.Length, throwOnEndOfStream: false));
            case FrameCompression.Brotli:
                if (!BrotliDecoder.TryDecompress(compressed.Span, _plain, out var written)) throw new InvalidDataException("Brotli did not decompress");
                return _plain.AsMemory(0, written);
            default:
                return _plain.AsMemory(0, _unzstd!.Decompress(compressed.Span, _plain));
        }
    }

    public void Dispose()
    {
        _zstd?.Dispose();
        _unzstd?.Dispose();
        _stream.Dispose();
    }

    private void Reserve(int bytes)
    {
        if (_compressed.Length < bytes) _compressed = new byte[bytes];
    }
}
