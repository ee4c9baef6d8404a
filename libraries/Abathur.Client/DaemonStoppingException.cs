namespace Abathur.Client;

/// <summary>The daemon is shutting down: the stream is over. Transports throw it, and users do not get it.</summary>
/// <param name="reason">What the daemon says.</param>
public sealed class DaemonStoppingException(string reason) : Exception(reason)
{
    /// <summary>The status with which a daemon says it.</summary>
    internal const string Code = "UNAVAILABLE";
}
