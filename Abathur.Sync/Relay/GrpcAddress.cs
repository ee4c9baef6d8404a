using Abathur.Client;
using Abathur.Sync.Hosting;

namespace Abathur.Sync.Relay;

/// <summary>Where a daemon serves gRPC: <c>[grpc://]HOST:PORT</c>, <c>grpcs://HOST:PORT</c> with TLS, <c>grpc+unix:PATH</c>,
/// <c>match:NAME</c>.</summary>
/// <param name="Place">HOST:PORT; of a Unix domain socket, a name for the request.</param>
/// <param name="IsTls">Whether TLS is used.</param>
/// <param name="Path">Path of the Unix domain socket; null: TCP.</param>
internal sealed record GrpcAddress(string Place, bool IsTls, string? Path)
{
    private const string Scheme = "grpc://", TlsScheme = "grpcs://", UnixScheme = "grpc+unix:", MatchScheme = "match:";

    /// <summary>The address for HTTP.</summary>
    public Uri Uri => new($"{(IsTls ? "https" : "http")}://{Place}");

    /// <summary>Reads an address.</summary>
    /// <param name="text">The text.</param>
    /// <param name="problem">What is wrong; null: nothing is.</param>
    public static GrpcAddress? Parse(string text, out string? problem)
    {
        problem = null;
        if (text.StartsWith(MatchScheme, StringComparison.Ordinal))
        {
            var name = text[MatchScheme.Length..];
            if (MatchName.Is(name) && LocalMatch.GrpcOf(name) is { } found) return Parse(found, out problem);
            problem = $"no daemon on this machine publishes a match with the name {name}; `abathur matches` lists them";
            return null;
        }
        if (text.StartsWith(UnixScheme, StringComparison.Ordinal)) return new GrpcAddress("localhost", false, text[UnixScheme.Length..]);
        var isTls = text.StartsWith(TlsScheme, StringComparison.Ordinal);
        var place = isTls ? text[TlsScheme.Length..]
            : text.StartsWith(Scheme, StringComparison.Ordinal) ? text[Scheme.Length..]
            : text;
        if (HostPort.Parse(place, DaemonOptions.DefaultGrpcPort) is { } tcp) return new GrpcAddress(tcp.ToString(), isTls, null);
        problem = $"'{text}' is not the gRPC address of a daemon, which the relay reads: expected HOST:PORT, grpc://HOST:PORT, "
            + "grpcs://HOST:PORT with TLS, grpc+unix:PATH or match:NAME";
        return null;
    }

    /// <summary>The address as it is read.</summary>
    public override string ToString() => Path is not null ? UnixScheme + Path : (IsTls ? TlsScheme : Scheme) + Place;
}
