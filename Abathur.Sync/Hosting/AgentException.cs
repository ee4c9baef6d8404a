namespace Abathur.Sync.Hosting;

/// <summary>A supervised agent cannot be started.</summary>
public sealed class AgentException(string message, Exception? inner = null) : Exception(message, inner);
