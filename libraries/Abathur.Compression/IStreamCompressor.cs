using System.Buffers;

namespace Abathur.Compression;

/// <summary>
/// Compresses payloads one after the other, each with what came before it since <see cref="Restart"/>, and each so that all of it can be
/// decompressed when it is there. Not thread-safe.
/// </summary>
public interface IStreamCompressor : IDisposable
{
    /// <summary>Begins a new stream: what follows needs nothing of what came before. The stream before is left without an end.</summary>
    /// <param name="windowBits">How far back matches reach, as a power of two in bytes.</param>
    /// <exception cref="CompressionException">The compression library failed.</exception>
    void Restart(int windowBits);

    /// <summary>Appends all of <paramref name="source"/>, compressed and flushed, to <paramref name="output"/>. After a first <see cref="Restart"/>.</summary>
    /// <exception cref="CompressionException">The compression library failed.</exception>
    void Compress(ReadOnlySpan<byte> source, IBufferWriter<byte> output);
}
