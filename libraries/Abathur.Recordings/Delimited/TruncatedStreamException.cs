namespace Abathur.Recordings.Delimited;

/// <summary>A stream of observations ends inside an observation. Everything before it is complete.</summary>
public sealed class TruncatedStreamException(string message) : RecordingException(message);
