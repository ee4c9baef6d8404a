using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Grpc.Core;
using Microsoft.AspNetCore.Http.Features;

namespace Abathur.Sync.Transports.Grpc;

/// <summary>
/// The body of a gRPC request, with limits that the gRPC library does not have: it looks at the five bytes before each message before that
/// message is buffered. What breaks a limit ends the call with a status, and the rest is not read. For one reader.
/// </summary>
/// <param name="body">The body.</param>
/// <param name="budget">Counts the bytes of a message until all of it has been read.</param>
/// <param name="maxMessageBytes">Largest message.</param>
/// <param name="isStream">Whether more than one message may come. If not, the time limit is that of the end of the body.</param>
/// <param name="clock">Measures how long the first message takes.</param>
internal sealed class GrpcRequestBody(PipeReader body, ByteBudget budget, int maxMessageBytes, bool isStream, TimeProvider clock)
    : PipeReader, IRequestBodyPipeFeature, IDisposable
{
    private CancellationTokenSource? _limit = new(FirstMessageTimeout, clock);
    private ReadOnlySequence<byte> _buffer;
    private long _heldBytes;
    private RpcException? _failure;

    /// <summary>How long a client may take to send its complete first message.</summary>
    public static TimeSpan FirstMessageTimeout { get; } = TimeSpan.FromSeconds(8);

    /// <summary>Largest message, from the next read on.</summary>
    public int MaxMessageBytes { get; set; } = maxMessageBytes;

    PipeReader IRequestBodyPipeFeature.Reader => this;

    /// <exception cref="RpcException">A limit is exceeded, or what came is not a message of gRPC.</exception>
    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (_failure is not null) throw _failure;
        return _limit is { } limit ? ReadFirstAsync(limit, cancellationToken) : ReadLaterAsync(cancellationToken);
    }

    public override bool TryRead(out ReadResult result)
    {
        if (_failure is not null) throw _failure;
        try
        {
            if (!body.TryRead(out result)) return false;
        }
        catch (IOException)
        {
            throw Disconnected();
        }
        Check(result);
        return true;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        if (_buffer.GetOffset(consumed) != _buffer.GetOffset(_buffer.Start))
        {
            // A message was taken.
            Release();
            if (isStream) EndLimit();
        }
        _buffer = default;
        try
        {
            body.AdvanceTo(consumed, examined);
        }
        catch (IOException)
        {
            throw Disconnected();
        }
    }

    public override void CancelPendingRead() => body.CancelPendingRead();

    public override void Complete(Exception? exception = null) => body.Complete(exception);

    /// <summary>The call is over.</summary>
    public void Dispose()
    {
        Release();
        EndLimit();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> ReadLaterAsync(CancellationToken cancellationToken)
    {
        try
        {
            return Check(await body.ReadAsync(cancellationToken));
        }
        catch (IOException)
        {
            throw Disconnected();
        }
    }

    private async ValueTask<ReadResult> ReadFirstAsync(CancellationTokenSource limit, CancellationToken cancellationToken)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        try
        {
            return await ReadLaterAsync(either.Token);
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw _failure = GrpcErrors.Of(
                StatusCode.DeadlineExceeded, $"no complete message came within {FirstMessageTimeout.TotalSeconds:0.###} s");
        }
    }

    private ReadResult Check(ReadResult result)
    {
        _buffer = result.Buffer;
        _failure = FindFailure(_buffer, result.IsCompleted);
        if (_failure is null) return result;
        // What is not examined stops the client. No more is needed of it.
        AdvanceTo(_buffer.Start);
        throw _failure;
    }

    /// <summary>The web server throws from every member once the stream is reset or the connection is gone, some time before it cancels the
    /// request.</summary>
    private RpcException Disconnected() => _failure = GrpcErrors.Of(StatusCode.Cancelled, "the client has disconnected");

    /// <summary>Looks at the message that is read now, and counts what there is of it.</summary>
    private RpcException? FindFailure(in ReadOnlySequence<byte> buffer, bool isLast)
    {
        if (buffer.IsEmpty) return null;
        var length = GrpcOutput.PrefixBytes + 0L;
        if (buffer.Length >= GrpcOutput.PrefixBytes)
        {
            Span<byte> prefix = stackalloc byte[GrpcOutput.PrefixBytes];
            buffer.Slice(0, GrpcOutput.PrefixBytes).CopyTo(prefix);
            var messageBytes = BinaryPrimitives.ReadUInt32BigEndian(prefix[1..]);
            if (messageBytes > (uint)MaxMessageBytes)
                return GrpcErrors.Of(
                    StatusCode.ResourceExhausted, $"a request message of {messageBytes} bytes is over the limit of {MaxMessageBytes}");
            if (prefix[0] > 1) return GrpcErrors.Of(StatusCode.Internal, $"compressed flag {prefix[0]} is neither 0 nor 1");
            if (prefix[0] == 1) return GrpcErrors.Of(StatusCode.Unimplemented, "requests must not be compressed");
            length += messageBytes;
        }
        if (buffer.Length >= length) return null;
        if (isLast) return GrpcErrors.Of(StatusCode.Internal, $"the request ended inside a message (after {buffer.Length} bytes)");
        if (TryHold(buffer.Length)) return null;
        return GrpcErrors.Of(
            StatusCode.ResourceExhausted,
            $"{buffer.Length} bytes of a request message are over what the connection ({budget.MaxBytes} bytes) or the server may hold: "
                + "send fewer large messages at once");
    }

    /// <summary>Counts the held bytes of this message, which only grow until it is complete.</summary>
    private bool TryHold(long bytes)
    {
        if (!budget.TryReserve(bytes - _heldBytes)) return false;
        _heldBytes = bytes;
        return true;
    }

    private void Release()
    {
        if (_heldBytes > 0) budget.Release(_heldBytes);
        _heldBytes = 0;
    }

    private void EndLimit()
    {
        // Not disposed: where the call is over, a read may begin with it at the same time.
        _limit?.CancelAfter(Timeout.InfiniteTimeSpan);
        _limit = null;
    }
}
