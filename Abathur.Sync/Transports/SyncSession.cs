using System.Threading.Channels;
using Abathur.Sync.Access;
using Abathur.Sync.Drawing;
using Abathur.Sync.Frames;
using Abathur.Sync.Hub;
using Abathur.Sync.Requests;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports;

/// <summary>
/// One subscribed connection, the same on every transport: a task that writes frames and answers, and one that reads
/// the messages of the client.
/// </summary>
internal sealed class SyncSession(SyncApi api, ISessionWire wire, Subscription subscription, AccessLevel level) : IFrameOutput
{
    private const int MaxAnswersWaiting = 64;
    private const int MessagesInARow = 64;
    private readonly DrawingBoard _drawings = api.DrawingsOf(level);
    private long _drawingsSeen;
    private Task _later = Task.CompletedTask;
    private int _laterAnswers;
    private static readonly SubscriptionEnd Overdue = new(
        SubscriptionEndReason.SlowConsumer, $"an answer was not read within {AnswerBudget.TakeTimeout.TotalSeconds} s");

    private readonly Channel<Answer> _answers = Channel.CreateBounded<Answer>(MaxAnswersWaiting);

    /// <summary>Room of answers that are written, and not yet taken by the client.</summary>
    private readonly List<IDisposable> _written = [];

    /// <summary>Runs until the subscription ends or the client disconnects. Returns why the subscription ended.</summary>
    public async Task<SubscriptionEnd> RunAsync(CancellationToken cancellation)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        await using var closing = stop.Token.Register(subscription.Close);
        var reading = ReadAsync(stop.Token);
        try
        {
            return await WriteAsync(stop.Token);
        }
        finally
        {
            await stop.CancelAsync();
            await reading;
            await _later;
            ReleaseWritten();
            while (_answers.Reader.TryRead(out var answer)) answer.Room?.Dispose();
        }
    }

    bool IFrameOutput.WritePending()
    {
        var isPending = WriteAnswers();
        if (!subscription.Options.Drawings || _drawings.Version == _drawingsSeen) return isPending;
        wire.Write(new ServerMessage { Drawings = _drawings.Read(out _drawingsSeen) });
        return true;
    }

    int IFrameOutput.WriteFrame(EncodedFrame frame, in DroppedFrames dropped) => wire.WriteFrame(frame, dropped);

    ValueTask<bool> IFrameOutput.FlushAsync(CancellationToken cancellation) =>
        _written.Count == 0 ? wire.FlushAsync(cancellation) : FlushAnswersAsync(cancellation);

    private async ValueTask<bool> FlushAnswersAsync(CancellationToken cancellation)
    {
        var isThere = await wire.FlushAsync(cancellation);
        ReleaseWritten();
        return isThere;
    }

    private void ReleaseWritten()
    {
        foreach (var room in _written) room.Dispose();
        _written.Clear();
    }

    private async Task<SubscriptionEnd> WriteAsync(CancellationToken cancellation)
    {
        var end = await subscription.SendAsync(this, cancellation);
        // The reading task answers before it ends the subscription.
        WriteAnswers();
        if (end.Reason != SubscriptionEndReason.Closed) wire.Write(Goodbye(end));
        await wire.FlushAsync(cancellation);
        return end;
    }

    private bool WriteAnswers()
    {
        var isAnswer = false;
        for (; _answers.Reader.TryRead(out var answer); isAnswer = true)
        {
            wire.Write(answer.Message);
            if (answer.Room is not null) _written.Add(answer.Room);
        }
        return isAnswer;
    }

    private async Task ReadAsync(CancellationToken cancellation)
    {
        try
        {
            for (var messages = 1; await wire.ReadAsync(cancellation) is { } message; messages++)
            {
                await HandleAsync(message, cancellation);
                // If a client sends faster than this reads, the next message is always available: without yielding, nothing would be
                // written.
                if (messages % MessagesInARow == 0) await Task.Yield();
            }
        }
        catch (RequestException e)
        {
            // The framing is lost: later messages could not be parsed.
            await AnswerAsync(
                new ServerMessage { Error = new Error { Code = e.Status.ToName(), Message = e.Message, Fatal = true } }, cancellation);
            subscription.Close();
        }
        catch (OperationCanceledException)
        {
            // The session is over.
        }
    }

    private async ValueTask HandleAsync(ClientMessage message, CancellationToken cancellation)
    {
        switch (message.MessageCase)
        {
            case ClientMessage.MessageOneofCase.Ack:
                subscription.Acknowledge(message.Ack.Sequence);
                return;
            case ClientMessage.MessageOneofCase.Act:
                await AnswerAsync(
                    await TryAsync(message.Id, async () => new Result { Act = await api.ActAsync(message.Act, level, cancellation) }),
                    cancellation);
                return;
            case ClientMessage.MessageOneofCase.Query:
                await AnswerAsync(
                    await TryAsync(message.Id, async () => new Result { Query = await api.QueryAsync(message.Query, level, cancellation) }),
                    cancellation);
                return;
            case ClientMessage.MessageOneofCase.Control:
                await AnswerAsync(
                    await TryAsync(
                        message.Id, async () => new Result { Control = await api.ControlAsync(message.Control, level, cancellation) }),
                    cancellation);
                return;
            case ClientMessage.MessageOneofCase.Status:
                await AnswerAsync(
                    await TryAsync(message.Id, () => Task.FromResult(new Result { Status = api.GetStatus(level) })), cancellation);
                return;
            case ClientMessage.MessageOneofCase.Draw:
                await AnswerAsync(
                    await TryAsync(message.Id, () => Task.FromResult(new Result { Draw = api.Draw(message.Draw, level) })), cancellation);
                return;
            case ClientMessage.MessageOneofCase.Timeline:
                await AnswerLaterAsync(
                    message.Id, async () => new Result { Timeline = await api.GetTimelineAsync(message.Timeline, level, cancellation) },
                    cancellation);
                return;
            case ClientMessage.MessageOneofCase.Plot:
                await AnswerAsync(
                    await TryAsync(message.Id, () => Task.FromResult(new Result { Plot = api.Plot(message.Plot, level) })), cancellation);
                return;
            case ClientMessage.MessageOneofCase.Plots:
                await AnswerLaterAsync(
                    message.Id, async () => new Result { Plots = await api.GetPlotsAsync(message.Plots, level, cancellation) },
                    cancellation);
                return;
            default:
                await AnswerAsync(
                    Refusal(
                        message.Id, RequestStatus.InvalidArgument,
                        "expected one of ack, act, control, draw, plot, plots, query, status, timeline"),
                    cancellation);
                return;
        }
    }

    /// <summary>Answers when the answer is there, and reads on meanwhile: a whole recording may have to be read, while the client
    /// acknowledges frames. Such answers keep their order.</summary>
    private async ValueTask AnswerLaterAsync(ulong id, Func<Task<Result>> action, CancellationToken cancellation)
    {
        if (Interlocked.Increment(ref _laterAnswers) > MaxAnswersWaiting) await _later;
        _later = AnswerAfterAsync(_later, id, action, cancellation);
    }

    private async Task AnswerAfterAsync(Task earlier, ulong id, Func<Task<Result>> action, CancellationToken cancellation)
    {
        await earlier;
        try
        {
            await AnswerAsync(await TryAsync(id, action), cancellation);
        }
        catch (OperationCanceledException)
        {
            // The session is over.
        }
        finally
        {
            Interlocked.Decrement(ref _laterAnswers);
        }
    }

    private static async Task<ServerMessage> TryAsync(ulong id, Func<Task<Result>> action)
    {
        try
        {
            var result = await action();
            result.Id = id;
            return new ServerMessage { Result = result };
        }
        catch (RequestException e)
        {
            return Refusal(id, e.Status, e.Message);
        }
    }

    private async ValueTask AnswerAsync(ServerMessage message, CancellationToken cancellation)
    {
        var answer = WithRoom(message);
        try
        {
            await _answers.Writer.WriteAsync(answer, cancellation);
        }
        catch (OperationCanceledException)
        {
            answer.Room?.Dispose();
            return;
        }
        subscription.Wake();
    }

    /// <summary>The answer with room for it; without room, the refusal.</summary>
    private Answer WithRoom(ServerMessage message)
    {
        try
        {
            var room = AnswerBudget.OfProcess.Take(level, message.CalculateSize(), () => subscription.Finish(Overdue));
            return new Answer(message, room);
        }
        catch (RequestException e)
        {
            return new Answer(Refusal(message.Result?.Id ?? 0, e.Status, e.Message), null);
        }
    }

    private static ServerMessage Refusal(ulong id, RequestStatus code, string message) =>
        new() { Error = new Error { Id = id, Code = code.ToName(), Message = message } };

    private static ServerMessage Goodbye(SubscriptionEnd end) => end.Status() == RequestStatus.Ok
        ? new ServerMessage { End = new End { Reason = end.Message } }
        : new ServerMessage { Error = new Error { Code = end.Status().ToName(), Message = end.Message, Fatal = true } };

    private readonly record struct Answer(ServerMessage Message, IDisposable? Room);
}
