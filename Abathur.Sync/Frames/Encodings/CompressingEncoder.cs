using System.Buffers;
using Abathur.Compression;

namespace Abathur.Sync.Frames.Encodings;

/// <summary>
/// Compresses each payload of another encoder independently; without another encoder, the observation itself. The other encoder determines
/// which payloads are keyframes. Owns the encoder and the compressor.
/// </summary>
internal sealed class CompressingEncoder(IFrameEncoder? inner, IPayloadCompressor compressor) : IFrameEncoder, IDisposable
{
    private int _plainBytes;

    public EncodedPayload Encode(ReadOnlySpan<byte> observation, bool mustBeKeyframe, IBufferWriter<byte> payload)
    {
        if (inner is null)
        {
            Compress(observation, payload);
            return new EncodedPayload(true, observation.Length);
        }
        var plain = SharedBuffer.Rent(_plainBytes);
        try
        {
            var encoded = inner.Encode(observation, mustBeKeyframe, plain);
            _plainBytes = Math.Max(_plainBytes, plain.Span.Length);
            Compress(plain.Span, payload);
            return encoded with { PlainBytes = plain.Span.Length };
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
