namespace Abathur.Sync.Hosting.Emulator;

/// <summary>Address and limits of an <see cref="EmulatorServer"/>.</summary>
internal sealed record EmulatorServerOptions
{
    /// <summary>Port on 127.0.0.1; 0: any free one. Default 5000, which the game's own documentation uses.</summary>
    public int Port { get; init; } = 5000;

    /// <summary>Longest request. Default 64 MiB; a longer one closes the connection with 1009.</summary>
    public int MaxRequestBytes { get; init; } = 64 * 1024 * 1024;

    /// <summary>How long a client may take to answer a close. Default 2 s.</summary>
    public TimeSpan CloseTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>How long a second client waits for the first to disconnect before it is refused. Default 1 s, for clients that reconnect at
    /// once.</summary>
    public TimeSpan SeatTimeout { get; init; } = TimeSpan.FromSeconds(1);
}
