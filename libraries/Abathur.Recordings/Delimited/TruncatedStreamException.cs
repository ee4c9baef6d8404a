namespace Abathur.Recordings.Delimited;

/// <summary>A stream of observations that ends in the middle of one. What came before is whole.</summary>
public sealed class TruncatedStreamException(string message) : RecordingException(message);
