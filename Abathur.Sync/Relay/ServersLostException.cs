namespace Abathur.Sync.Relay;

/// <summary>The servers of NATS do not answer, or did not store a message where it belongs: the relay begins again after the stored
/// ones.</summary>
internal sealed class ServersLostException(string message, Exception? inner = null) : Exception(message, inner);
