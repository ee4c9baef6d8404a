using Abathur.Recordings.Conversion;

namespace Abathur.Recordings.Files;

/// <summary>What a run that was killed had written of a file, under the name that it has now.</summary>
/// <param name="Path">Its full path.</param>
/// <param name="IsRecording">Whether it begins as a recording does, so that <see cref="RecordingRecovery"/> can be tried on it.</param>
public readonly record struct KilledRun(string Path, bool IsRecording);
