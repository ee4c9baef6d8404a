using System.Threading.Channels;
using Abathur.Client.Nats.Wire;
using Abathur.Sync.Requests;
using NATS.Client.Core;
using NATS.Client.JetStream;

namespace Abathur.Sync.Relay;

/// <summary>Appends messages to the stream of a match, each one at the position that it expects, with several on the way. After a failure
/// it is of no use: make another one.</summary>
internal sealed class StreamWriter : IAsyncDisposable
{
    /// <summary>Messages that the server has not acknowledged yet.</summary>
    private const int MostOnTheWay = 256;

    /// <summary>Of a message, at most; its size counts with it.</summary>
    private const int HeaderBytes = 1024;
    private static readonly TimeSpan AckTimeout = TimeSpan.FromSeconds(5);

    private readonly NatsServers _servers;
    private readonly string _match;
    private readonly TimeProvider _clock;
    private readonly Channel<Sent> _sent = Channel.CreateBounded<Sent>(MostOnTheWay);
    private readonly CancellationTokenSource _over = new();
    private readonly Task _acknowledging;

    /// <summary>Of this writer: a message of another one between two of its own would depend on the wrong keyframe.</summary>
    private readonly string _id = Guid.NewGuid().ToString("N");
    private string? _previous;
    private volatile ServersLostException? _failure;

    public StreamWriter(NatsServers servers, string match, TimeProvider clock)
    {
        (_servers, _match, _clock) = (servers, match, clock);
        _acknowledging = AcknowledgeAsync();
    }

    /// <summary>Called with each message that was stored.</summary>
    public Action<RelayStamp> Stored { get; init; } = static _ => { };

    /// <summary>Fires when a message was not stored.</summary>
    public CancellationToken Failed => _over.Token;

    /// <summary>Sends a message. Waits while too many are on the way.</summary>
    /// <exception cref="ServersLostException">It, or one before it, was not stored.</exception>
    /// <exception cref="RefusedException">FAILED_PRECONDITION: it is larger than the server accepts.</exception>
    public async ValueTask AppendAsync(RelayStamp stamp, ReadOnlyMemory<byte> data, CancellationToken cancellationToken)
    {
        ThrowIfFailed();
        if (data.Length > _servers.MaxMessageBytes - HeaderBytes)
        {
            throw new RefusedException(
                RequestStatus.FailedPrecondition,
                $"a frame of {data.Length} bytes is too large for the NATS server: raise its max_payload of {_servers.MaxMessageBytes}");
        }
        var headers = new NatsHeaders();
        foreach (var (name, value) in stamp.Headers()) headers[name] = value;
        var options = new NatsJSPubOpts
        {
            MsgId = stamp.MessageId(_id),
            ExpectedStream = RelayNames.Stream(_match),
            ExpectedLastSequence = stamp.Position - 1,
            ExpectedLastMsgId = _previous,
        };
        _previous = options.MsgId;
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _over.Token);
        try
        {
            await _sent.Writer.WaitToWriteAsync(either.Token);
            var answer = await _servers.Storing.PublishConcurrentAsync(
                RelayNames.Frames(_match), data, opts: options, headers: headers, cancellationToken: either.Token);
            await _sent.Writer.WriteAsync(new Sent(stamp, answer, _clock.GetTimestamp()), CancellationToken.None);
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            // Whatever the library throws while a connection breaks. The caller may be cancelled at the same time, because an earlier
            // message was not stored.
            ThrowIfFailed();
            throw new ServersLostException(NatsServers.ReasonOf(e), e);
        }
    }

    /// <summary>Waits until all are stored; no message can be sent then.</summary>
    /// <exception cref="ServersLostException">One was not stored.</exception>
    public async Task FlushAsync(CancellationToken cancellationToken)
    {
        _sent.Writer.TryComplete();
        await _acknowledging.WaitAsync(cancellationToken);
        ThrowIfFailed();
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        _sent.Writer.TryComplete();
        await _over.CancelAsync();
        await _acknowledging;
        while (_sent.Reader.TryRead(out var sent))
        {
            try
            {
                await sent.Answer.DisposeAsync();
            }
            catch (NatsException)
            {
                // The library throws here what the answer was: nothing stores the message. It is known already.
            }
        }
        _over.Dispose();
    }

    private void ThrowIfFailed()
    {
        if (_failure is { } failure) throw new ServersLostException(failure.Message, failure.InnerException);
    }

    private async Task AcknowledgeAsync()
    {
        try
        {
            await foreach (var sent in _sent.Reader.ReadAllAsync(_over.Token))
            {
                await using (sent.Answer) await AcknowledgeAsync(sent);
            }
        }
        catch (OperationCanceledException) when (_over.IsCancellationRequested)
        {
            // The writer is disposed.
        }
        catch (Exception e)
        {
            // Whatever an answer is that cannot be read: the message may not be stored.
            _failure = e as ServersLostException ?? new ServersLostException(NatsServers.ReasonOf(e), e);
            await _over.CancelAsync();
        }
    }

    private async Task AcknowledgeAsync(Sent sent)
    {
        var left = AckTimeout - _clock.GetElapsedTime(sent.At);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(_over.Token);
        limit.CancelAfter(left > TimeSpan.Zero ? left : TimeSpan.Zero);
        try
        {
            var answer = await sent.Answer.GetResponseAsync(limit.Token);
            if (answer.Error is { } error) throw new ServersLostException($"JetStream: {error.Description}");
            if (answer.Seq != sent.Stamp.Position) throw new ServersLostException($"position {sent.Stamp.Position} is not free");
            Stored(sent.Stamp);
        }
        catch (OperationCanceledException e) when (!_over.IsCancellationRequested)
        {
            throw new ServersLostException(
                _servers.IsConnected
                    ? $"the server did not acknowledge a message within {AckTimeout.TotalSeconds:0} s"
                    : "the connection to the server is lost",
                e);
        }
    }

    private readonly record struct Sent(RelayStamp Stamp, NatsJSPublishConcurrentFuture Answer, long At);
}
