using System.Buffers.Text;
using System.Text;
using Microsoft.AspNetCore.Http;

namespace Abathur.Sync.Access;

/// <summary>
/// A token in a WebSocket handshake. The only header that a page can set there is the list of subprotocols: <c>abathur.v1</c>, which the
/// server chooses, and <c>abathur.token.</c> followed by the token in base64url.
/// </summary>
internal static class WebSocketToken
{
    /// <summary>The subprotocol that the server chooses if the client offers it.</summary>
    public const string Subprotocol = "abathur.v1";

    private const string Prefix = "abathur.token.";

    /// <summary>The chosen subprotocol; null: the client offered no known one.</summary>
    public static string? ChosenOf(HttpContext http) =>
        http.WebSockets.WebSocketRequestedProtocols.Contains(Subprotocol) ? Subprotocol : null;

    /// <summary>The token, by subprotocol or in <c>Authorization</c>; null: none was sent.</summary>
    public static string? Of(HttpContext http)
    {
        var offered = http.WebSockets.WebSocketRequestedProtocols.FirstOrDefault(each => each.StartsWith(Prefix, StringComparison.Ordinal));
        if (offered is null) return AccessTokens.FromAuthorization(http.Request.Headers.Authorization);
        var encoded = offered.AsSpan(Prefix.Length);
        return Base64Url.IsValid(encoded) ? Encoding.UTF8.GetString(Base64Url.DecodeFromChars(encoded)) : null;
    }
}
