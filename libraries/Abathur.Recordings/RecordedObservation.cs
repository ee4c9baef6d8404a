namespace Abathur.Recordings;

/// <summary>One observation of a recording.</summary>
/// <param name="GameLoop">Its game loop.</param>
/// <param name="CapturedUnixNs">When it was captured, in nanoseconds since 1970-01-01 UTC.</param>
/// <param name="Sequence">Its number in the recording, as written there.</param>
/// <param name="Payload">The serialized <c>ResponseObservation</c>: a view that is valid until the reader moves.</param>
public readonly record struct RecordedObservation(uint GameLoop, long CapturedUnixNs, uint Sequence, ReadOnlyMemory<byte> Payload);
