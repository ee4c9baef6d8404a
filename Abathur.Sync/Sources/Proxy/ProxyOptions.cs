using System.Net;

namespace Abathur.Sync.Sources.Proxy;

/// <summary>Options of a proxy between a bot and its game.</summary>
public sealed record ProxyOptions
{
    /// <summary>Address for bots. Port 0: any free one.</summary>
    public required IPEndPoint Listen { get; init; }

    /// <summary>Host name or address of the game. With <see cref="GamePort"/> 0 the one on which bots name their games.</summary>
    public required string GameHost { get; init; }

    /// <summary>Port of the game; 0: each bot names its own, in the address to which it connects
    /// (<c>/sc2api?game=PORT</c>).</summary>
    public required int GamePort { get; init; }

    /// <summary>Whether agents may act. Default: no.</summary>
    public bool AllowActions { get; init; }

    /// <summary>Whether it ends with its first match. Default: no.</summary>
    public bool Once { get; init; }

    /// <summary>How long a bot's connection waits for a game that is still starting. Default: 30 s.</summary>
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(30);
}
