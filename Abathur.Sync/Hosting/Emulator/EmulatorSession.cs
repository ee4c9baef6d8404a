using System.Net.WebSockets;
using Abathur.Emulator;
using Abathur.Protobuf;
using Abathur.Sc2.Api;
using Abathur.Sync.Transports.WebSocket;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Hosting.Emulator;

/// <summary>One client of an emulated game: answers its requests in order.</summary>
internal sealed class EmulatorSession(GameEmulator game, WebSocketConnection connection, TimeProvider clock)
{
    // Maximum number of messages that are read ahead, to notice a disconnected client, while a request waits for its game loop.
    private const int MaxAhead = 64;
    private const int MaxAheadBytes = 1024 * 1024;

    private readonly ResponseEnvelope _envelope = new();
    private readonly Queue<WebSocketInput> _ahead = new();
    private int _aheadBytes;

    /// <summary>Serves until the client disconnects, breaks the protocol, or quits the game. Returns the close status.</summary>
    public async Task<(WebSocketCloseStatus Status, string Reason)> RunAsync(CancellationToken stopping)
    {
        while (true)
        {
            if (_ahead.TryDequeue(out var input)) _aheadBytes -= input.Bytes.Length;
            else input = await connection.ReceiveAsync(stopping);
            switch (input.Kind)
            {
                case WebSocketInputKind.TooLong:
                    return (WebSocketCloseStatus.MessageTooBig, $"a request may have {connection.MaxMessageBytes} bytes");
                case not WebSocketInputKind.Message:
                    return (WebSocketCloseStatus.NormalClosure, "");
            }
            if (!await connection.SendAsync(await AnswerAsync(input, stopping), WebSocketMessageType.Binary))
                return (WebSocketCloseStatus.NormalClosure, "");
            if (game.Status == Status.Quit) return (WebSocketCloseStatus.NormalClosure, "quit");
        }
    }

    private async ValueTask<ReadOnlyMemory<byte>> AnswerAsync(WebSocketInput input, CancellationToken stopping)
    {
        Request request;
        try
        {
            request = LenientParser.Parse<Request>(input.Bytes.Span);
        }
        catch (InvalidProtocolBufferException e)
        {
            return _envelope.WriteError(null, game.Status, $"This is not a SC2APIProtocol.Request: {e.Message}");
        }
        await WaitAsync(request, stopping);
        var answer = game.Answer(request);
        uint? id = request.HasId ? request.Id : null;
        return answer.Error is { } error
            ? _envelope.WriteError(id, game.Status, error)
            : _envelope.Write(id, game.Status, answer.Field, answer.Payload);
    }

    /// <summary>Waits for the game loop of a request, or until the client has disconnected.</summary>
    private async Task WaitAsync(Request request, CancellationToken stopping)
    {
        if (game.WaitBefore(request) <= TimeSpan.Zero) return;
        using var over = CancellationTokenSource.CreateLinkedTokenSource(stopping);
        var watching = WatchAsync(over.Token);
        while (!watching.IsCompletedSuccessfully && game.WaitBefore(request) is { Ticks: > 0 } wait)
        {
            await Task.WhenAny(Task.Delay(wait, clock, over.Token), watching);
            stopping.ThrowIfCancellationRequested();
        }
        // Ends only the wait: the next call continues to receive the message.
        await over.CancelAsync();
        await Task.WhenAny(watching);
    }

    /// <summary>Reads ahead until the client has disconnected.</summary>
    private async Task WatchAsync(CancellationToken over)
    {
        while (true)
        {
            if (_ahead.Count >= MaxAhead || _aheadBytes >= MaxAheadBytes) await Task.Delay(Timeout.Infinite, over);
            var input = await connection.ReceiveAsync(over);
            if (input.Kind != WebSocketInputKind.Message)
            {
                // The client has disconnected, so earlier requests need no answers.
                _ahead.Clear();
                _aheadBytes = 0;
                _ahead.Enqueue(input);
                return;
            }
            _ahead.Enqueue(input with { Bytes = input.Bytes.ToArray() });
            _aheadBytes += input.Bytes.Length;
        }
    }
}
