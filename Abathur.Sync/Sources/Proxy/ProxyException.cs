namespace Abathur.Sync.Sources.Proxy;

/// <summary>A bot cannot be connected to its game; the message says why.</summary>
internal sealed class ProxyException(string message) : Exception(message);
