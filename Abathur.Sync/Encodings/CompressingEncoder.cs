using System.Buffers;
using Abathur.Sync.Encodings.Compression;
using Abathur.Sync.Frames;

namespace Abathur.Sync.Encodings;

/// <summary>Another encoder's payload, compressed; without one, the observation itself. Owns both.</summary>
internal sealed class CompressingEncoder(IFrameEncoder? inner, IPayloadCompressor compressor) : IFrameEncoder, IDisposable
{
    private int _plainBytes;

    public void Encode(ReadOnlySpan<byte> observation, IBufferWriter<byte> payload)
    {
        if (inner is null)
        {
            Compress(observation, payload);
            return;
        }
        var plain = SharedBuffer.Rent(_plainBytes);
        try
        {
            inner.Encode(observation, plain);
            _plainBytes = Math.Max(_plainBytes, plain.Span.Length);
            Compress(plain.Span, payload);
        }
        finally
        {
            plain.Release();
        }
    }

    public void Dispose()
    {
        compressor.Dispose();
        (inner as IDisposable)?.Dispose();
    }

    private void Compress(ReadOnlySpan<byte> plain, IBufferWriter<byte> payload)
    {
        try
        {
            compressor.Compress(plain, payload);
        }
        catch (CompressionException e)
        {
            throw new InvalidDataException(e.Message, e);
        }
    }
}
