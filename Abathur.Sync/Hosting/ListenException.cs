namespace Abathur.Sync.Hosting;

/// <summary>A port or socket cannot be opened. The message says why and what to do.</summary>
public sealed class ListenException(string message, Exception inner) : Exception(message, inner);
