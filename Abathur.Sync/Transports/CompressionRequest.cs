using Abathur.Compression;
using Abathur.Sync.Frames.Encodings;
using Abathur.Sync.Requests;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports;

/// <summary>Validates the compression of a subscription.</summary>
internal static class CompressionRequest
{
    private const string Known = "none, gzip, br, zstd, zstd-stream, br-stream";

    /// <summary>The compression level, with the default filled in; 0 without compression. Throws <see cref="RefusedException"/> if it is
    /// not supported.</summary>
    public static int CheckLevel(SubscribeRequest request, Encoding encoding, TransportTraits transport)
    {
        var (compression, level) = (request.Compression, request.CompressionLevel);
        if (compression == V1.Compression.None)
        {
            return level == 0
                ? 0
                : throw Refusal(
                    RequestStatus.InvalidArgument,
                    $"compression_level is {level} without a compression: set compression as well ({Known})");
        }
        if (compression.Kind() is not { } chosen)
        {
            throw Refusal(RequestStatus.InvalidArgument, $"compression {compression} does not exist; known here: {Known}");
        }
        if (transport.IsText(encoding))
        {
            throw Refusal(
                RequestStatus.InvalidArgument,
                $"compression {chosen.Name} cannot be carried in JSON text: " + (transport.Form == WireFormat.Json
                    ? "subscribe with a binary message (protobuf), in which encoding json can be compressed as well"
                    : "use encoding proto, or encoding json over gRPC or binary WebSocket messages"));
        }
        if (!chosen.IsAvailable)
            throw Refusal(RequestStatus.Unimplemented, $"compression {chosen.Name} is not served: {LibZstd.InstallMessage}");
        if (level == 0) return chosen.DefaultLevel;
        if (chosen.Takes(level)) return level;
        throw Refusal(
            RequestStatus.InvalidArgument,
            $"compression_level is {level}; {chosen.Name} takes {chosen.MinLevel} to {chosen.MaxLevel}, and 0 for the default "
                + $"({chosen.DefaultLevel})");
    }

    private static RefusedException Refusal(RequestStatus code, string message) => new(code, message);
}
