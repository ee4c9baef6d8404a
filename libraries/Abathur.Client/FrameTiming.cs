namespace Abathur.Client;

/// <summary>The time stamps of a frame. Those of the monotonic clock can be compared only if daemon and agent run on one machine.</summary>
/// <param name="CapturedMonotonicNs">When the daemon had the frame from its source, in nanoseconds of the machine's monotonic
/// clock.</param>
/// <param name="CapturedUnixNs">The same in nanoseconds since 1970-01-01 UTC.</param>
/// <param name="PublishedMonotonicNs">When it was handed to the subscriptions.</param>
/// <param name="EncodedMonotonicNs">When it was ready in this encoding.</param>
/// <param name="ReceivedMonotonicNs">When this client had received it.</param>
public readonly record struct FrameTiming(
    long CapturedMonotonicNs, long CapturedUnixNs, long PublishedMonotonicNs, long EncodedMonotonicNs, long ReceivedMonotonicNs);
