using System.Threading.Channels;
using Abathur.Sync.Access;
using Abathur.Sync.Requests;
using Abathur.Sync.V1;

namespace Abathur.Sync.Transports;

/// <summary>The requests of one connection, the same on every transport: one task reads them, another writes their answers.</summary>
internal sealed class SessionRequests(SyncApi api, ISessionWire wire, AccessLevel level)
{
    private const int MaxAnswersWaiting = 64;
    private const int MessagesInARow = 64;
    private readonly Channel<Answer> _answers = Channel.CreateBounded<Answer>(MaxAnswersWaiting);

    /// <summary>Room of answers that are written, and not yet taken by the client.</summary>
    private readonly List<IDisposable> _written = [];
    private Task _later = Task.CompletedTask;
    private int _laterAnswers;
    private volatile bool _isAnswering;

    /// <summary>Called when the client has acknowledged a frame; null: there are no frames.</summary>
    public Action<Ack>? Acknowledge { get; init; }

    /// <summary>Called when there is an answer.</summary>
    public Action Answered { get; init; } = static () => { };

    /// <summary>Called when the input is not messages any more, after the answer that says so.</summary>
    public Action Failed { get; init; } = static () => { };

    /// <summary>Called when the client does not take an answer in time.</summary>
    public required Action Overdue { get; init; }

    /// <summary>Whether a request has no answer yet, of those that are answered before the next message is read. <see cref="Answered"/> is
    /// called when this has changed.</summary>
    public bool IsAnswering => _isAnswering;

    /// <summary>Reads messages until the client ends its input, or sends something that is not one.</summary>
    /// <param name="first">A message that was read already; null: none.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    public async Task ReadAsync(ClientMessage? first, CancellationToken cancellationToken)
    {
        try
        {
            if (first is not null) await HandleAsync(first, cancellationToken);
            for (var messages = 1; await wire.ReadAsync(cancellationToken) is { } message; messages++)
            {
                await HandleAsync(message, cancellationToken);
                // If a client sends faster than this reads, the next message is always available: without yielding, nothing would be
                // written.
                if (messages % MessagesInARow == 0) await Task.Yield();
            }
        }
        catch (RefusedException e)
        {
            // The framing is lost: later messages could not be parsed.
            await AnswerAsync(
                new ServerMessage { Error = new Error { Code = e.Status.ToName(), Message = e.Message, Fatal = true } }, cancellationToken);
            Failed();
        }
        catch (OperationCanceledException)
        {
            // The session is over.
        }
    }

    /// <summary>Writes the answers that are there. False if there are none.</summary>
    public bool WriteAnswers()
    {
        var isAnswer = false;
        for (; _answers.Reader.TryRead(out var answer); isAnswer = true)
        {
            wire.Write(answer.Message);
            if (answer.Room is not null) _written.Add(answer.Room);
        }
        return isAnswer;
    }

    /// <summary>Sends what was written, answers among it.</summary>
    public ValueTask<bool> FlushAsync(CancellationToken cancellationToken) =>
        _written.Count == 0 ? wire.FlushAsync(cancellationToken) : FlushAnswersAsync(cancellationToken);

    /// <summary>Waits for an answer. False: none will come any more.</summary>
    public ValueTask<bool> WaitForAnswerAsync(CancellationToken cancellationToken) => _answers.Reader.WaitToReadAsync(cancellationToken);

    /// <summary>Waits for the answers that are being made; none is added then.</summary>
    public async Task CompleteAsync()
    {
        await _later;
        _answers.Writer.TryComplete();
    }

    /// <summary>Gives back the room of all answers, which are not written any more. After <see cref="CompleteAsync"/>.</summary>
    public void Release()
    {
        ReleaseWritten();
        while (_answers.Reader.TryRead(out var answer)) answer.Room?.Dispose();
    }

    private async ValueTask<bool> FlushAnswersAsync(CancellationToken cancellationToken)
    {
        var isThere = await wire.FlushAsync(cancellationToken);
        ReleaseWritten();
        return isThere;
    }

    private void ReleaseWritten()
    {
        foreach (var room in _written) room.Dispose();
        _written.Clear();
    }

    private async ValueTask HandleAsync(ClientMessage message, CancellationToken cancellationToken)
    {
        if (message.MessageCase == ClientMessage.MessageOneofCase.Ack && Acknowledge is not null) Acknowledge(message.Ack);
        else if (message.MayTakeLong()) await AnswerLaterAsync(message, cancellationToken);
        else await AnswerNowAsync(message, cancellationToken);
    }

    private async ValueTask AnswerNowAsync(ClientMessage message, CancellationToken cancellationToken)
    {
        _isAnswering = true;
        try
        {
            await AnswerAsync(await TryAsync(message, cancellationToken), cancellationToken);
        }
        finally
        {
            _isAnswering = false;
            Answered();
        }
    }

    /// <summary>Answers when the answer is there, and reads on meanwhile: a whole recording may have to be read, while the client
    /// acknowledges frames. Such answers keep their order.</summary>
    private async ValueTask AnswerLaterAsync(ClientMessage message, CancellationToken cancellationToken)
    {
        if (Interlocked.Increment(ref _laterAnswers) > MaxAnswersWaiting) await _later;
        _later = AnswerAfterAsync(_later, message, cancellationToken);
    }

    private async Task AnswerAfterAsync(Task earlier, ClientMessage message, CancellationToken cancellationToken)
    {
        await earlier;
        try
        {
            await AnswerAsync(await TryAsync(message, cancellationToken), cancellationToken);
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

    private async Task<ServerMessage> TryAsync(ClientMessage message, CancellationToken cancellationToken)
    {
        try
        {
            var result = await api.AnswerAsync(message, level, cancellationToken);
            result.Id = message.Id;
            return new ServerMessage { Result = result };
        }
        catch (RefusedException e)
        {
            return Refusal(message.Id, e.Status, e.Message);
        }
    }

    private async ValueTask AnswerAsync(ServerMessage message, CancellationToken cancellationToken)
    {
        var answer = WithRoom(message);
        try
        {
            await _answers.Writer.WriteAsync(answer, cancellationToken);
        }
        catch (OperationCanceledException)
        {
            answer.Room?.Dispose();
            return;
        }
        Answered();
    }

    /// <summary>The answer with room for it; without room, the refusal.</summary>
    private Answer WithRoom(ServerMessage message)
    {
        try
        {
            var room = api.Answers.Take(level, message.CalculateSize(), Overdue);
            return new Answer(message, room);
        }
        catch (RefusedException e)
        {
            return new Answer(Refusal(message.Result?.Id ?? 0, e.Status, e.Message), null);
        }
    }

    private static ServerMessage Refusal(ulong id, RequestStatus code, string message) =>
        new() { Error = new Error { Id = id, Code = code.ToName(), Message = message } };

    private readonly record struct Answer(ServerMessage Message, IDisposable? Room);
}
