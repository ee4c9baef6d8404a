using Abathur.Sync.Diagnostics;

namespace Abathur.Sync.Transports.WebSocket;

/// <summary>Limits of the WebSocket transport.</summary>
public sealed record WebSocketTransportOptions
{
    /// <summary>Longest message that an agent may send. Default 1 MiB; a longer one closes with 1009.</summary>
    public int MaxMessageBytes { get; init; } = 1024 * 1024;

    /// <summary>Longest first message, before its token is known. Default 16 KiB; a longer one closes with 1009.</summary>
    public int MaxFirstMessageBytes { get; init; } = 16 * 1024;

    /// <summary>How long an agent may take for its first message. Default 8 s.</summary>
    public TimeSpan HandshakeTimeout { get; init; } = TimeSpan.FromSeconds(8);

    /// <summary>A ping is sent when nothing was received from an agent for this time. Default 15 s.</summary>
    public TimeSpan KeepAliveInterval { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>
    /// How long an agent may leave a ping unanswered before it counts as dead. Default 60 s: clients that answer only while they
    /// receive must not be disconnected while they compute.
    /// </summary>
    public TimeSpan KeepAliveTimeout { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>How long an agent may be silent before it answers a close. Default 2 s; five times that for an agent that keeps
    /// sending.</summary>
    public TimeSpan CloseTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>How long messages that an agent has not read yet are kept for it after the close. Default 60 s.</summary>
    public TimeSpan DrainTimeout { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>What is wrong with these options; null if nothing is.</summary>
    public string? Problem() => OptionProblems.First(
        OptionProblems.Range(nameof(MaxMessageBytes), MaxMessageBytes, 1),
        OptionProblems.Range(nameof(MaxFirstMessageBytes), MaxFirstMessageBytes, 1, MaxMessageBytes),
        OptionProblems.Time(nameof(HandshakeTimeout), HandshakeTimeout),
        OptionProblems.Time(nameof(KeepAliveInterval), KeepAliveInterval),
        OptionProblems.Time(nameof(KeepAliveTimeout), KeepAliveTimeout),
        OptionProblems.Time(nameof(CloseTimeout), CloseTimeout),
        OptionProblems.Time(nameof(DrainTimeout), DrainTimeout));
}
