using Abathur.Sync.Transports.Http;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Transports.WebSocket;

/// <summary>A path that speaks WebSocket, and tells whoever asks in another way what it expects.</summary>
/// <param name="path">The path, for what is said.</param>
/// <param name="clients">Who connects there, in the plural.</param>
/// <param name="serve">Serves one request for a WebSocket; its token says that the server stops.</param>
/// <param name="stopping">The server stops.</param>
internal sealed class WebSocketEndpoint(string path, string clients, Func<HttpContext, CancellationToken, Task> serve, CancellationToken stopping)
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
                "this is no WebSocket handshake: it needs Connection: Upgrade, Upgrade: websocket, a Sec-WebSocket-Key of 16 bytes in base64, and no body");
        }
        response.Headers.Upgrade = "websocket";
        response.Headers.Connection = "Upgrade";
        response.Headers.SecWebSocketVersion = Version;
        return HttpAnswer.TextAsync(response, StatusCodes.Status426UpgradeRequired, $"{path} speaks WebSocket, version {Version}, over HTTP/1.1");
    }

    private static bool IsUpgrade(HttpRequest request) => string.Equals(request.Headers.Upgrade, "websocket", StringComparison.OrdinalIgnoreCase);
}
