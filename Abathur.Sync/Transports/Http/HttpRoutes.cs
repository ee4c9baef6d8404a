using Abathur.Sync.Access;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Transports.Http;

/// <summary>What the HTTP port answers: first who may ask (<see cref="WebOrigins"/>), then what there is.</summary>
/// <param name="origins">Which web pages may ask.</param>
/// <param name="tokens">Who may have what.</param>
/// <param name="advice">Where to go instead, for whoever asks for what is not there.</param>
internal sealed class HttpRoutes(WebOrigins origins, AccessTokens tokens, string advice)
{
    private readonly Dictionary<string, Route> _routes = [];
    private readonly List<(string Prefix, Route Route)> _prefixes = [];

    /// <summary>Adds a path, which handles all methods itself.</summary>
    /// <param name="path">The path.</param>
    /// <param name="handler">Answers.</param>
    /// <param name="needed">What <c>Authorization: Bearer TOKEN</c> must allow. Paths that speak WebSocket ask for the token in their first message.</param>
    public HttpRoutes Add(string path, RequestDelegate handler, AccessLevel needed = AccessLevel.None)
    {
        _routes.Add(path, new Route(handler, needed));
        return this;
    }

    /// <summary>Adds all paths that begin so and are not there by themselves; the first that fits is taken.</summary>
    /// <param name="prefix">Ends with a slash.</param>
    /// <param name="handler">Handles all methods.</param>
    /// <param name="needed">As for a path.</param>
    public HttpRoutes AddPrefix(string prefix, RequestDelegate handler, AccessLevel needed = AccessLevel.None)
    {
        _prefixes.Add((prefix, new Route(handler, needed)));
        return this;
    }

    public Task HandleAsync(HttpContext http)
    {
        var request = http.Request;
        var host = request.Headers.Host is [{ Length: > 0 } one] ? one : null;
        if (origins.Refusal(host, request.Headers.Origin, http.Connection.LocalPort, http.Connection.LocalIpAddress) is { } refusal) return HttpAnswer.TextAsync(http.Response, StatusCodes.Status403Forbidden, refusal);
        var path = request.Path.Value ?? "";
        if (_routes.TryGetValue(path, out var route)) return ServeAsync(http, route);
        foreach (var (prefix, prefixRoute) in _prefixes)
        {
            if (path.StartsWith(prefix, StringComparison.Ordinal)) return ServeAsync(http, prefixRoute);
        }
        return HttpAnswer.TextAsync(http.Response, StatusCodes.Status404NotFound, $"there is nothing here; {advice}");
    }

    private Task ServeAsync(HttpContext http, Route route)
    {
        if (route.Needed == AccessLevel.None) return route.Handler(http);
        return Refusal(http, tokens, route.Needed) ?? route.Handler(http);
    }

    /// <summary>Answers a request that may not have what it asks for; null where it may.</summary>
    public static Task? Refusal(HttpContext http, AccessTokens tokens, AccessLevel needed)
    {
        var level = tokens.LevelOf(WebSocketToken.Of(http));
        if (level >= needed) return null;
        if (level != AccessLevel.None) return HttpAnswer.TextAsync(http.Response, StatusCodes.Status403Forbidden, "this token is for watching");
        http.Response.Headers.WWWAuthenticate = "Bearer";
        return HttpAnswer.TextAsync(http.Response, StatusCodes.Status401Unauthorized, "a token is needed: Authorization: Bearer TOKEN");
    }

    private readonly record struct Route(RequestDelegate Handler, AccessLevel Needed);
}
