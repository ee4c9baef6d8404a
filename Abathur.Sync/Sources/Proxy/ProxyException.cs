namespace Abathur.Sync.Sources.Proxy;

/// <summary>A bot and its game cannot be brought together; the message says why.</summary>
internal sealed class ProxyException(string message) : Exception(message);
