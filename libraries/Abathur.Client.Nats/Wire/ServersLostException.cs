namespace Abathur.Client.Nats.Wire;

/// <summary>The servers of NATS do not answer, or did not store a message where it belongs: what was begun is begun again.</summary>
internal sealed class ServersLostException(string message, Exception? inner = null) : Exception(message, inner);
