namespace Abathur.Sync.Relay;

/// <summary>The daemon does not answer.</summary>
internal sealed class DaemonLostException(string message, Exception? inner = null) : Exception(message, inner);
