using System.Buffers;

namespace Abathur.Compression;

/// <summary>
/// Compresses payloads independently of each other. Not thread-safe; state is reused for the next payload if
/// possible.
/// </summary>
public interface IPayloadCompressor : IDisposable
{
    /// <summary>Appends all of <paramref name="source"/>, compressed and complete, to <paramref name="output"/>.</summary>
    /// <exception cref="CompressionException">The compression library failed.</exception>
    void Compress(ReadOnlySpan<byte> source, IBufferWriter<byte> output);
}
