using System.Net;
using Abathur.Client;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>Options of a proxy between bots and their games.</summary>
internal sealed record ProxyOptions
{
    /// <summary>Address for bots. Port 0: any free one.</summary>
    public required IPEndPoint Listen { get; init; }

    /// <summary>The games, in the order in which connections take them; empty: each bot names its own on this machine, in the address to
    /// which it connects (<c>/sc2api?game=PORT</c>).</summary>
    public required IReadOnlyList<HostPort> Games { get; init; }

    /// <summary>Whether agents may act. Default: no.</summary>
    public bool AllowActions { get; init; }

    /// <summary>Whether it ends with its first match, and those that run beside it. Default: no.</summary>
    public bool Once { get; init; }

    /// <summary>How long a bot's connection waits for a game that is still starting. Default: 30 s.</summary>
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(30);
}
