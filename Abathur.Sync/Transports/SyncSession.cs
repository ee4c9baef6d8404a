using Abathur.Sync.Access;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Matches;
using Abathur.Sync.Matches.Drawing;
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
    private readonly Subscription _subscription;
    private readonly SessionRequests _requests;
    private readonly DrawingBoard _drawings;
    private long _drawingsSeen;

    /// <param name="api">Answers the requests.</param>
    /// <param name="wire">The connection.</param>
    /// <param name="subscription">What it reads.</param>
    /// <param name="run">Its match.</param>
    /// <param name="level">What the client may do.</param>
    public SyncSession(SyncApi api, ISessionWire wire, Subscription subscription, MatchRun run, AccessLevel level)
    {
        (_wire, _subscription, _drawings) = (wire, subscription, run.Drawings);
        _requests = new SessionRequests(api, wire, level)
        {
            Acknowledge = subscription.Acknowledge,
            Answered = subscription.Wake,
            Failed = subscription.Close,
            Overdue = () => subscription.Finish(Overdue),
        };
    }

    /// <summary>Runs until the subscription ends or the client disconnects. Returns why the subscription ended.</summary>
    public async Task<SubscriptionEnd> RunAsync(CancellationToken cancellation)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        await using var closing = stop.Token.Register(_subscription.Close);
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
        if (!_subscription.Options.Drawings || _drawings.Version == _drawingsSeen) return isPending;
        _wire.Write(new ServerMessage { Drawings = _drawings.Read(out _drawingsSeen) });
        return true;
    }

    int IFrameOutput.WriteFrame(EncodedFrame frame, in DroppedFrames dropped) => _wire.WriteFrame(frame, dropped);

    ValueTask<bool> IFrameOutput.FlushAsync(CancellationToken cancellation) => _requests.FlushAsync(cancellation);

    private async Task<SubscriptionEnd> WriteAsync(CancellationToken cancellation)
    {
        var end = await _subscription.SendAsync(this, cancellation);
        // The reading task answers before it ends the subscription.
        _requests.WriteAnswers();
        if (end.Reason != SubscriptionEndReason.Closed) _wire.Write(EndMessage(end));
        await _wire.FlushAsync(cancellation);
        return end;
    }

    private static ServerMessage EndMessage(SubscriptionEnd end) => end.Status() == RequestStatus.Ok
        ? new ServerMessage { End = new End { Reason = end.Message } }
        : new ServerMessage { Error = new Error { Code = end.Status().ToName(), Message = end.Message, Fatal = true } };
}
