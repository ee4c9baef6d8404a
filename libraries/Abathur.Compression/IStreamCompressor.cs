using System.Buffers;

namespace Abathur.Compression;

/// <summary>
/// Compresses payloads in order, each with the history since <see cref="Restart"/>. Each payload can be decompressed completely as soon as
/// it has arrived. Not thread-safe.
/// </summary>
public interface IStreamCompressor : IDisposable
{
    /// <summary>Begins a new stream without history. The previous stream is not ended.</summary>
    /// <param name="windowBits">How far back matches reach, as a power of two in bytes.</param>
    /// <exception cref="CompressionException">The compression library failed.</exception>
    void Restart(int windowBits);

    /// <summary>Appends all of <paramref name="source"/>, compressed and flushed, to <paramref name="output"/>. After a first
    /// <see cref="Restart"/>.</summary>
    /// <exception cref="CompressionException">The compression library failed.</exception>
    void Compress(ReadOnlySpan<byte> source, IBufferWriter<byte> output);
}
