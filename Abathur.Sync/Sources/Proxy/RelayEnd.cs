namespace Abathur.Sync.Sources.Proxy;

/// <summary>Which side ended a connection between a bot and its game, and how.</summary>
internal enum RelayEnd
{
    /// <summary>Neither side has ended it.</summary>
    None,

    /// <summary>The bot sent a close frame.</summary>
    BotClosed,

    /// <summary>The bot's connection broke.</summary>
    BotLost,

    /// <summary>The game closed its connection, or it broke.</summary>
    GameLost,
}
