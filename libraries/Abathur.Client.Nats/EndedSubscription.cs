using Abathur.Sync.V1;
using Google.Protobuf;

namespace Abathur.Client.Nats;

/// <summary>A subscription to a match that is over.</summary>
internal sealed class EndedSubscription : DaemonConnection
{
    /// <summary>What a daemon says at the end of a match.</summary>
    public static readonly ReadOnlyMemory<byte> End = new ServerMessage { End = new End() }.ToByteArray();

    public EndedSubscription(Lazy<Match>? match)
    {
        if (match is not null) Match = match;
    }

    /// <inheritdoc/>
    public override ValueTask<ReadOnlyMemory<byte>> NextAsync(CancellationToken cancellationToken) => new(End);

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
    }
}
