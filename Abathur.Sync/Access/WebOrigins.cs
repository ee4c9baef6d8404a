using System.Globalization;
using System.Net;

namespace Abathur.Sync.Access;

/// <summary>
/// Which web pages may connect to the daemon. A browser sends the requests of any page to 127.0.0.1, so listening on a loopback address
/// does not protect against web pages. Therefore Host must name this machine and the port (a page whose own name was made to resolve
/// to 127.0.0.1 sends that name), and Origin, which browsers add, must be the daemon's own or an allowed one.
/// </summary>
/// <param name="allowed">Allowed origins besides the daemon's own.</param>
internal sealed class WebOrigins(IEnumerable<string> allowed)
{
    private readonly HashSet<string> _allowed = new(allowed, StringComparer.Ordinal);

    /// <summary>Whether Host may name another port or no port, because some WebSocket libraries omit it. Only the name is
    /// checked.</summary>
    public bool AnyPort { get; init; }

    /// <summary>Whether pages of any loopback origin are allowed; see <see cref="IsLoopback"/>.</summary>
    public bool AnyLoopback { get; init; }

    /// <summary>Whether the daemon speaks TLS, so that its own origin is an https one.</summary>
    public bool IsTls { get; init; }

    /// <summary>Host names besides those of loopback.</summary>
    public IReadOnlyList<string> Hosts { get; init; } = [];

    private string Scheme => IsTls ? "https://" : "http://";

    private int DefaultPort => IsTls ? 443 : 80;

    /// <summary>Reads an origin as a browser writes it, e.g. "http://localhost:3000"; null with the reason if it is invalid.</summary>
    public static string? TryParse(string text, out string problem)
    {
        problem = $"\"{text}\" is not an origin: expected scheme://host or scheme://host:port, without a path";
        if (text.Any(letter => letter is '*' or '@' or '?' or '#' or '\\' || letter <= ' ' || letter > '~')) return null;
        if (!Uri.TryCreate(text, UriKind.Absolute, out var uri) || uri.Host.Length == 0) return null;
        if (!text.Contains("://", StringComparison.Ordinal) || uri.PathAndQuery is not ("/" or "") || text.EndsWith('/')) return null;
        problem = "";
        var port = uri.IsDefaultPort || uri.Port < 0 ? "" : string.Create(CultureInfo.InvariantCulture, $":{uri.Port}");
        return $"{uri.Scheme}://{uri.Host.ToLowerInvariant()}{port}";
    }

    /// <summary>Whether an origin names this machine by a loopback name or address, with any port. Some WebSocket libraries write their own
    /// with ws or wss.</summary>
    public static bool IsLoopback(string origin)
    {
        if (TryParse(origin, out _) is not { } text || !Uri.TryCreate(text, UriKind.Absolute, out var uri)) return false;
        if (uri.Scheme is not ("http" or "https" or "ws" or "wss")) return false;
        return uri.Host == "localhost" || (IPAddress.TryParse(uri.Host.Trim('[', ']'), out var address) && IPAddress.IsLoopback(address));
    }

    /// <summary>Why a request is refused; null if it is allowed.</summary>
    /// <param name="host">The Host header, or null.</param>
    /// <param name="origins">The Origin headers.</param>
    /// <param name="port">The local port of the connection.</param>
    /// <param name="address">The local address of the connection; null if unknown.</param>
    public string? Refusal(string? host, IReadOnlyList<string?> origins, int port, IPAddress? address = null)
    {
        if (host is null || !IsOurs(host, port, address))
        {
            return Hosts.Count == 0
                ? $"Host must be a loopback name of this machine with port {port}, such as localhost:{port}; others are allowed with "
                    + "--allow-host"
                : $"Host must be {string.Join(" or ", Hosts)} or a loopback name, with port {port}";
        }
        if (origins.Count == 0) return null;
        if (origins is [{ } origin] && (IsSame(origin, host) || _allowed.Contains(origin) || (AnyLoopback && IsLoopback(origin))))
            return null;
        if (AnyLoopback) return $"Origin must be a loopback name or address of this machine, such as {Scheme}{host}";
        return $"Origin must be {Scheme}{host}; others are allowed with --allow-origin";
    }

    private bool IsSame(string origin, string host) =>
        origin.StartsWith(Scheme, StringComparison.Ordinal)
            && WithPort(origin[Scheme.Length..]).Equals(WithPort(host), StringComparison.OrdinalIgnoreCase);

    private string WithPort(string host) => host.EndsWith(']') || !host.Contains(':') ? $"{host}:{DefaultPort}" : host;

    private bool IsOurs(string host, int port, IPAddress? address)
    {
        var whole = WithPort(host);
        var colon = whole.LastIndexOf(':');
        if (!AnyPort && whole[(colon + 1)..] != port.ToString(CultureInfo.InvariantCulture)) return false;
        var name = whole[..colon];
        if (name.Equals("localhost", StringComparison.OrdinalIgnoreCase) || name == "[::1]") return true;
        if (Hosts.Contains(name, StringComparer.OrdinalIgnoreCase)) return true;
        // Only the usual spelling: no legitimate client sends 127.1 or 0x7f000001.
        if (!IPAddress.TryParse(name.Trim('[', ']'), out var number) || name != Spelling(number)) return false;
        // A DNS name is never spelled as a number: a client that sends the address it connected to means this daemon.
        return (IPAddress.IsLoopback(number) && !name.Contains(':'))
            || number.Equals(address?.IsIPv4MappedToIPv6 == true ? address.MapToIPv4() : address);
    }

    private static string Spelling(IPAddress number) =>
        number.AddressFamily == System.Net.Sockets.AddressFamily.InterNetworkV6 ? $"[{number}]" : number.ToString();
}
