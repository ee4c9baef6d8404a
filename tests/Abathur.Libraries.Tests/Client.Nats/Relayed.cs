namespace Abathur.Client.Nats.Tests;

/// <summary>The committed match, played by the real daemon and relayed to a server.</summary>
internal static class Relayed
{
    public const uint FirstGameLoop = 8_960, LastGameLoop = 10_303;

    /// <summary>For a match whose relay begins just now.</summary>
    public static ConnectOptions Patient { get; } = new() { Wait = TimeSpan.FromSeconds(30) };

    /// <summary>The whole match.</summary>
    public static SubscribeOptions Every { get; } = new() { Policy = SubscribePolicy.Every, Start = StartPosition.Oldest };

    /// <summary>Starts a paused playback. It publishes nothing before it is controlled.</summary>
    public static Task<DaemonProcess> PlayAsync(NatsServer server, params string[] options) => DaemonProcess.StartAsync(
        ["play", CommittedRecording.Path, "--start-paused", "--relay", server.Match(), .. options]);
}
