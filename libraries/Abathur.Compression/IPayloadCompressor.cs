using System.Buffers;

namespace Abathur.Compression;

/// <summary>
/// Compresses payloads, each for itself, so that any one can be read without the others. Not thread-safe; what can be
/// kept from one payload to the next is kept.
/// </summary>
public interface IPayloadCompressor : IDisposable
{
    /// <summary>Appends all of <paramref name="source"/>, compressed and complete, to <paramref name="output"/>.</summary>
    /// <exception cref="CompressionException">The compression library failed.</exception>
    void Compress(ReadOnlySpan<byte> source, IBufferWriter<byte> output);
}
