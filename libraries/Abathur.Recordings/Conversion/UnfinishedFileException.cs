namespace Abathur.Recordings.Conversion;

/// <summary>A recording could not be written to its end. What was written stays, and <see cref="RecordingRecovery"/> makes a recording of it.</summary>
/// <param name="path">The unfinished file.</param>
/// <param name="cause">The write that failed.</param>
public sealed class UnfinishedFileException(string path, IOException cause)
    : IOException($"{cause.Message} What was written stays in {path}", cause);
