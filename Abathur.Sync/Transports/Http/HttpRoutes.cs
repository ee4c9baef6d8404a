using Abathur.Sync.Access;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Transports.Http;

/// <summary>The routes of the HTTP port. Requests are checked by <see cref="WebOrigins"/> first.</summary>
/// <param name="origins">The allowed web pages.</param>
/// <param name="tokens">The tokens and their access levels.</param>
/// <param name="advice">Hint for requests of unknown paths.</param>
internal sealed class HttpRoutes(WebOrigins origins, AccessTokens tokens, string advice)
{
    private readonly Dictionary<string, Route> _routes = [];
    private readonly List<(string Prefix, Route Route)> _prefixes = [];

    /// <summary>Adds a path, whose handler handles all methods.</summary>
    /// <param name="path">The path.</param>
    /// <param name="handler">Handles the requests.</param>
    /// <param name="needed">What <c>Authorization: Bearer TOKEN</c> must allow. WebSocket paths read the token from the first message
    /// instead.</param>
    public HttpRoutes Add(string path, RequestDelegate handler, AccessLevel needed = AccessLevel.None)
    {
        _routes.Add(path, new Route(handler, needed));
        return this;
    }

    /// <summary>Adds all paths with a prefix that were not added themselves; the first matching prefix is used.</summary>
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
        if (origins.Refusal(host, request.Headers.Origin, http.Connection.LocalPort, http.Connection.LocalIpAddress) is { } refusal)
            return HttpAnswer.TextAsync(http.Response, StatusCodes.Status403Forbidden, refusal);
        var path = request.Path.Value ?? "";
        if (_routes.TryGetValue(path, out var route)) return ServeAsync(http, route);
        foreach (var (prefix, prefixRoute) in _prefixes)
        {
            if (path.StartsWith(prefix, StringComparison.Ordinal)) return ServeAsync(http, prefixRoute);
        }
        return HttpAnswer.TextAsync(http.Response, StatusCodes.Status404NotFound, $"not found; {advice}");
    }

    private Task ServeAsync(HttpContext http, Route route)
    {
        if (route.Needed == AccessLevel.None) return route.Handler(http);
        return Refusal(http, tokens, route.Needed) ?? route.Handler(http);
    }

    /// <summary>Answers a request that is not authorized; null if it is.</summary>
    public static Task? Refusal(HttpContext http, AccessTokens tokens, AccessLevel needed)
    {
        var level = tokens.LevelOf(WebSocketToken.Of(http));
        if (level >= needed) return null;
        if (level != AccessLevel.None)
            return HttpAnswer.TextAsync(http.Response, StatusCodes.Status403Forbidden, "this token is for watching");
        http.Response.Headers.WWWAuthenticate = "Bearer";
        return HttpAnswer.TextAsync(http.Response, StatusCodes.Status401Unauthorized, "a token is needed: Authorization: Bearer TOKEN");
    }

    private readonly record struct Route(RequestDelegate Handler, AccessLevel Needed);
}
