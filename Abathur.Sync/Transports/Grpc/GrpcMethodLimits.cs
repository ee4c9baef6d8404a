using Abathur.Sync.Access;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>What a gRPC method may cost, and who may call it: metadata of its endpoint. Other services have the defaults.</summary>
internal sealed record GrpcMethodLimits
{
    /// <summary>Largest request of methods with small requests: queries, subscriptions, health, reflection.</summary>
    private const int MaxSmallBytes = 64 * 1024;

    /// <summary>Limits of a method that says nothing about them.</summary>
    public static GrpcMethodLimits Default { get; } = new();

    /// <summary>What the caller has to be allowed to do. Default: anybody may call it.</summary>
    public AccessLevel Needed { get; init; } = AccessLevel.None;

    /// <summary>Whether the token may also be in the first message. One in the metadata is checked at once all the same.</summary>
    public bool TokenMayFollow { get; init; }

    /// <summary>Largest request message in bytes.</summary>
    public int MaxMessageBytes { get; init; } = MaxSmallBytes;
}
