using Abathur.Sync.Frames;
using Abathur.Sync.Hub.Scheduling;

namespace Abathur.Sync.Hub;

/// <summary>What the streams of a match share.</summary>
/// <param name="Options">Limits.</param>
/// <param name="SourceWaits">Whether the source can wait for lossless readers.</param>
/// <param name="Clock">Clock of all times.</param>
/// <param name="Readers">Schedules the writes of readers.</param>
/// <param name="Threads">Encode the frames.</param>
/// <param name="HoldUps">How long readers with a watch token may delay the source.</param>
/// <param name="EncoderHoldUps">How long the encoders of such readers may.</param>
/// <param name="RetainNewest">Returns the newest frame of the match, which the stream releases.</param>
/// <param name="Encoded">Called with the format and the encoding time of each frame.</param>
internal sealed record StreamContext(
    HubOptions Options, bool SourceWaits, TimeProvider Clock, SubscriberScheduler Readers, EncoderThreads Threads, HoldUpBudget HoldUps,
    HoldUpBudget EncoderHoldUps, Func<SharedFrame?> RetainNewest, Action<PayloadFormat, TimeSpan> Encoded);
