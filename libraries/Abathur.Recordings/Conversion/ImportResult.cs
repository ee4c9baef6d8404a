namespace Abathur.Recordings.Conversion;

/// <summary>What became of an import.</summary>
/// <param name="FrameCount">Observations in the recording.</param>
/// <param name="ObservationBytes">Their bytes.</param>
/// <param name="FileBytes">Bytes of the recording.</param>
/// <param name="FirstGameLoop">Game loop of the first one.</param>
/// <param name="LastGameLoop">Game loop of the last one.</param>
/// <param name="Interrupted">Whether it was stopped before the end of the input; the recording then has what came before.</param>
/// <param name="Damage">Where the input ends in the middle of an observation, so that the recording has what came before; null where it does not.</param>
public readonly record struct ImportResult(
    long FrameCount, long ObservationBytes, long FileBytes, uint FirstGameLoop, uint LastGameLoop, bool Interrupted, string? Damage);
