namespace Abathur.Sync.Cli;

/// <summary>Nobody reads standard output any more.</summary>
internal sealed class BrokenPipeException(IOException inner) : IOException(inner.Message, inner);
