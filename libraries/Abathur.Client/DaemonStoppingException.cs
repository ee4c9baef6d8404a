namespace Abathur.Client;

/// <summary>The daemon is shutting down: the stream is over. Users do not get it.</summary>
internal sealed class DaemonStoppingException(string reason) : Exception(reason)
{
    /// <summary>The status with which a daemon says it.</summary>
    public const string Code = "UNAVAILABLE";
}
