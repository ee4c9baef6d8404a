using System.Net;

namespace Abathur.Sync.Hosting;

/// <summary>The addresses on which the daemon listens, for people and for programs: "grpc=127.0.0.1:22400
/// socket=127.0.0.1:22401".</summary>
public sealed record BoundAddresses(IReadOnlyList<(string Transport, string Address)> All)
{
    /// <summary>Address of gRPC for agents on this machine.</summary>
    public string Grpc
    {
        get
        {
            var address = All.First(each => each.Transport == "grpc").Address;
            return IPEndPoint.TryParse(address, out var endpoint) && endpoint.Address.Equals(IPAddress.Any)
                ? $"{IPAddress.Loopback}:{endpoint.Port}"
                : address;
        }
    }

    /// <summary>Address of HTTP; null if it is not served.</summary>
    public string? Http => All.FirstOrDefault(each => each.Transport == "http").Address;

    public override string ToString() => string.Join(' ', All.Select(each => $"{each.Transport}={each.Address}"));
}
