using System.Buffers;
using System.IO.Compression;

namespace Abathur.Compression;

/// <summary>gzip (RFC 1952), one member per payload.</summary>
/// <remarks>.NET cannot reuse a deflate state, so each payload needs a stream: some hundred managed bytes, and its native state.</remarks>
public sealed class GzipCompressor : IPayloadCompressor
{
#if NET9_0_OR_GREATER
    private readonly ZLibCompressionOptions _options;
#else
    private readonly CompressionLevel _options;
#endif
    private readonly WriterStream _stream = new();

    /// <param name="level">1 (fast) to 9 (small). On .NET 8: 1 to 3, 4 to 6, and 7 to 9 are the same.</param>
    /// <exception cref="ArgumentOutOfRangeException">The level is out of range.</exception>
    public GzipCompressor(int level)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(level, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(level, 9);
#if NET9_0_OR_GREATER
        _options = new ZLibCompressionOptions { CompressionLevel = level };
#else
        // .NET 8 has three levels.
        _options = level switch { <= 3 => CompressionLevel.Fastest, <= 6 => CompressionLevel.Optimal, _ => CompressionLevel.SmallestSize };
#endif
    }

    /// <inheritdoc/>
    public void Compress(ReadOnlySpan<byte> source, IBufferWriter<byte> output)
    {
        // Without a write the stream omits header and trailer as well.
        if (source.IsEmpty)
        {
            output.Write(EmptyMember);
            return;
        }
        _stream.Output = output;
        try
        {
            using var gzip = new GZipStream(_stream, _options, leaveOpen: true);
            gzip.Write(source);
        }
        finally
        {
            _stream.Output = null;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _stream.Dispose();

    private static ReadOnlySpan<byte> EmptyMember => [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];

    /// <summary>A stream that writes to a buffer writer; reused for all payloads.</summary>
    private sealed class WriterStream : ForwardOnlyStream
    {
        public IBufferWriter<byte>? Output { get; set; }

        public override bool CanWrite => true;

        public override void Write(ReadOnlySpan<byte> buffer) => Output!.Write(buffer);
    }
}
