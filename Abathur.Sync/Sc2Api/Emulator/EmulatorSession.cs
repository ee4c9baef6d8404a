using System.Net.WebSockets;
using Abathur.Sync.Transports.WebSocket;
using Google.Protobuf;
using SC2APIProtocol;

namespace Abathur.Sync.Sc2Api.Emulator;

/// <summary>One client of an emulated game: its requests one after the other, each with one answer.</summary>
internal sealed class EmulatorSession(EmulatedGame game, WebSocketConnection connection, TimeProvider clock)
{
    private readonly ResponseEnvelope _envelope = new();
    private WebSocketInput? _ahead;

    /// <summary>Serves until the client leaves, breaks the protocol, or quits the game. Returns what to close with.</summary>
    public async Task<(WebSocketCloseStatus Status, string Reason)> RunAsync(CancellationToken stopping)
    {
        while (true)
        {
            var input = _ahead ?? await connection.ReceiveAsync(stopping);
            _ahead = null;
            switch (input.Kind)
            {
                case WebSocketInputKind.TooLong:
                    return (WebSocketCloseStatus.MessageTooBig, $"a request may have {connection.MaxMessageBytes} bytes");
                case WebSocketInputKind.NotUtf8:
                    return (WebSocketCloseStatus.InvalidPayloadData, "");
                case not WebSocketInputKind.Message:
                    return (WebSocketCloseStatus.NormalClosure, "");
            }
            if (!await connection.SendAsync(await AnswerAsync(input, stopping), WebSocketMessageType.Binary)) return (WebSocketCloseStatus.NormalClosure, "");
            if (game.Status == Status.Quit) return (WebSocketCloseStatus.NormalClosure, "quit");
        }
    }

    private async ValueTask<ReadOnlyMemory<byte>> AnswerAsync(WebSocketInput input, CancellationToken stopping)
    {
        if (input.Type == WebSocketMessageType.Text) return _envelope.WriteError(null, game.Status, "This is a text message: requests are binary messages of SC2APIProtocol.Request");
        Request request;
        try
        {
            request = Request.Parser.ParseFrom(input.Bytes.Span);
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
            : _envelope.Write(id, game.Status, answer.Field, answer.Before, answer.Payload, answer.After);
    }

    /// <summary>Waits for the game loop that a request names, or until the client is gone.</summary>
    private async Task WaitAsync(Request request, CancellationToken stopping)
    {
        if (game.WaitBefore(request) <= TimeSpan.Zero) return;
        using var over = CancellationTokenSource.CreateLinkedTokenSource(stopping);
        var receiving = connection.ReceiveAsync(over.Token).AsTask();
        while (game.WaitBefore(request) is { Ticks: > 0 } wait)
        {
            var due = Task.Delay(wait, clock, stopping);
            // The next request may be here already: it is answered in its turn. A close, or a lost connection, ends the wait.
            if (await Task.WhenAny(due, receiving) == receiving && !(receiving.IsCompletedSuccessfully && receiving.Result.Kind == WebSocketInputKind.Message)) break;
            await due;
        }
        // Gives up the wait, not the message: what is on the way comes with the next call.
        await over.CancelAsync();
        try
        {
            _ahead = await receiving;
        }
        catch (OperationCanceledException)
        {
            stopping.ThrowIfCancellationRequested();
        }
    }
}
