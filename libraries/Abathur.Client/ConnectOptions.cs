namespace Abathur.Client;

/// <summary>The options of a connection.</summary>
public sealed record ConnectOptions
{
    /// <summary>Token for the daemon, if it needs one. Default: the environment variable ABATHUR_TOKEN, else none.</summary>
    public string? Token { get; init; }

    /// <summary>With TLS: file (PEM) with the trusted root certificates. Default: ABATHUR_CA, else those of the system.</summary>
    public string? CaFile { get; init; }

    /// <summary>How long to wait for a daemon that is not there yet, for agents that start first. Default: zero, so that an address at
    /// which nothing listens is an error at once.</summary>
    public TimeSpan Wait { get; init; }

    /// <summary>How long <see cref="AbathurGame.Frames"/> tries to connect again after a broken connection, or to a daemon that is there
    /// and does not answer, before it throws. Zero: once. Default: 30 s.</summary>
    public TimeSpan ReconnectTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How long one connection may take, and again the daemon's first answer on it. Frames may follow much later: a playback may
    /// be paused, and a match may not have begun. Default: 10 s.</summary>
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long the answer to a request may take. Default: 30 s.</summary>
    public TimeSpan RequestTimeout { get; init; } = TimeSpan.FromSeconds(30);

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(Wait, TimeSpan.Zero, nameof(Wait));
        ArgumentOutOfRangeException.ThrowIfLessThan(ReconnectTimeout, TimeSpan.Zero, nameof(ReconnectTimeout));
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(ConnectTimeout, TimeSpan.Zero, nameof(ConnectTimeout));
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(RequestTimeout, TimeSpan.Zero, nameof(RequestTimeout));
    }
}
