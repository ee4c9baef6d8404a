using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Access;

/// <summary>Whether a request that changes something comes from the daemon's own page, or from a program that is no browser.</summary>
internal static class OwnOrigin
{
    /// <summary>
    /// Browsers say where a request comes from by Sec-Fetch-Site, and add Origin to all that changes something. <see cref="WebOrigins"/> has refused foreign origins before;
    /// one that was allowed may read, not write.
    /// </summary>
    public static bool IsOwn(HttpRequest request)
    {
        if (request.Headers["Sec-Fetch-Site"] is { Count: > 0 } site && site is not ["same-origin"]) return false;
        return request.Headers.Origin.Count == 0 || request.Headers.Origin == $"{request.Scheme}://{request.Host}";
    }
}
