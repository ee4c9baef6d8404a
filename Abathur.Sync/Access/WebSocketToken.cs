using System.Buffers.Text;
using System.Text;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Access;

/// <summary>
/// A token that a WebSocket shows with its handshake. A page cannot set headers there but for the subprotocols that it offers: <c>abathur.v1</c>, which is chosen, and
/// <c>abathur.token.</c> with the token in base64url behind it.
/// </summary>
internal static class WebSocketToken
{
    /// <summary>What is chosen where it is offered.</summary>
    public const string Subprotocol = "abathur.v1";

    private const string Prefix = "abathur.token.";

    /// <summary>The subprotocol that is chosen; null: none was offered that is known.</summary>
    public static string? ChosenOf(HttpContext http) => http.WebSockets.WebSocketRequestedProtocols.Contains(Subprotocol) ? Subprotocol : null;

    /// <summary>The token, by subprotocol or in <c>Authorization</c>; null: none was shown.</summary>
    public static string? Of(HttpContext http)
    {
        var offered = http.WebSockets.WebSocketRequestedProtocols.FirstOrDefault(each => each.StartsWith(Prefix, StringComparison.Ordinal));
        if (offered is null) return AccessTokens.FromAuthorization(http.Request.Headers.Authorization);
        var encoded = offered.AsSpan(Prefix.Length);
        return Base64Url.IsValid(encoded) ? Encoding.UTF8.GetString(Base64Url.DecodeFromChars(encoded)) : null;
    }
}
