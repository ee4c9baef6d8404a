using System.Net;

namespace Abathur.Sync.Access;

/// <summary>Who may connect, and what they may do.</summary>
public sealed record AccessOptions
{
    /// <summary>Shortest and longest <see cref="WatchDelay"/>.</summary>
    public static readonly TimeSpan MinWatchDelay = TimeSpan.FromSeconds(0.1), MaxWatchDelay = TimeSpan.FromHours(1);

    /// <summary>Where to listen. Default 127.0.0.1. Others need <see cref="Tokens"/> and <see cref="Tls"/>, or <see cref="Insecure"/> in
    /// place of the latter.</summary>
    public IPAddress Address { get; init; } = IPAddress.Loopback;

    /// <summary>The tokens. Default: none are needed.</summary>
    public AccessTokens Tokens { get; init; } = AccessTokens.None;

    /// <summary>Certificate with its key, and the certificates between it and its root; null: no TLS.</summary>
    public TlsCertificate? Tls { get; init; }

    /// <summary>Whether the network may read everything, the token included.</summary>
    public bool Insecure { get; init; }

    /// <summary>Host names besides those of loopback by which HTTP clients may call the daemon.</summary>
    public IReadOnlyList<string> AllowedHosts { get; init; } = [];

    /// <summary>Origins besides the daemon's own from which web pages may connect, e.g. "http://localhost:3000".</summary>
    public IReadOnlyList<string> AllowedOrigins { get; init; } = [];

    /// <summary>Requests a second to act, draw or control playback, all clients together. Default 1,000; as many again at once.</summary>
    public int ActRate { get; init; } = 1000;

    /// <summary>How much later clients see the match that may only watch, 0.1 s to 1 h; 0: at once. Default 0. It needs two
    /// <see cref="Tokens"/>, and a history.</summary>
    public TimeSpan WatchDelay { get; init; }

    /// <summary>How much later a client sees the match.</summary>
    /// <param name="level">What it may do.</param>
    public TimeSpan DelayOf(AccessLevel level) => level == AccessLevel.Watch ? WatchDelay : TimeSpan.Zero;

    /// <summary>What is wrong with <see cref="WatchDelay"/>, or missing for it; null if nothing is.</summary>
    public string? DelayProblem()
    {
        if (WatchDelay == TimeSpan.Zero) return null;
        if (WatchDelay < MinWatchDelay || WatchDelay > MaxWatchDelay)
            return $"a delay of {WatchDelay.TotalSeconds:0.###} s is not 0.1 s to 1 h";
        return Tokens.AreTwo
            ? null
            : "a delay is for clients with the token for watching, so it needs two different tokens: --watch-token-file (or "
                + "ABATHUR_WATCH_TOKEN) for them, and --token-file (or ABATHUR_TOKEN) for those who see the match at once and act";
    }

    /// <summary>What is wrong with these options, or missing for this address; null if nothing is.</summary>
    public string? Problem()
    {
        if (ActRate < 1) return $"{nameof(ActRate)} is {ActRate}; it must be at least 1";
        if (DelayProblem() is { } problem) return problem;
        if (IPAddress.IsLoopback(Address)) return null;
        if (!Tokens.AreNeeded)
            return $"{Address} is not a loopback address: any client that reaches it could read the match and act. It needs "
                + "--token-file (or ABATHUR_TOKEN), and --tls-cert with --tls-key";
        if (Tls is null && !Insecure)
            return $"{Address} is not a loopback address: without --tls-cert and --tls-key others on the network can read the match and "
                + "the token. --insecure allows it anyway";
        return null;
    }
}
