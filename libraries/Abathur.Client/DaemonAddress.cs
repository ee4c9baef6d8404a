using System.Globalization;

namespace Abathur.Client;

/// <summary>The address of a daemon's socket, with token and certificates.</summary>
/// <param name="Host">Name or address; empty for a Unix domain socket.</param>
/// <param name="Port">TCP port.</param>
/// <param name="Path">Path of the Unix domain socket; null for TCP.</param>
/// <param name="IsTls">Whether the connection uses TLS.</param>
/// <param name="Token">Empty: none.</param>
/// <param name="CaFile">File with trusted root certificates; null: those of the system.</param>
internal sealed record DaemonAddress(string Host, int Port, string? Path, bool IsTls, string Token, string? CaFile)
{
    public const int DefaultPort = 22401;
    private const string UnixScheme = "socket+unix:";

    /// <summary>Reads <c>HOST:PORT</c>, <c>socket://HOST:PORT</c>, <c>sockets://HOST:PORT</c> (TLS), <c>socket+unix:PATH</c>, or
    /// <c>match:NAME</c> for a match on this machine.</summary>
    /// <param name="text">Null or empty: the one in ABATHUR_ADDRESS, else 127.0.0.1:22401.</param>
    /// <param name="options">Token and certificates; what is not set there is taken from ABATHUR_TOKEN and ABATHUR_CA.</param>
    /// <exception cref="ArgumentException">The text is not such an address.</exception>
    public static DaemonAddress Parse(string? text, ConnectOptions options)
    {
        var token = FirstOf(options.Token, Environment.GetEnvironmentVariable("ABATHUR_TOKEN")) ?? "";
        // As a file has it.
        token = token.TrimEnd('\r', '\n');
        var ca = FirstOf(options.CaFile, Environment.GetEnvironmentVariable("ABATHUR_CA"));
        var address = FirstOf(text, Environment.GetEnvironmentVariable("ABATHUR_ADDRESS")) ?? $"127.0.0.1:{DefaultPort}";
        if (address.StartsWith(LocalMatches.Prefix, StringComparison.Ordinal))
            address = LocalMatches.SocketOf(address[LocalMatches.Prefix.Length..]);
        if (address.StartsWith(UnixScheme, StringComparison.Ordinal))
            return new DaemonAddress("", 0, address[UnixScheme.Length..], false, token, ca);
        var separator = address.IndexOf("://", StringComparison.Ordinal);
        var (scheme, rest) = separator < 0 ? ("socket", address) : (address[..separator], address[(separator + 3)..]);
        if (scheme is "grpc" or "grpcs" || address.StartsWith("grpc+unix:", StringComparison.Ordinal))
        {
            throw new ArgumentException(
                $"'{address}' is the address of gRPC; this client uses the daemon's socket: socket://HOST:{DefaultPort}", nameof(text));
        }
        var colon = rest.LastIndexOf(':');
        var (host, port) = colon < 0 || rest.EndsWith(']') ? (rest, $"{DefaultPort}") : (rest[..colon], rest[(colon + 1)..]);
        host = host.Trim('[', ']');
        if (scheme is not ("socket" or "sockets") || host.Length == 0
            || !ushort.TryParse(port, NumberStyles.None, CultureInfo.InvariantCulture, out var number))
        {
            throw new ArgumentException(
                $"'{address}' is not an address: expected HOST:PORT, socket://HOST:PORT, sockets://HOST:PORT with TLS, "
                + "socket+unix:PATH or match:NAME", nameof(text));
        }
        return new DaemonAddress(host, number, null, scheme == "sockets", token, ca);
    }

    /// <summary>The address without its token, in the form that <see cref="Parse"/> reads.</summary>
    public override string ToString() => Path is not null
        ? UnixScheme + Path
        : $"{(IsTls ? "sockets" : "socket")}://{(Host.Contains(':') ? $"[{Host}]" : Host)}:{Port}";

    private static string? FirstOf(string? first, string? second) =>
        !string.IsNullOrEmpty(first) ? first : string.IsNullOrEmpty(second) ? null : second;
}
