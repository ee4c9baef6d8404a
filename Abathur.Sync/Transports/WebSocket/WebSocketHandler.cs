using System.Net.WebSockets;
using Abathur.Sync.Access;
using Abathur.Sync.Hub;
using Abathur.Sync.Requests;
using Abathur.Sync.Transports.Socket;
using Abathur.Sync.V1;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Abathur.Sync.Transports.WebSocket;

/// <summary>
/// The socket's messages over WebSocket: the first message subscribes, and its form (text: ProtoJSON, binary: protobuf) is also
/// the form of all answers (docs/protocol.md).
/// </summary>
internal sealed class WebSocketHandler(SyncApi api, WebSocketTransportOptions options, TimeProvider clock)
{
    /// <summary>Serves one connection whose request has been checked. <paramref name="stopping"/> fires when the daemon shuts
    /// down.</summary>
    public async Task HandleAsync(HttpContext http, CancellationToken stopping)
    {
        var connection = http.Features.GetRequiredFeature<IConnectionLifetimeFeature>();
        await ServeAsync(http, stopping);
        // The server continues to send what the agent has not read yet. An agent that reads nothing would keep the connection forever.
        _ = CutOffAsync(connection);
    }

    private async Task CutOffAsync(IConnectionLifetimeFeature connection)
    {
        // ConnectionClosed cannot be used: it signals the end of the input, not of the output.
        await Task.Delay(options.DrainTimeout, clock);
        connection.Abort();
    }

    private async Task ServeAsync(HttpContext http, CancellationToken stopping)
    {
        using var socket = await WebSocketHandshake.AcceptAsync(
            http, options.KeepAliveInterval, options.KeepAliveTimeout, WebSocketToken.ChosenOf(http));
        using var connection = new WebSocketConnection(socket, options.MaxFirstMessageBytes, options.CloseTimeout, clock, http.Abort)
        {
            Incomplete = IncompleteMessages.OfProcess,
        };
        using var wire = new WebSocketWire(connection);
        using var closeTimeout = new CancellationTokenSource(Timeout.InfiniteTimeSpan, clock);
        // A peer that has stopped sending may have stopped reading, too: a pending write to it must not block forever.
        await using var aborting = closeTimeout.Token.Register(http.Abort);
        void StartCloseTimeout() => closeTimeout.CancelAfter(options.CloseTimeout);
        wire.InputEnded = StartCloseTimeout;
        try
        {
            if (await ReadSubscribeAsync(http, wire, stopping) is not { } first)
            {
                await connection.CloseAsync(WebSocketCloseStatus.NormalClosure, "");
                return;
            }
            connection.MaxMessageBytes = options.MaxMessageBytes;
            var traits = wire.Form == WebSocketMessageType.Text ? TransportTraits.WebSocketText : TransportTraits.WebSocketBinary;
            // Kept until the connection is closed: the daemon waits for its subscribers before it ends.
            var level = api.LevelOf(first.Token.Length > 0 ? first.Token : WebSocketToken.Of(http));
            if (level != AccessLevel.None) UnauthenticatedConnections.Authenticated(http.Features);
            if (level != AccessLevel.None && wire.Form == WebSocketMessageType.Text) MatchMessages.Prepare(api.MatchOf(level));
            using var reader = await api.SubscribeAsync(first.Subscribe, traits, Peer(http), level);
            wire.InputEnded = () =>
            {
                StartCloseTimeout();
                // Unreadable input is answered first; the session then ends itself.
                if (wire.InputFailure is null) reader.Close();
            };
            // The match may begin much later: without a receive, pongs would not be processed and the client would count as dead.
            connection.BeginReceive();
            await wire.WriteMatchAsync(await SyncApi.WaitForMatchAsync(reader.Run, http.RequestAborted), http.RequestAborted);
            SubscriptionEnd end;
            using (reader.OnAborted(http.Abort)) end = await new SyncSession(api, wire, reader, level).RunAsync(http.RequestAborted);
            var (status, reason) = wire.InputFailure is { } failure ? (failure, "") : Describe(end);
            await connection.CloseAsync(status, reason);
        }
        catch (RefusedException e)
        {
            // A refused client may have stopped reading.
            StartCloseTimeout();
            wire.Write(new ServerMessage { Error = new Error { Code = e.Status.ToName(), Message = e.Message, Fatal = true } });
            await wire.FlushAsync(CancellationToken.None);
            var (status, reason) = e.Status == RequestStatus.Unavailable
                ? (WebSocketCloseStatus.EndpointUnavailable, "the daemon is shutting down")
                : (wire.InputFailure ?? WebSocketCloseStatus.PolicyViolation, e.Status.ToName());
            await connection.CloseAsync(status, reason);
        }
        catch (OperationCanceledException)
        {
            // The client has disconnected.
        }
    }

    private async Task<ClientMessage?> ReadSubscribeAsync(HttpContext http, WebSocketWire wire, CancellationToken stopping)
    {
        using var limit = new CancellationTokenSource(options.HandshakeTimeout, clock);
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, stopping, http.RequestAborted);
        try
        {
            if (await wire.ReadAsync(cancellation.Token) is not { } message) return null;
            return message.Subscribe is not null
                ? message
                : throw new RefusedException(RequestStatus.InvalidArgument, "the first message must be {\"subscribe\":{...}}");
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
            throw new RefusedException(RequestStatus.Unavailable, "the daemon is shutting down");
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested)
        {
            throw new RefusedException(
                RequestStatus.DeadlineExceeded, $"no message came within {options.HandshakeTimeout.TotalSeconds:0.###} s");
        }
    }

    private static (WebSocketCloseStatus Status, string Reason) Describe(SubscriptionEnd end) => end.Reason switch
    {
        SubscriptionEndReason.MatchOver => (WebSocketCloseStatus.NormalClosure, "the match is over"),
        SubscriptionEndReason.Complete => (WebSocketCloseStatus.NormalClosure, "all frames were sent"),
        SubscriptionEndReason.Stopping => (WebSocketCloseStatus.EndpointUnavailable, "the daemon is shutting down"),
        SubscriptionEndReason.BadFrame or SubscriptionEndReason.SourceLost =>
            (WebSocketCloseStatus.InternalServerError, end.Status().ToName()),
        SubscriptionEndReason.Closed => (WebSocketCloseStatus.NormalClosure, ""),
        _ => (WebSocketCloseStatus.PolicyViolation, end.Status().ToName()),
    };

    private static string Peer(HttpContext http) =>
        http.Features.Get<IHttpConnectionFeature>() is { RemoteIpAddress: { } address } peer
            ? new System.Net.IPEndPoint(address, peer.RemotePort).ToString()
            : "unknown";
}
