namespace Abathur.Sync.Hosting;

/// <summary>The daemon cannot start. The message says why and what to do.</summary>
public sealed class DaemonException(string message, Exception inner) : Exception(message, inner);
