using System.Buffers;
using System.Buffers.Binary;
using System.IO.Compression;

namespace Abathur.Sync.Transports.Grpc;

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
    /// The decompressed message. Throws <see cref="GrpcException"/> (RESOURCE_EXHAUSTED) past <paramref name="maxBytes"/>,
    /// <see cref="InvalidDataException"/> for what is not one whole gzip member.
    /// </summary>
    public static byte[] Decompress(ReadOnlySequence<byte> message, int maxBytes)
    {
        using var gzip = new GZipStream(new MemoryStream(message.ToArray()), CompressionMode.Decompress);
        var decompressed = new MemoryStream();
        var chunk = ArrayPool<byte>.Shared.Rent(64 * 1024);
        try
        {
            int read;
            while ((read = gzip.Read(chunk)) > 0)
            {
                if (decompressed.Length + read > maxBytes)
                {
                    throw new GrpcException(GrpcStatusCode.ResourceExhausted, $"a request message decompresses to more than {maxBytes} bytes");
                }
                decompressed.Write(chunk, 0, read);
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(chunk);
        }
        if (!IsWhole(message, decompressed.Length)) throw new InvalidDataException();
        return decompressed.ToArray();
    }

    /// <summary>
    /// GZipStream takes an end within the header for an empty stream, so the length in the last four bytes is compared. No
    /// bytes at all are an empty message: clients on GZipStream send it like that.
    /// </summary>
    private static bool IsWhole(ReadOnlySequence<byte> member, long decompressedBytes)
    {
        const int HeaderBytes = 10, TrailerBytes = 8;
        if (member.IsEmpty) return true;
        if (member.Length < HeaderBytes + TrailerBytes) return false;
        Span<byte> length = stackalloc byte[4];
        member.Slice(member.Length - 4).CopyTo(length);
        return BinaryPrimitives.ReadUInt32LittleEndian(length) == decompressedBytes;
    }
}
