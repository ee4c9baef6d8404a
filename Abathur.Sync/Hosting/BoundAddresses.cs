using System.Net;

namespace Abathur.Sync.Hosting;

/// <summary>Where the daemon really listens, for people and for programs: "grpc=127.0.0.1:22400 socket=127.0.0.1:22401".</summary>
public sealed record BoundAddresses(IReadOnlyList<(string Transport, string Address)> All)
{
    /// <summary>Where gRPC is served, as agents on this machine are told.</summary>
    public string Grpc
    {
        get
        {
            var address = All.First(each => each.Transport == "grpc").Address;
            return IPEndPoint.TryParse(address, out var endpoint) && endpoint.Address.Equals(IPAddress.Any) ? $"{IPAddress.Loopback}:{endpoint.Port}" : address;
        }
    }

    /// <summary>Where HTTP is served; null where it is not.</summary>
    public string? Http => All.FirstOrDefault(each => each.Transport == "http").Address;

    public override string ToString() => string.Join(' ', All.Select(each => $"{each.Transport}={each.Address}"));
}
