namespace Abathur.Recordings;

/// <summary>A recording, a stream of observations or an output file cannot be used. The message says which one and why.</summary>
public class RecordingException : Exception
{
    /// <summary>Creates an exception with a message.</summary>
    public RecordingException(string message) : base(message) { }

    /// <summary>Creates an exception with a message and its cause.</summary>
    public RecordingException(string message, Exception inner) : base(message, inner) { }

    /// <summary>How to solve the problem.</summary>
    public RecordingRemedy Remedy { get; init; }
}
