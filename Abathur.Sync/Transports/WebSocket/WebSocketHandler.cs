using System.Net.WebSockets;
using Abathur.Grpc;
using Abathur.Sync.Access;
using Abathur.Sync.Hub;
using Abathur.Sync.V1;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Abathur.Sync.Transports.WebSocket;

/// <summary>
/// The socket's messages over WebSocket: the first message subscribes, and its form (text: ProtoJSON, binary: protobuf) is that
/// of all answers (docs/protocol.md).
/// </summary>
internal sealed class WebSocketHandler(SyncApi api, WebSocketTransportOptions options, TimeProvider clock)
{
    /// <summary>Serves one connection whose request has been checked. <paramref name="stopping"/>: the daemon stops.</summary>
    public async Task HandleAsync(HttpContext http, CancellationToken stopping)
    {
        var connection = http.Features.GetRequiredFeature<IConnectionLifetimeFeature>();
        await ServeAsync(http, stopping);
        // The server goes on sending what the agent has not taken yet; one that takes nothing would keep the connection for ever.
        _ = CutOffAsync(connection);
    }

    private async Task CutOffAsync(IConnectionLifetimeFeature connection)
    {
        // Its ConnectionClosed says nothing here: it tells the end of what is received, not of what is sent.
        await Task.Delay(options.DrainTimeout, clock);
        connection.Abort();
    }

    private async Task ServeAsync(HttpContext http, CancellationToken stopping)
    {
        using var socket = await WebSocketHandshake.AcceptAsync(http, options.KeepAliveInterval, options.KeepAliveTimeout, WebSocketToken.ChosenOf(http));
        using var connection = new WebSocketConnection(socket, options.MaxFirstMessageBytes, options.CloseTimeout, clock, http.Abort);
        using var wire = new WebSocketWire(connection);
        using var patience = new CancellationTokenSource(Timeout.InfiniteTimeSpan, clock);
        // A peer that says no more may take no more either: what is being written to it must not hang for ever.
        await using var givingUp = patience.Token.Register(http.Abort);
        void GiveUp() => patience.CancelAfter(options.CloseTimeout);
        wire.InputEnded = GiveUp;
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
            using var subscription = api.Subscribe(first.Subscribe, traits, Peer(http), level);
            wire.InputEnded = () =>
            {
                GiveUp();
                // Input that cannot be read is answered first; the session ends itself then.
                if (wire.InputFailure is null) subscription.Close();
            };
            // The match may be long in coming: a client whose pongs nobody reads would be taken for dead.
            connection.BeginReceive();
            wire.Write(new ServerMessage { Match = await api.WaitForMatchAsync(http.RequestAborted) });
            SubscriptionEnd end;
            await using (subscription.Aborted.Register(http.Abort)) end = await new SyncSession(api, wire, subscription, level).RunAsync(http.RequestAborted);
            var (status, reason) = wire.InputFailure is { } failure ? (failure, "") : Describe(end);
            await connection.CloseAsync(status, reason);
        }
        catch (GrpcException e)
        {
            // One that has been refused may take nothing, either.
            GiveUp();
            wire.Write(new ServerMessage { Error = new Error { Code = e.StatusCode.ToName(), Message = e.Message, Fatal = true } });
            await wire.FlushAsync(CancellationToken.None);
            var (status, reason) = e.StatusCode == GrpcStatusCode.Unavailable
                ? (WebSocketCloseStatus.EndpointUnavailable, "the daemon stops")
                : (wire.InputFailure ?? WebSocketCloseStatus.PolicyViolation, e.StatusCode.ToName());
            await connection.CloseAsync(status, reason);
        }
        catch (OperationCanceledException)
        {
            // The client is gone.
        }
    }

    private async Task<ClientMessage?> ReadSubscribeAsync(HttpContext http, WebSocketWire wire, CancellationToken stopping)
    {
        using var limit = new CancellationTokenSource(options.HandshakeTimeout, clock);
        using var cancellation = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, stopping, http.RequestAborted);
        try
        {
            if (await wire.ReadAsync(cancellation.Token) is not { } message) return null;
            return message.Subscribe is not null ? message : throw new GrpcException(GrpcStatusCode.InvalidArgument, "the first message must be {\"subscribe\":{...}}");
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
            throw new GrpcException(GrpcStatusCode.Unavailable, "the daemon stops");
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested)
        {
            throw new GrpcException(GrpcStatusCode.DeadlineExceeded, $"no message came within {options.HandshakeTimeout.TotalSeconds:0.###} s");
        }
    }

    private static (WebSocketCloseStatus Status, string Reason) Describe(SubscriptionEnd end) => end.Reason switch
    {
        SubscriptionEndReason.MatchOver => (WebSocketCloseStatus.NormalClosure, "the match is over"),
        SubscriptionEndReason.Stopping => (WebSocketCloseStatus.EndpointUnavailable, "the daemon stops"),
        SubscriptionEndReason.BadFrame or SubscriptionEndReason.SourceLost => (WebSocketCloseStatus.InternalServerError, end.StatusCode().ToName()),
        SubscriptionEndReason.Closed => (WebSocketCloseStatus.NormalClosure, ""),
        _ => (WebSocketCloseStatus.PolicyViolation, end.StatusCode().ToName()),
    };

    private static string Peer(HttpContext http) =>
        http.Features.Get<IHttpConnectionFeature>() is { RemoteIpAddress: { } address } peer ? new System.Net.IPEndPoint(address, peer.RemotePort).ToString() : "unknown";
}
