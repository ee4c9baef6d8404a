namespace Abathur.Recordings.Conversion;

/// <summary>The result of an import.</summary>
/// <param name="FrameCount">Observations in the recording.</param>
/// <param name="ObservationBytes">Their bytes.</param>
/// <param name="FileBytes">Bytes of the recording.</param>
/// <param name="FirstGameLoop">Game loop of the first one.</param>
/// <param name="LastGameLoop">Game loop of the last one.</param>
/// <param name="Interrupted">Whether it was stopped before the end of the input; the recording then has everything before.</param>
/// <param name="Damage">Set if the input ended inside an observation: where it ended. The recording has everything before; otherwise
/// null.</param>
public readonly record struct ImportResult(
    long FrameCount, long ObservationBytes, long FileBytes, uint FirstGameLoop, uint LastGameLoop, bool Interrupted, string? Damage);
