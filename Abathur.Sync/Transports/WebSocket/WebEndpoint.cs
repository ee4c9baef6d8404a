using Abathur.Sync.Access;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Transports.WebSocket;

/// <summary>What the HTTP port answers: first who may ask (<see cref="WebOrigins"/>), then what there is.</summary>
/// <param name="path">The one path there is.</param>
/// <param name="clients">Who connects there, in the plural, for what is said to others.</param>
/// <param name="origins">Which web pages may connect.</param>
/// <param name="serve">Serves one request for a WebSocket that has been checked; its token says that the server stops.</param>
/// <param name="stopping">The server stops.</param>
internal sealed class WebEndpoint(string path, string clients, WebOrigins origins, Func<HttpContext, CancellationToken, Task> serve, CancellationToken stopping)
{
    /// <summary>Where agents connect.</summary>
    public const string SyncPath = "/v1/sync";

    private const string Version = "13";

    public Task HandleAsync(HttpContext http)
    {
        var (request, response) = (http.Request, http.Response);
        var host = request.Headers.Host is [{ Length: > 0 } one] ? one : null;
        if (origins.Refusal(host, request.Headers.Origin, http.Connection.LocalPort) is { } refusal) return AnswerAsync(response, StatusCodes.Status403Forbidden, refusal);
        if (request.Path != path) return AnswerAsync(response, StatusCodes.Status404NotFound, $"there is nothing here; {clients} connect to {path}");
        if (!HttpMethods.IsGet(request.Method))
        {
            response.Headers.Allow = HttpMethods.Get;
            return AnswerAsync(response, StatusCodes.Status405MethodNotAllowed, $"{clients} connect with GET");
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
        return AnswerAsync(response, StatusCodes.Status426UpgradeRequired, $"{path} speaks WebSocket, version {Version}, over HTTP/1.1");
    }

    private async Task ConnectAsync(HttpContext http)
    {
        try
        {
            await serve(http, stopping);
        }
        catch (InvalidOperationException) when (!http.Response.HasStarted)
        {
            // The server's way to say that its limit is reached.
            http.Response.Clear();
            await AnswerAsync(http.Response, StatusCodes.Status503ServiceUnavailable, "there are too many connections already");
        }
    }

    private static bool IsUpgrade(HttpRequest request) => string.Equals(request.Headers.Upgrade, "websocket", StringComparison.OrdinalIgnoreCase);

    /// <summary>Answers a request that is not for a WebSocket, or is refused.</summary>
    public static Task AnswerAsync(HttpResponse response, int status, string message)
    {
        response.StatusCode = status;
        response.ContentType = "text/plain; charset=utf-8";
        response.Headers.XContentTypeOptions = "nosniff";
        return response.WriteAsync(message + "\n");
    }
}
