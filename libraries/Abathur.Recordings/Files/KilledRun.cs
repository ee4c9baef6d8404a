using Abathur.Recordings.Conversion;

namespace Abathur.Recordings.Files;

/// <summary>The unfinished file of a killed run, after it was renamed.</summary>
/// <param name="Path">Its full path.</param>
/// <param name="IsRecording">Whether it begins like a recording, so that <see cref="RecordingRecovery"/> can be tried.</param>
public readonly record struct KilledRun(string Path, bool IsRecording);
