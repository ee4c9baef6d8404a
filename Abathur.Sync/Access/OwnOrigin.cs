using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Access;

/// <summary>Whether a request that changes something comes from the daemon's own page, or from a program other than a browser.</summary>
internal static class OwnOrigin
{
    /// <summary>
    /// Browsers report where a request comes from in Sec-Fetch-Site, and add Origin to every request that changes something.
    /// <see cref="WebOrigins"/> has already refused foreign origins; an allowed origin may read but not write.
    /// </summary>
    public static bool IsOwn(HttpRequest request)
    {
        if (request.Headers["Sec-Fetch-Site"] is { Count: > 0 } site && site is not ["same-origin"]) return false;
        return request.Headers.Origin.Count == 0 || request.Headers.Origin == $"{request.Scheme}://{request.Host}";
    }
}
