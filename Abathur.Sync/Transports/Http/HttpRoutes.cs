using Abathur.Sync.Access;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Transports.Http;

/// <summary>What the HTTP port answers: first who may ask (<see cref="WebOrigins"/>), then what there is.</summary>
/// <param name="origins">Which web pages may ask.</param>
/// <param name="advice">Where to go instead, for whoever asks for what is not there.</param>
internal sealed class HttpRoutes(WebOrigins origins, string advice)
{
    private readonly Dictionary<string, RequestDelegate> _routes = [];
    private readonly List<(string Prefix, RequestDelegate Handler)> _prefixes = [];

    /// <summary>Adds a path, which handles all methods itself.</summary>
    public HttpRoutes Add(string path, RequestDelegate handler)
    {
        _routes.Add(path, handler);
        return this;
    }

    /// <summary>Adds all paths that begin so and are not there by themselves; the first that fits is taken.</summary>
    /// <param name="prefix">Ends with a slash.</param>
    /// <param name="handler">Handles all methods.</param>
    public HttpRoutes AddPrefix(string prefix, RequestDelegate handler)
    {
        _prefixes.Add((prefix, handler));
        return this;
    }

    public Task HandleAsync(HttpContext http)
    {
        var request = http.Request;
        var host = request.Headers.Host is [{ Length: > 0 } one] ? one : null;
        if (origins.Refusal(host, request.Headers.Origin, http.Connection.LocalPort) is { } refusal) return HttpAnswer.TextAsync(http.Response, StatusCodes.Status403Forbidden, refusal);
        var path = request.Path.Value ?? "";
        if (_routes.TryGetValue(path, out var handler)) return handler(http);
        foreach (var (prefix, prefixHandler) in _prefixes)
        {
            if (path.StartsWith(prefix, StringComparison.Ordinal)) return prefixHandler(http);
        }
        return HttpAnswer.TextAsync(http.Response, StatusCodes.Status404NotFound, $"there is nothing here; {advice}");
    }
}
