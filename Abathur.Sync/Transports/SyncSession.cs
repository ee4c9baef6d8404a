using Abathur.Sync.Access;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Requests;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports;

/// <summary>
/// One subscribed connection, the same on every transport: a task that writes frames and answers, and one that reads
/// the messages of the client.
/// </summary>
internal sealed class SyncSession : IFrameOutput
{
    private static readonly SubscriptionEnd Overdue = new(
        SubscriptionEndReason.SlowConsumer, $"an answer was not read within {AnswerBudget.TakeTimeout.TotalSeconds} s");

    private readonly ISessionWire _wire;
    private readonly MatchReader _reader;
    private readonly SessionRequests _requests;
    private long _drawingsSeen;

    /// <param name="api">Answers the requests.</param>
    /// <param name="wire">The connection.</param>
    /// <param name="reader">What it reads.</param>
    /// <param name="level">What the client may do.</param>
    public SyncSession(SyncApi api, ISessionWire wire, MatchReader reader, AccessLevel level)
    {
        (_wire, _reader) = (wire, reader);
        _requests = new SessionRequests(api, wire, level)
        {
            Acknowledge = reader.Acknowledge,
            Answered = reader.Wake,
            Failed = reader.Close,
            Overdue = () => reader.Finish(Overdue),
        };
    }

    /// <summary>Runs until the subscription ends or the client disconnects. Returns why the subscription ended.</summary>
    public async Task<SubscriptionEnd> RunAsync(CancellationToken cancellationToken)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        await using var closing = stop.Token.Register(_reader.Close);
        var reading = _requests.ReadAsync(null, stop.Token);
        try
        {
            return await WriteAsync(stop.Token);
        }
        finally
        {
            await stop.CancelAsync();
            await reading;
            await _requests.CompleteAsync();
            _requests.Release();
        }
    }

    bool IFrameOutput.WritePending()
    {
        var isPending = _requests.WriteAnswers();
        var drawings = _reader.Run.Drawings;
        if (!_reader.Subscription.Options.Drawings || drawings.Version == _drawingsSeen) return isPending;
        _wire.Write(new ServerMessage { Drawings = drawings.Read(out _drawingsSeen) });
        return true;
    }

    int IFrameOutput.WriteFrame(EncodedFrame frame, in DroppedFrames dropped) => _wire.WriteFrame(frame, dropped);

    ValueTask<bool> IFrameOutput.FlushAsync(CancellationToken cancellationToken) => _requests.FlushAsync(cancellationToken);

    private async Task<SubscriptionEnd> WriteAsync(CancellationToken cancellationToken)
    {
        SubscriptionEnd end;
        do end = await _reader.Subscription.SendAsync(this, cancellationToken);
        while (end.IsOfMatch && await TryGoOnAsync(end, cancellationToken));
        if (end.IsOfMatch) end = _reader.End ?? end;
        if (end.IsOfMatch) await AnswerAsync(cancellationToken);
        // The reading task answers before it ends the subscription.
        _requests.WriteAnswers();
        if (end.Reason != SubscriptionEndReason.Closed) _wire.Write(EndMessage(end));
        await _wire.FlushAsync(cancellationToken);
        return end;
    }

    /// <summary>Answers the request that is being answered: it may have ended the match, as next_game does.</summary>
    private async ValueTask AnswerAsync(CancellationToken cancellationToken)
    {
        while (_requests.IsAnswering)
        {
            _requests.WriteAnswers();
            if (!await _requests.FlushAsync(cancellationToken)) return;
            await _reader.Subscription.WaitAsync();
        }
    }

    /// <summary>Goes on with the next match, where the client follows: waits until it begins, or the daemon ends.</summary>
    private async ValueTask<bool> TryGoOnAsync(SubscriptionEnd end, CancellationToken cancellationToken)
    {
        var former = _reader.Run;
        if (!_reader.TryGoOn()) return false;
        var ended = new MatchEnded { RunId = former.RunId, Reason = end.Message, Results = { former.Results } };
        ended.Lost = end.Reason == SubscriptionEndReason.SourceLost;
        _wire.Write(new ServerMessage { MatchEnded = ended });
        _drawingsSeen = 0;
        var subscription = _reader.Subscription;
        while (true)
        {
            _requests.WriteAnswers();
            if (!await _requests.FlushAsync(cancellationToken)) subscription.Close();
            if (_reader.Run.Match is { } match)
            {
                await _wire.WriteMatchAsync(match, cancellationToken);
                return true;
            }
            // The next one does not begin any more: what is sent of it is its end.
            if (subscription.End is not null) return true;
            await subscription.WaitAsync();
        }
    }

    private static ServerMessage EndMessage(SubscriptionEnd end) => end.Status() == RequestStatus.Ok
        ? new ServerMessage { End = new End { Reason = end.Message } }
        : new ServerMessage { Error = new Error { Code = end.Status().ToName(), Message = end.Message, Fatal = true } };
}
