using Abathur.Compression;

namespace Abathur.Sync.Transports.WebSocket;

/// <summary>
/// The stream of an upgraded request, whose pending read ends when the stream is disposed. A WebSocket of .NET disposes its stream when a
/// ping stays unanswered; the server's own stream would then leave the read, and so the connection, waiting for the silent peer.
/// </summary>
/// <param name="inner">The server's stream; disposed with this one.</param>
internal sealed class UpgradedStream(Stream inner) : ForwardOnlyStream
{
    private readonly CancellationTokenSource _disposed = new();

    public override bool CanRead => true;

    public override bool CanWrite => true;

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (!cancellationToken.CanBeCanceled) return await inner.ReadAsync(buffer, _disposed.Token);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(_disposed.Token, cancellationToken);
        return await inner.ReadAsync(buffer, either.Token);
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        inner.WriteAsync(buffer, cancellationToken);

    public override Task FlushAsync(CancellationToken cancellationToken) => inner.FlushAsync(cancellationToken);

    protected override void Dispose(bool disposing)
    {
        // The source stays undisposed: a read may begin at this moment, and it holds no handle.
        if (disposing)
        {
            _disposed.Cancel();
            inner.Dispose();
        }
        base.Dispose(disposing);
    }
}
