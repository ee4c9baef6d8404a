using System.Collections.Concurrent;
using Abathur.Sync.V1;

namespace Abathur.Client;

/// <summary>A connection of the socket for requests.</summary>
internal sealed class RequestSession : IDisposable
{
    /// <summary>The smallest subscription.</summary>
    public static readonly SubscribeOptions Smallest = new()
    {
        Fields = ["observation.game_loop"],
        EveryGameLoops = uint.MaxValue,
        Name = "requests",
    };

    private readonly SocketConnection _connection;
    private readonly string _token;
    private bool _isFirst = true;
    private bool _isAnswered;
    private readonly SemaphoreSlim _sending = new(1);
    private readonly ConcurrentDictionary<ulong, TaskCompletionSource<Result>> _answers = new();
    private readonly CancellationTokenSource _closing = new();
    private readonly Task _reading;
    private ulong _ids;

    private RequestSession(SocketConnection connection, string token)
    {
        (_connection, _token) = (connection, token);
        _reading = ReadAsync();
    }

    /// <summary>Whether no answer will come any more.</summary>
    public bool IsOver => _reading.IsCompleted;

    /// <summary>Opens a session.</summary>
    public static async Task<RequestSession> OpenAsync(DaemonAddress address, TimeSpan timeout, CancellationToken cancellationToken) =>
        new(await SocketConnection.OpenForRequestsAsync(address, timeout, cancellationToken).ConfigureAwait(false), address.Token);

    /// <summary>Opens a session at a daemon that answers requests only on a connection that subscribes: to the smallest field, once in more
    /// game loops than a match has. It gets one frame of a few bytes. Returns when the daemon has a match.</summary>
    public static async Task<RequestSession> SubscribeAsync(DaemonAddress address, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var first = new ClientMessage { Subscribe = Smallest.ToRequest() };
        var connection = await SocketConnection.OpenAsync(address, first, false, timeout, cancellationToken).ConfigureAwait(false);
        return new RequestSession(connection, "");
    }

    /// <summary>Sends a request and waits for its answer.</summary>
    /// <exception cref="RequestException">The daemon refuses it.</exception>
    /// <exception cref="BrokenConnectionException">The connection broke.</exception>
    public async Task<Result> RequestAsync(ClientMessage message, CancellationToken cancellationToken)
    {
        var answer = new TaskCompletionSource<Result>(TaskCreationOptions.RunContinuationsAsynchronously);
        message.Id = Interlocked.Increment(ref _ids);
        _answers[message.Id] = answer;
        try
        {
            await SendAsync(message, cancellationToken).ConfigureAwait(false);
            // An answer that came before the reading ended is there; no other will come.
            var first = await Task.WhenAny(answer.Task, _reading).WaitAsync(cancellationToken).ConfigureAwait(false);
            if (first == _reading && !answer.Task.IsCompleted)
            {
                await _reading.ConfigureAwait(false);
                throw new BrokenConnectionException("the match or the daemon has ended");
            }
            return await answer.Task.ConfigureAwait(false);
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

    private async Task SendAsync(ClientMessage message, CancellationToken cancellationToken)
    {
        await _sending.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if (_isFirst) message.Token = _token;
            _isFirst = false;
            await _connection.SendAsync(message, cancellationToken).ConfigureAwait(false);
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
            var bytes = await _connection.NextAsync(_closing.Token).ConfigureAwait(false);
            var message = _connection.IsJson ? ServerText.Parse(bytes.Span) : ServerText.Parse<ServerMessage>(bytes.Span);
            var isRefused = !_isAnswered;
            _isAnswered = true;
            switch (message.MessageCase)
            {
                case ServerMessage.MessageOneofCase.End:
                    return;
                case ServerMessage.MessageOneofCase.Frame:
                    // Else the daemon would wait with the end of the match for this session.
                    await SendAsync(new ClientMessage { Ack = new Ack { Sequence = message.Frame.Sequence } }, _closing.Token)
                        .ConfigureAwait(false);
                    break;
                case ServerMessage.MessageOneofCase.Result:
                    if (_answers.TryGetValue(message.Result.Id, out var answered)) answered.TrySetResult(message.Result);
                    break;
                case ServerMessage.MessageOneofCase.Error:
                    var error = RequestException.OfRequest(message.Error.Code, message.Error.Message);
                    if (message.Error.Fatal) throw isRefused ? error : new BrokenConnectionException(error.Message);
                    if (_answers.TryGetValue(message.Error.Id, out var refused)) refused.TrySetException(error);
                    break;
            }
        }
    }
}
