using System.Globalization;

namespace Abathur.Client;

/// <summary>A host and a TCP port: <c>HOST:PORT</c>, an IPv6 address in brackets. The daemon and Abathur.Client.Nats compile this file as
/// well.</summary>
internal readonly record struct HostPort(string Host, int Port)
{
    /// <summary>Reads it; null: the text is something else.</summary>
    /// <param name="text">The text.</param>
    /// <param name="defaultPort">The port where the text is a host alone; null: it must have one.</param>
    public static HostPort? Parse(string? text, int? defaultPort = null)
    {
        if (text is null) return null;
        var colon = text.EndsWith(']') ? -1 : text.LastIndexOf(':');
        var (host, port) = colon < 0 ? (text, defaultPort) : (text[..colon], PortOf(text[(colon + 1)..]));
        if (host.StartsWith('[') && host.EndsWith(']')) host = host[1..^1];
        // Its last part could be a port.
        else if (host.Contains(':')) return null;
        return port is not > 0 || Uri.CheckHostName(host) == UriHostNameType.Unknown ? null : new HostPort(host, port.Value);
    }

    /// <summary>The text that <see cref="Parse"/> reads.</summary>
    public override string ToString() => $"{(Host.Contains(':') ? $"[{Host}]" : Host)}:{Port.ToString(CultureInfo.InvariantCulture)}";

    private static int? PortOf(string text) =>
        ushort.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : null;
}
