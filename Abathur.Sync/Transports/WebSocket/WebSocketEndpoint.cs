using Abathur.Sync.Transports.Http;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Transports.WebSocket;

/// <summary>A WebSocket path. Other requests get an error that says what it expects.</summary>
/// <param name="path">The path, for messages.</param>
/// <param name="clients">The kind of its clients, in the plural, for messages.</param>
/// <param name="serve">Serves one request for a WebSocket; its token fires when the server stops.</param>
/// <param name="stopping">Fires when the server stops.</param>
internal sealed class WebSocketEndpoint(
    string path, string clients, Func<HttpContext, CancellationToken, Task> serve, CancellationToken stopping)
{
    /// <summary>Where agents connect.</summary>
    public const string SyncPath = "/v1/sync";

    private const string Version = "13";

    public Task HandleAsync(HttpContext http)
    {
        var (request, response) = (http.Request, http.Response);
        if (!HttpMethods.IsGet(request.Method)) return HttpAnswer.NotAllowedAsync(response, HttpMethods.Get, $"{clients} connect with GET");
        var isCurrent = HttpProtocol.IsHttp11(request.Protocol) && request.Headers.SecWebSocketVersion == Version;
        if (isCurrent && http.WebSockets.IsWebSocketRequest) return serve(http, stopping);
        if (isCurrent && IsUpgrade(request))
        {
            return HttpAnswer.TextAsync(
                response,
                StatusCodes.Status400BadRequest,
                "this is not a WebSocket handshake: it needs Connection: Upgrade, Upgrade: websocket, a Sec-WebSocket-Key of 16 bytes "
                    + "in base64, and no body");
        }
        response.Headers.Upgrade = "websocket";
        response.Headers.Connection = "Upgrade";
        response.Headers.SecWebSocketVersion = Version;
        return HttpAnswer.TextAsync(
            response, StatusCodes.Status426UpgradeRequired, $"{path} speaks WebSocket, version {Version}, over HTTP/1.1");
    }

    private static bool IsUpgrade(HttpRequest request) =>
        string.Equals(request.Headers.Upgrade, "websocket", StringComparison.OrdinalIgnoreCase);
}
