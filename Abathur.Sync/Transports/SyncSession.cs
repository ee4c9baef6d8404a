using System.Threading.Channels;
using Abathur.Grpc;
using Abathur.Sync.Access;
using Abathur.Sync.Hub;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports;

/// <summary>
/// One subscribed connection, the same on every transport: a task that writes frames and answers, and one that reads
/// what the client says.
/// </summary>
internal sealed class SyncSession(SyncApi api, ISessionWire wire, Subscription subscription, AccessLevel level)
{
    private const int MaxAnswersWaiting = 64;
    private const int MessagesInARow = 64;
    private long _drawingsSeen;
    private readonly Channel<ServerMessage> _answers = Channel.CreateBounded<ServerMessage>(MaxAnswersWaiting);

    /// <summary>Runs until the subscription ends or the client goes. Returns why the subscription ended.</summary>
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
        }
    }

    private async Task<SubscriptionEnd> WriteAsync(CancellationToken cancellation)
    {
        for (var inARow = 0; ;)
        {
            while (_answers.Reader.TryRead(out var answer)) wire.Write(answer);
            if (subscription.Options.Drawings && api.Drawings.Version != _drawingsSeen) wire.Write(new ServerMessage { Drawings = api.Drawings.Read(out _drawingsSeen) });
            if (subscription.TryTake(out var frame, out var missed))
            {
                subscription.CountSent(wire.WriteFrame(frame, missed));
                frame.Release();
            }
            else if (subscription.End is { } end && !subscription.IsOwedFrames)
            {
                // The reading task answers before it ends the subscription.
                while (_answers.Reader.TryRead(out var answer)) wire.Write(answer);
                if (end.Reason != SubscriptionEndReason.Closed) wire.Write(Goodbye(end));
                await wire.FlushAsync(cancellation);
                return end;
            }
            else
            {
                if (!await wire.FlushAsync(cancellation)) subscription.Close();
                await subscription.WaitAsync();
                inARow = 0;
                continue;
            }
            if (!await wire.FlushAsync(cancellation)) subscription.Close();
            if (++inARow % Subscription.FramesInATurn == 0) await Task.Yield();
        }
    }

    private async Task ReadAsync(CancellationToken cancellation)
    {
        try
        {
            for (var messages = 1; await wire.ReadAsync(cancellation) is { } message; messages++)
            {
                await HandleAsync(message, cancellation);
                // From a client that sends faster than this reads, the next message is always there: without a break nothing would be written.
                if (messages % MessagesInARow == 0) await Task.Yield();
            }
        }
        catch (GrpcException e)
        {
            // The framing is lost: nothing that follows could be understood.
            await AnswerAsync(new ServerMessage { Error = new Error { Code = e.StatusCode.ToName(), Message = e.Message, Fatal = true } }, cancellation);
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
                await AnswerAsync(await TryAsync(message.Id, async () => new Result { Act = await api.ActAsync(message.Act, level, cancellation) }), cancellation);
                return;
            case ClientMessage.MessageOneofCase.Control:
                await AnswerAsync(await TryAsync(message.Id, async () => new Result { Control = await api.ControlAsync(message.Control, level, cancellation) }), cancellation);
                return;
            case ClientMessage.MessageOneofCase.Status:
                await AnswerAsync(await TryAsync(message.Id, () => Task.FromResult(new Result { Status = api.GetStatus(level) })), cancellation);
                return;
            case ClientMessage.MessageOneofCase.Draw:
                await AnswerAsync(await TryAsync(message.Id, () => Task.FromResult(new Result { Draw = api.Draw(message.Draw, level) })), cancellation);
                return;
            default:
                await AnswerAsync(Refusal(message.Id, GrpcStatusCode.InvalidArgument, "expected one of ack, act, control, draw, status"), cancellation);
                return;
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
        catch (GrpcException e)
        {
            return Refusal(id, e.StatusCode, e.Message);
        }
    }

    private async ValueTask AnswerAsync(ServerMessage answer, CancellationToken cancellation)
    {
        try
        {
            await _answers.Writer.WriteAsync(answer, cancellation);
        }
        catch (OperationCanceledException)
        {
            return;
        }
        subscription.Wake();
    }

    private static ServerMessage Refusal(ulong id, GrpcStatusCode code, string message) =>
        new() { Error = new Error { Id = id, Code = code.ToName(), Message = message } };

    private static ServerMessage Goodbye(SubscriptionEnd end) => end.Reason == SubscriptionEndReason.MatchOver
        ? new ServerMessage { End = new End { Reason = end.Message } }
        : new ServerMessage { Error = new Error { Code = end.StatusCode().ToName(), Message = end.Message, Fatal = true } };
}
