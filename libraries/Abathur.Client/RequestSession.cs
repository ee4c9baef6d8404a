using System.Collections.Concurrent;
using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>
/// A connection for requests. The daemon's socket answers requests on a connection that subscribes; this one subscribes to the smallest
/// field, once in more game loops than a match has: it gets one frame of a few bytes.
/// </summary>
internal sealed class RequestSession : IDisposable
{
    private static readonly SubscribeOptions Smallest = new()
    {
        Fields = ["observation.game_loop"],
        EveryGameLoops = uint.MaxValue,
        Name = "requests",
    };

    private readonly DaemonConnection _connection;
    private readonly SemaphoreSlim _sending = new(1);
    private readonly ConcurrentDictionary<ulong, TaskCompletionSource<Result>> _answers = new();
    private readonly CancellationTokenSource _closing = new();
    private readonly Task _reading;
    private ulong _ids;

    private RequestSession(DaemonConnection connection)
    {
        _connection = connection;
        _reading = ReadAsync();
    }

    /// <summary>The match when the session was opened.</summary>
    public Lazy<Match> Match => _connection.Match;

    /// <summary>Whether no answer will come any more.</summary>
    public bool IsOver => _reading.IsCompleted;

    /// <summary>Opens a session. Returns when the daemon has a match.</summary>
    public static async Task<RequestSession> OpenAsync(
        DaemonAddress address, TimeSpan timeout, CancellationToken cancellation)
    {
        var first = new ClientMessage { Subscribe = Smallest.ToRequest() };
        return new RequestSession(await DaemonConnection.OpenAsync(address, first, false, timeout, cancellation));
    }

    /// <summary>Sends a request and waits for its answer.</summary>
    /// <exception cref="RequestException">The daemon refuses it.</exception>
    /// <exception cref="BrokenConnectionException">The connection broke.</exception>
    public async Task<Result> RequestAsync(ClientMessage message, CancellationToken cancellation)
    {
        var answer = new TaskCompletionSource<Result>(TaskCreationOptions.RunContinuationsAsynchronously);
        message.Id = Interlocked.Increment(ref _ids);
        _answers[message.Id] = answer;
        try
        {
            await SendAsync(message, cancellation);
            // An answer that came before the reading ended is there; no other will come.
            if (await Task.WhenAny(answer.Task, _reading).WaitAsync(cancellation) == _reading && !answer.Task.IsCompleted)
            {
                await _reading;
                throw new BrokenConnectionException("the match or the daemon has ended");
            }
            return await answer.Task;
        }
        finally
        {
            _answers.TryRemove(message.Id, out _);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _closing.Cancel();
        _connection.Dispose();
        _sending.Dispose();
        _closing.Dispose();
        // It has ended, or ends now; its exception was given to those who waited.
        _ = _reading.ContinueWith(static task => task.Exception, TaskScheduler.Default);
    }

    private async Task SendAsync(ClientMessage message, CancellationToken cancellation)
    {
        await _sending.WaitAsync(cancellation);
        try
        {
            await _connection.SendAsync(message, cancellation);
        }
        finally
        {
            _sending.Release();
        }
    }

    private async Task ReadAsync()
    {
        while (true)
        {
            var bytes = await _connection.Receiver.NextAsync(_closing.Token);
            var message = ServerText.Parse(ServerMessage.Parser, bytes.Span);
            switch (message.MessageCase)
            {
                case ServerMessage.MessageOneofCase.End:
                    return;
                case ServerMessage.MessageOneofCase.Frame:
                    // Else the daemon would wait with the end of the match for this session.
                    await SendAsync(new ClientMessage { Ack = new Ack { Sequence = message.Frame.Sequence } }, _closing.Token);
                    break;
                case ServerMessage.MessageOneofCase.Result:
                    if (_answers.TryGetValue(message.Result.Id, out var answered)) answered.TrySetResult(message.Result);
                    break;
                case ServerMessage.MessageOneofCase.Error:
                    var error = new RequestException(message.Error.Code, message.Error.Message);
                    if (message.Error.Fatal) throw new BrokenConnectionException(error.Message);
                    if (_answers.TryGetValue(message.Error.Id, out var refused)) refused.TrySetException(error);
                    break;
            }
        }
    }
}
