using System.Buffers;
using System.IO.Pipelines;
using Abathur.Sync.Requests;

namespace Abathur.Sync.Transports.Socket;

/// <summary>The input of a connection, with the limits of <see cref="IncompleteMessages"/>: what is examined and not consumed is a message
/// that is not complete. Not thread-safe.</summary>
/// <param name="input">The input of the connection, which the caller completes.</param>
/// <param name="budget">What all connections may have together.</param>
/// <param name="clock">Measures how long a message takes.</param>
internal sealed class BoundedInput(PipeReader input, ByteBudget budget, TimeProvider clock) : PipeReader, IDisposable
{
    private ReadOnlySequence<byte> _buffer;
    private long _heldBytes;
    private long? _since;

    /// <exception cref="RefusedException">The message takes too long (DEADLINE_EXCEEDED).</exception>
    public override async ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (_since is not { } since) return Note(await input.ReadAsync(cancellationToken));
        var left = IncompleteMessages.TimeLimit - clock.GetElapsedTime(since);
        if (left <= TimeSpan.Zero) throw IncompleteMessages.TooSlow();
        using var limit = new CancellationTokenSource(left, clock);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            return Note(await input.ReadAsync(either.Token));
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw IncompleteMessages.TooSlow();
        }
    }

    public override bool TryRead(out ReadResult result)
    {
        var hasRead = input.TryRead(out result);
        if (hasRead) Note(result);
        return hasRead;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    /// <exception cref="RefusedException">Incomplete messages of all connections have too many bytes (RESOURCE_EXHAUSTED).</exception>
    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        var isWaiting = _buffer.GetOffset(examined) == _buffer.GetOffset(_buffer.End);
        var bytes = isWaiting ? _buffer.Slice(consumed).Length : 0;
        var isNext = _buffer.GetOffset(consumed) != _buffer.GetOffset(_buffer.Start);
        input.AdvanceTo(consumed, examined);
        _buffer = default;
        if (bytes == 0) _since = null;
        else if (_since is null || isNext) _since = clock.GetTimestamp();
        Hold(bytes > IncompleteMessages.FreeBytes ? bytes : 0);
    }

    public override void CancelPendingRead() => input.CancelPendingRead();

    public override void Complete(Exception? exception = null) => input.Complete(exception);

    public void Dispose() => Hold(0);

    private ReadResult Note(ReadResult result)
    {
        _buffer = result.Buffer;
        return result;
    }

    private void Hold(long bytes)
    {
        if (bytes < _heldBytes) budget.Release(_heldBytes - bytes);
        else if (bytes > _heldBytes && !budget.TryReserve(bytes - _heldBytes))
            throw new RefusedException(RequestStatus.ResourceExhausted, IncompleteMessages.NoRoom);
        _heldBytes = bytes;
    }
}
