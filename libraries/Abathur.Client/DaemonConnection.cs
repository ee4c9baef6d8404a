using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>A connection that subscribes: messages of the daemon one way, acknowledgements and requests the other way. One task reads, and
/// one writes.</summary>
public abstract class DaemonConnection : IDisposable
{
    /// <summary>The first answer of the daemon. With game data, reading it takes as long as several frames, which would be dropped
    /// meanwhile: it is read when it is asked for, and may then throw <see cref="ProtocolException"/>.</summary>
    public Lazy<Match> Match { get; protected set; } = new(() => new Match());

    /// <summary>The run of the source that has the frame in the last message; empty where nothing tells it.</summary>
    public virtual string RunId => Head.RunId;

    /// <summary>Whether it can go on from match to match.</summary>
    public virtual bool CanFollow => Head.IsDated;

    /// <summary>Whether messages are JSON.</summary>
    public virtual bool IsJson => false;

    /// <summary>What becomes of the frame in the last message: a transport that gets each frame leaves out those that are not asked
    /// for.</summary>
    public virtual FrameUse Use => FrameUse.Give;

    /// <summary>What is known of the match without reading all of it.</summary>
    internal MatchHead Head { get; private set; } = new("", false);

    /// <summary>Which match of the subscription has the frame in the last message: 0 the first.</summary>
    internal uint MatchIndex { get; private set; }

    /// <summary>Whether frames before the one in the last message were lost, so that nothing tells what happened in them.</summary>
    public virtual bool HasGap => false;

    /// <summary>The next <c>ServerMessage</c>. Valid until the next call.</summary>
    /// <exception cref="BrokenConnectionException">The connection broke.</exception>
    /// <exception cref="DaemonStoppingException">The daemon is shutting down.</exception>
    /// <exception cref="RequestException">The daemon ends the subscription.</exception>
    /// <exception cref="ProtocolException">The message is too long.</exception>
    public abstract ValueTask<ReadOnlyMemory<byte>> NextAsync(CancellationToken cancellationToken);

    /// <summary>Acknowledges a frame, where the other side needs it.</summary>
    /// <exception cref="BrokenConnectionException">The connection broke.</exception>
    public virtual ValueTask AcknowledgeAsync(ulong sequence, CancellationToken cancellationToken) => default;

    /// <inheritdoc/>
    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Goes on with the next match.</summary>
    /// <param name="match">It, serialized.</param>
    /// <exception cref="ProtocolException">It is not one.</exception>
    internal void Continue(ReadOnlySpan<byte> match)
    {
        Begin(match);
        MatchIndex++;
    }

    /// <summary>Sends a message.</summary>
    /// <exception cref="BrokenConnectionException">The connection broke.</exception>
    internal virtual ValueTask SendAsync(ClientMessage message, CancellationToken cancellationToken) => throw new NotSupportedException();

    /// <summary>Ends the subscription.</summary>
    protected abstract void Dispose(bool disposing);

    /// <summary>Sets the match.</summary>
    private protected void Begin(ReadOnlySpan<byte> match)
    {
        var kept = match.ToArray();
        Begin(new Lazy<Match>(() => ServerText.Parse<Match>(kept)), MatchHead.Of(kept));
    }

    /// <summary>Sets the match.</summary>
    private protected void Begin(Lazy<Match> match, MatchHead head) => (Match, Head) = (match, head);

    /// <summary>The exception where the first answer is not the match.</summary>
    private protected static ProtocolException NotMatch(ServerMessage.MessageOneofCase kind) => new($"expected the match, got {kind}");
}
