using System.Net;

namespace Abathur.Sync.Hosting;

/// <summary>The addresses on which the daemon listens, for people and for programs: "grpc=127.0.0.1:22400
/// socket=127.0.0.1:22401".</summary>
public sealed record BoundAddresses(IReadOnlyList<(string Transport, string Address)> All)
{
    private const string UnixPrefix = "unix:";

    /// <summary>Address of gRPC for agents on this machine.</summary>
    public string Grpc => OnThisMachine(All.First(each => each.Transport == "grpc").Address);

    /// <summary>Address of HTTP; null if it is not served.</summary>
    public string? Http => All.FirstOrDefault(each => each.Transport == "http").Address;

    /// <summary>The addresses for programs on this machine as URLs, by transport; of Unix domain sockets by
    /// <c>TRANSPORT+unix</c>.</summary>
    /// <param name="isTls">Whether the TCP ports use TLS.</param>
    internal IEnumerable<(string Transport, string Url)> Urls(bool isTls) => All.Select(each =>
        each.Address.StartsWith(UnixPrefix, StringComparison.Ordinal)
            ? ($"{each.Transport}+unix", $"{each.Transport}+{each.Address}")
            : (each.Transport, $"{each.Transport}{(isTls ? "s" : "")}://{OnThisMachine(each.Address)}"));

    public override string ToString() => string.Join(' ', All.Select(each => $"{each.Transport}={each.Address}"));

    private static string OnThisMachine(string address)
    {
        if (!IPEndPoint.TryParse(address, out var endpoint)) return address;
        if (endpoint.Address.Equals(IPAddress.Any)) endpoint.Address = IPAddress.Loopback;
        if (endpoint.Address.Equals(IPAddress.IPv6Any)) endpoint.Address = IPAddress.IPv6Loopback;
        return endpoint.ToString();
    }
}
