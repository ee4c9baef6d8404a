using Abathur.Sync.Access;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Transports.WebSocket;

/// <summary>What the HTTP port answers: first who may ask (<see cref="WebOrigins"/>), then what there is.</summary>
internal sealed class WebEndpoint(WebOrigins origins, WebSocketHandler handler, CancellationToken stopping)
{
    /// <summary>Where agents connect.</summary>
    public const string Path = "/v1/sync";

    private const string Version = "13";

    public Task HandleAsync(HttpContext http)
    {
        var (request, response) = (http.Request, http.Response);
        var host = request.Headers.Host is [{ Length: > 0 } one] ? one : null;
        if (origins.Refusal(host, request.Headers.Origin, http.Connection.LocalPort) is { } refusal) return AnswerAsync(response, StatusCodes.Status403Forbidden, refusal);
        if (request.Path != Path) return AnswerAsync(response, StatusCodes.Status404NotFound, $"there is nothing here; agents connect to {Path}");
        if (!HttpMethods.IsGet(request.Method))
        {
            response.Headers.Allow = HttpMethods.Get;
            return AnswerAsync(response, StatusCodes.Status405MethodNotAllowed, "agents connect with GET");
        }
        var isCurrent = HttpProtocol.IsHttp11(request.Protocol) && request.Headers.SecWebSocketVersion == Version;
        if (isCurrent && http.WebSockets.IsWebSocketRequest) return ConnectAsync(http);
        if (isCurrent && IsUpgrade(request))
        {
            return AnswerAsync(
                response,
                StatusCodes.Status400BadRequest,
                "this is no WebSocket handshake: it needs Connection: Upgrade, Upgrade: websocket, a Sec-WebSocket-Key of 16 bytes in base64, and no body");
        }
        response.Headers.Upgrade = "websocket";
        response.Headers.Connection = "Upgrade";
        response.Headers.SecWebSocketVersion = Version;
        return AnswerAsync(response, StatusCodes.Status426UpgradeRequired, $"{Path} speaks WebSocket, version {Version}, over HTTP/1.1");
    }

    private async Task ConnectAsync(HttpContext http)
    {
        try
        {
            await handler.HandleAsync(http, stopping);
        }
        catch (InvalidOperationException) when (!http.Response.HasStarted)
        {
            // The server's way to say that its limit is reached.
            http.Response.Clear();
            await AnswerAsync(http.Response, StatusCodes.Status503ServiceUnavailable, "there are too many connections already");
        }
    }

    private static bool IsUpgrade(HttpRequest request) => string.Equals(request.Headers.Upgrade, "websocket", StringComparison.OrdinalIgnoreCase);

    private static Task AnswerAsync(HttpResponse response, int status, string message)
    {
        response.StatusCode = status;
        response.ContentType = "text/plain; charset=utf-8";
        response.Headers.XContentTypeOptions = "nosniff";
        return response.WriteAsync(message + "\n");
    }
}
