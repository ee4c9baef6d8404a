using System.Net.WebSockets;
using System.Security.Cryptography;
using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Abathur.Sync.Transports.WebSocket;

/// <summary>Accepts a WebSocket request.</summary>
/// <remarks>
/// The middleware wraps the WebSocket in one that aborts the connection at any error, so that the close with 1002 or 1007, which gives the
/// reason, is lost.
/// </remarks>
public static class WebSocketHandshake
{
    /// <summary>RFC 6455, 1.3.</summary>
    private const string KeySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    /// <summary>Answers 101. Call it if <see cref="WebSocketManager.IsWebSocketRequest"/> is true; the caller disposes the
    /// result.</summary>
    /// <param name="http">The request.</param>
    /// <param name="keepAliveInterval">A ping is sent when nothing was received for this time; zero: never.</param>
    /// <param name="keepAliveTimeout">How long a ping may stay unanswered.</param>
    /// <param name="subprotocol">The chosen subprotocol; null: none.</param>
    /// <param name="wrap">Wraps the stream between the connection and the WebSocket; null: not wrapped.</param>
    public static async Task<System.Net.WebSockets.WebSocket> AcceptAsync(
        HttpContext http, TimeSpan keepAliveInterval, TimeSpan keepAliveTimeout, string? subprotocol =
            null, Func<Stream, Stream>? wrap = null)
    {
        var headers = http.Response.Headers;
        headers.Connection = "Upgrade";
        headers.Upgrade = "websocket";
        if (subprotocol is not null) headers.SecWebSocketProtocol = subprotocol;
        headers.SecWebSocketAccept = Accept(http.Request.Headers.SecWebSocketKey.ToString());
        var stream = new UpgradedStream(await http.Features.GetRequiredFeature<IHttpUpgradeFeature>().UpgradeAsync());
        return System.Net.WebSockets.WebSocket.CreateFromStream(
            wrap?.Invoke(stream) ?? stream, new WebSocketCreationOptions
            {
                IsServer = true,
                KeepAliveInterval = keepAliveInterval,
                KeepAliveTimeout = keepAliveTimeout,
            });
    }

#pragma warning disable CA5350 // The hash of the handshake is not secret: it only shows that the server has read the request.
    private static string Accept(string key) => Convert.ToBase64String(SHA1.HashData(Encoding.ASCII.GetBytes(key.Trim() + KeySuffix)));
#pragma warning restore CA5350
}
