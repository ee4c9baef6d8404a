namespace Abathur.Sync.Cli;

/// <summary>Where a game listens.</summary>
internal readonly record struct GameAddress(string Host, int Port)
{
    /// <summary>Reads HOST:PORT or [IPV6]:PORT.</summary>
    public static bool TryParse(string? text, out GameAddress address)
    {
        address = default;
        var colon = text?.LastIndexOf(':') ?? -1;
        if (colon <= 0
            || !int.TryParse(text.AsSpan(colon + 1), System.Globalization.NumberStyles.None, null, out var port)
            || port is 0 or > 65535)
            return false;
        var host = text![..colon];
        if (host.StartsWith('[') && host.EndsWith(']')) host = host[1..^1];
        else if (host.Contains(':')) return false;
        if (Uri.CheckHostName(host) == UriHostNameType.Unknown) return false;
        address = new GameAddress(host, port);
        return true;
    }
}
