namespace Abathur.Recordings;

/// <summary>How to solve the problem of a <see cref="RecordingException"/>. Programs add their own command or option to the
/// message.</summary>
public enum RecordingRemedy
{
    /// <summary>As described in the message.</summary>
    None,

    /// <summary>Allow the output to be replaced: <see cref="Files.OutputOptions.Overwrite"/>.</summary>
    Overwrite,

    /// <summary>Allow more observations: <see cref="Conversion.ImportOptions.MaxFrames"/>.</summary>
    RaiseMaxFrames,

    /// <summary>Allow more bytes: <see cref="Conversion.ImportOptions.MaxBytes"/>.</summary>
    RaiseMaxBytes,

    /// <summary>Make a new file of the complete part: <see cref="Conversion.RecordingRecovery"/>.</summary>
    Recover,

    /// <summary>Open the file as a recording.</summary>
    Open,

    /// <summary>Give the game info, a <c>ResponseGameInfo</c> of the same map and game version, which is missing in the
    /// recording.</summary>
    GiveGameInfo,

    /// <summary>Give the game data, a <c>ResponseData</c> of the same game version, which is missing in the recording.</summary>
    GiveGameData,
}
