namespace Abathur.Sync.Cli;

/// <summary>The reader of standard output has closed the pipe.</summary>
internal sealed class BrokenPipeException(IOException inner) : IOException(inner.Message, inner);
