using Abathur.Sync.Frames;
using Abathur.Sync.Hub.Scheduling;

namespace Abathur.Sync.Hub;

/// <summary>What the streams of a match share.</summary>
/// <param name="Share">What they share with those of other matches.</param>
/// <param name="SourceWaits">Whether the source can wait for lossless readers.</param>
/// <param name="Threads">Encode the frames.</param>
/// <param name="RetainNewest">Returns the newest frame of the match, which the stream releases.</param>
internal sealed record StreamContext(HubShare Share, bool SourceWaits, EncoderThreads Threads, Func<SharedFrame?> RetainNewest)
{
    /// <summary>Limits of the daemon.</summary>
    public HubLimits Limits => Share.Limits;

    /// <summary>How large they are.</summary>
    public HubOptions Options => Limits.Options;

    /// <summary>Clock of all times.</summary>
    public TimeProvider Clock => Limits.Clock;
}
