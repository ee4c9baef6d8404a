using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>A connection that subscribes: messages of the daemon one way, acknowledgements and requests the other way. One task reads, and
/// one writes.</summary>
public abstract class DaemonConnection : IDisposable
{
    /// <summary>The first answer of the daemon. With game data, reading it takes as long as several frames, which would be dropped
    /// meanwhile: it is read when it is asked for, and may then throw <see cref="ProtocolException"/>.</summary>
    public Lazy<Match> Match { get; protected set; } = new(() => new Match());

    /// <summary>Whether messages are JSON.</summary>
    public virtual bool IsJson => false;

    /// <summary>What becomes of the frame in the last message: a transport that gets each frame leaves out those that are not asked
    /// for.</summary>
    public virtual FrameUse Use => FrameUse.Give;

    /// <summary>Whether frames before the one in the last message were lost, so that nothing tells what happened in them.</summary>
    public virtual bool HasGap => false;

    /// <summary>The next <c>ServerMessage</c>. Valid until the next call.</summary>
    /// <exception cref="BrokenConnectionException">The connection broke.</exception>
    /// <exception cref="DaemonStoppingException">The daemon is shutting down.</exception>
    /// <exception cref="RequestException">The daemon ends the subscription.</exception>
    /// <exception cref="ProtocolException">The message is too long.</exception>
    public abstract ValueTask<ReadOnlyMemory<byte>> NextAsync(CancellationToken cancellation);

    /// <summary>Acknowledges a frame, where the other side needs it.</summary>
    /// <exception cref="BrokenConnectionException">The connection broke.</exception>
    public virtual ValueTask AcknowledgeAsync(ulong sequence, CancellationToken cancellation) => default;

    /// <inheritdoc/>
    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Sends a message.</summary>
    /// <exception cref="BrokenConnectionException">The connection broke.</exception>
    internal virtual ValueTask SendAsync(ClientMessage message, CancellationToken cancellation) => throw new NotSupportedException();

    /// <summary>Ends the subscription.</summary>
    protected abstract void Dispose(bool disposing);

    /// <summary>The match in the first answer.</summary>
    private protected static Match MatchOf(ServerMessage answer) =>
        answer.Match ?? throw new ProtocolException($"expected the match, got {answer.MessageCase}");
}
