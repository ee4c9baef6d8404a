using Abathur.Compression;
using Abathur.Grpc;
using Abathur.Sync.Encodings;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports;

/// <summary>The compression that a subscription asks for, checked.</summary>
internal static class CompressionRequest
{
    private const string Known = "none, gzip, br, zstd, zstd-stream, br-stream";

    /// <summary>The level to compress with, defaults filled in; 0 without compression. Throws <see cref="GrpcException"/> for what is not served.</summary>
    public static int CheckLevel(SubscribeRequest request, Encoding encoding, TransportTraits transport)
    {
        var (compression, level) = (request.Compression, request.CompressionLevel);
        if (compression == V1.Compression.None)
        {
            return level == 0 ? 0 : throw Refusal(GrpcStatusCode.InvalidArgument, $"compression_level is {level} without a compression: ask for one, too ({Known})");
        }
        if (compression.Kind() is not { } chosen)
        {
            throw Refusal(GrpcStatusCode.InvalidArgument, $"compression {compression} does not exist; known here: {Known}");
        }
        if (transport.IsText(encoding))
        {
            throw Refusal(
                GrpcStatusCode.InvalidArgument,
                $"compression {chosen.Name} cannot be carried in JSON text: " + (transport.Form == WireFormat.Json
                    ? "subscribe with a binary message (protobuf), in which encoding json can be compressed as well"
                    : "ask for encoding proto, or for encoding json over gRPC or binary WebSocket messages"));
        }
        if (!chosen.IsAvailable) throw Refusal(GrpcStatusCode.Unimplemented, $"compression {chosen.Name} is not served: {LibZstd.InstallMessage}");
        if (level == 0) return chosen.DefaultLevel;
        if (chosen.Takes(level)) return level;
        throw Refusal(
            GrpcStatusCode.InvalidArgument,
            $"compression_level is {level}; {chosen.Name} takes {chosen.MinLevel} to {chosen.MaxLevel}, and 0 for the default ({chosen.DefaultLevel})");
    }

    private static GrpcException Refusal(GrpcStatusCode code, string message) => new(code, message);
}
