using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>A connection that subscribes: messages of the daemon one way, acknowledgements and requests the other way. One task reads, and
/// one writes.</summary>
internal abstract class DaemonConnection : IDisposable
{
    /// <summary>The first answer of the daemon. With game data, reading it takes as long as several frames, which would be dropped
    /// meanwhile: it is read when it is asked for, and may then throw <see cref="ProtocolException"/>.</summary>
    public Lazy<Match> Match { get; protected set; } = new(() => new Match());

    /// <summary>Whether messages are JSON.</summary>
    public abstract bool IsJson { get; }

    /// <summary>The next <c>ServerMessage</c>. Valid until the next call.</summary>
    /// <exception cref="BrokenConnectionException">The connection broke.</exception>
    /// <exception cref="DaemonStoppingException">The daemon is shutting down.</exception>
    /// <exception cref="RequestException">The daemon ends the subscription.</exception>
    /// <exception cref="ProtocolException">The message is too long.</exception>
    public abstract ValueTask<ReadOnlyMemory<byte>> NextAsync(CancellationToken cancellation);

    /// <summary>Sends a message.</summary>
    /// <exception cref="BrokenConnectionException">The connection broke.</exception>
    public abstract ValueTask SendAsync(ClientMessage message, CancellationToken cancellation);

    /// <summary>Acknowledges a frame.</summary>
    /// <exception cref="BrokenConnectionException">The connection broke.</exception>
    public abstract ValueTask AcknowledgeAsync(ulong sequence, CancellationToken cancellation);

    /// <inheritdoc/>
    public abstract void Dispose();

    /// <summary>The match in the first answer.</summary>
    protected static Match MatchOf(ServerMessage answer) =>
        answer.Match ?? throw new ProtocolException($"expected the match, got {answer.MessageCase}");
}
