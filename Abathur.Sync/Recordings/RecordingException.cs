namespace Abathur.Sync.Recordings;

/// <summary>A recording, or a stream of observations, is not what it should be. The message says where and what to do.</summary>
public class RecordingException : Exception
{
    public RecordingException(string message) : base(message) { }

    public RecordingException(string message, Exception inner) : base(message, inner) { }
}
