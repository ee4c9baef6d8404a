namespace Abathur.Recordings;

/// <summary>What can be done about a <see cref="RecordingException"/>. A program names its own command or option for it.</summary>
public enum RecordingRemedy
{
    /// <summary>What the message says.</summary>
    None,

    /// <summary>Allow the output to be replaced: <see cref="Files.OutputOptions.Overwrite"/>.</summary>
    Overwrite,

    /// <summary>Allow more observations: <see cref="Conversion.ImportOptions.MaxFrames"/>.</summary>
    RaiseMaxFrames,

    /// <summary>Allow more bytes: <see cref="Conversion.ImportOptions.MaxBytes"/>.</summary>
    RaiseMaxBytes,

    /// <summary>Make a new file of what is complete: <see cref="Conversion.RecordingRecovery"/>.</summary>
    Recover,

    /// <summary>Open the file as a recording.</summary>
    Open,

    /// <summary>Give the game info, a <c>ResponseGameInfo</c> of the same map and game version, which the recording lacks.</summary>
    GiveGameInfo,

    /// <summary>Give the game data, a <c>ResponseData</c> of the same game version, which the recording lacks.</summary>
    GiveGameData,
}
