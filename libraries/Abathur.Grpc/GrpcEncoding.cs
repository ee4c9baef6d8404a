using System.Buffers;
using System.Buffers.Binary;
using System.IO.Compression;
using System.IO.Pipelines;

namespace Abathur.Grpc;

/// <summary>Message compression as <c>grpc-encoding</c> names it: identity and gzip.</summary>
internal static class GrpcEncoding
{
    public const string Identity = "identity";
    public const string Gzip = "gzip";

    /// <summary>Value of <c>grpc-accept-encoding</c>.</summary>
    public const string Accepted = "identity,gzip";

    public static bool IsKnown(string name) => name is Identity or Gzip;

    /// <summary>The message as one gzip member. An empty message is refused: GZipStream would write nothing, which is not gzip.</summary>
    public static byte[] Compress(ReadOnlySpan<byte> message)
    {
        ArgumentOutOfRangeException.ThrowIfZero(message.Length);
        var compressed = new MemoryStream();
        using (var gzip = new GZipStream(compressed, CompressionLevel.Fastest)) gzip.Write(message);
        return compressed.ToArray();
    }

    /// <summary>
    /// The decompressed size of a gzip member, from its last four bytes (RFC 1952). No bytes at all are an empty message: clients that use
    /// GZipStream send it like that.
    /// </summary>
    /// <exception cref="InvalidDataException">It is too short for a gzip member.</exception>
    public static long MeasureDecompressed(ReadOnlySequence<byte> member)
    {
        const int HeaderBytes = 10, TrailerBytes = 8;
        if (member.IsEmpty) return 0;
        if (member.Length < HeaderBytes + TrailerBytes) throw new InvalidDataException();
        Span<byte> length = stackalloc byte[sizeof(uint)];
        member.Slice(member.Length - length.Length).CopyTo(length);
        return BinaryPrimitives.ReadUInt32LittleEndian(length);
    }

    /// <summary>Decompresses a member into exactly the number of bytes that <see cref="MeasureDecompressed"/> has returned.</summary>
    /// <exception cref="InvalidDataException">It is not one complete gzip member of that length.</exception>
    public static void Decompress(ReadOnlySequence<byte> member, Span<byte> output)
    {
        if (member.IsEmpty) return;
        using var gzip = new GZipStream(PipeReader.Create(member).AsStream(), CompressionMode.Decompress);
        Span<byte> beyond = stackalloc byte[1];
        // GZipStream treats a truncated header as an empty stream, and verifies the checksum at the end, so the end has to be read.
        if (gzip.ReadAtLeast(output, output.Length, throwOnEndOfStream: false) < output.Length || gzip.Read(beyond) != 0)
            throw new InvalidDataException();
    }
}
