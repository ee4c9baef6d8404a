using System.Buffers;

namespace Abathur.Compression;

/// <summary>
/// Decompresses the payloads of a stream that an <see cref="IStreamCompressor"/> made, in order. A stream is read from its restart, or not
/// at all.
/// Not thread-safe.
/// </summary>
public interface IStreamDecompressor : IDisposable
{
    /// <summary>Begins a new stream. The history of the stream before is discarded.</summary>
    /// <exception cref="CompressionException">The compression library failed.</exception>
    void Restart();

    /// <summary>Appends the content of one payload to <paramref name="output"/>.</summary>
    /// <param name="source">One compressed payload, whole.</param>
    /// <param name="output">Receives at most <paramref name="maxBytes"/> bytes.</param>
    /// <param name="maxBytes">Largest content that is accepted.</param>
    /// <returns>The number of bytes appended.</returns>
    /// <exception cref="CompressionException">The data is damaged, its window is larger than 8 MiB, or its content is larger than
    /// <paramref name="maxBytes"/>. The stream cannot be continued.</exception>
    int Decompress(ReadOnlySpan<byte> source, IBufferWriter<byte> output, int maxBytes);
}
