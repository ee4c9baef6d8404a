using System.Buffers;
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

    public static byte[] Compress(ReadOnlySpan<byte> message)
    {
        var compressed = new MemoryStream();
        using (var gzip = new GZipStream(compressed, CompressionLevel.Fastest)) gzip.Write(message);
        return compressed.ToArray();
    }

    /// <summary>
    /// The decompressed message. Throws <see cref="GrpcException"/> (RESOURCE_EXHAUSTED) past <paramref name="maxBytes"/>,
    /// <see cref="InvalidDataException"/> for what is not gzip.
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
        return decompressed.ToArray();
    }
}
