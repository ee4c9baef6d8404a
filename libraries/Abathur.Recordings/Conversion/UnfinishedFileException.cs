namespace Abathur.Recordings.Conversion;

/// <summary>A recording could not be completed. The written part stays, and <see cref="RecordingRecovery"/> makes a recording of
/// it.</summary>
/// <param name="path">The unfinished file.</param>
/// <param name="cause">The write that failed.</param>
public sealed class UnfinishedFileException(string path, IOException cause)
    : IOException($"{cause.Message} The written part is in {path}", cause);
