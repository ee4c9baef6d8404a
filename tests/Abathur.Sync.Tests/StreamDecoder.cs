using System.Buffers;
using Abathur.Compression;
using Abathur.Sync.Frames.Encodings;

namespace Abathur.Sync.Tests;

/// <summary>Reads a stream compression as a receiver does: with a decoder that restarts at each keyframe.</summary>
internal sealed class StreamDecoder(IStreamDecompressor decompressor) : IDisposable
{
    private const int MaxBytes = 16 << 20;

    public static StreamDecoder For(V1.Compression compression) => new(compression.StreamKind()!.CreateDecompressor());

    public void Restart() => decompressor.Restart();

    public byte[] Decode(ReadOnlySpan<byte> payload)
    {
        var output = new ArrayBufferWriter<byte>();
        decompressor.Decompress(payload, output, MaxBytes);
        return output.WrittenSpan.ToArray();
    }

    public void Dispose() => decompressor.Dispose();
}
