namespace Abathur.Client;

/// <summary>The address of a daemon's socket or gRPC, with token and certificates.</summary>
/// <param name="IsGrpc">Whether it is that of gRPC.</param>
/// <param name="Host">Name or address; empty for a Unix domain socket.</param>
/// <param name="Port">TCP port.</param>
/// <param name="Path">Path of the Unix domain socket; null for TCP.</param>
/// <param name="IsTls">Whether the connection uses TLS.</param>
/// <param name="Token">Empty: none.</param>
/// <param name="CaFile">File with trusted root certificates; null: those of the system.</param>
internal sealed record DaemonAddress(bool IsGrpc, string Host, int Port, string? Path, bool IsTls, string Token, string? CaFile)
{
    public const int DefaultPort = 22401;
    private const int DefaultGrpcPort = 22400;
    private const string UnixScheme = "socket+unix:", GrpcUnixScheme = "grpc+unix:";

    /// <summary>Reads <c>HOST:PORT</c>, <c>socket://HOST:PORT</c>, <c>sockets://HOST:PORT</c> (TLS), <c>socket+unix:PATH</c>; the same
    /// with <c>grpc</c>; or <c>match:NAME</c> for a match on this machine.</summary>
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
            return new DaemonAddress(false, "", 0, address[UnixScheme.Length..], false, token, ca);
        if (address.StartsWith(GrpcUnixScheme, StringComparison.Ordinal))
            return new DaemonAddress(true, "", 0, address[GrpcUnixScheme.Length..], false, token, ca);
        var separator = address.IndexOf("://", StringComparison.Ordinal);
        var (scheme, rest) = separator < 0 ? ("socket", address) : (address[..separator], address[(separator + 3)..]);
        if (scheme is "nats" or "natss")
        {
            throw new ArgumentException(
                $"a match on NATS needs the package Abathur.Client.Nats: NatsGame.ConnectAsync(\"{scheme}://HOST/MATCH\")", nameof(text));
        }
        var isGrpc = scheme is "grpc" or "grpcs";
        if (scheme is not ("socket" or "sockets" or "grpc" or "grpcs")
            || HostPort.Parse(rest, isGrpc ? DefaultGrpcPort : DefaultPort) is not { } place)
        {
            throw new ArgumentException(
                $"'{address}' is not an address: expected HOST:PORT, socket://HOST:PORT or grpc://HOST:PORT, sockets:// or grpcs:// with "
                + "TLS, socket+unix:PATH, grpc+unix:PATH or match:NAME", nameof(text));
        }
        return new DaemonAddress(isGrpc, place.Host, place.Port, null, scheme.EndsWith('s'), token, ca);
    }

    /// <summary>The address without its token, in the form that <see cref="Parse"/> reads.</summary>
    public override string ToString() => Path is not null
        ? (IsGrpc ? GrpcUnixScheme : UnixScheme) + Path
        : $"{(IsGrpc ? "grpc" : "socket")}{(IsTls ? "s" : "")}://{new HostPort(Host, Port)}";

    private static string? FirstOf(string? first, string? second) =>
        !string.IsNullOrEmpty(first) ? first : string.IsNullOrEmpty(second) ? null : second;
}
