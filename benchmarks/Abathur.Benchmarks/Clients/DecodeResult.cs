namespace Abathur.Benchmarks.Clients;

/// <summary>What decoding took.</summary>
/// <param name="Frames">Number of frames.</param>
/// <param name="ObservationBytes">Mean bytes of an observation in protobuf.</param>
/// <param name="DecodeP50Ms">From the message to all columns of the units, median.</param>
/// <param name="DecodeP99Ms">The same, 99th percentile.</param>
/// <param name="EventsP50Ms">The events of the frame, whose columns are there, median.</param>
/// <param name="EventsP99Ms">The same, 99th percentile.</param>
/// <param name="AllocatedBytes">Bytes allocated a frame.</param>
internal sealed record DecodeResult(
    int Frames, double ObservationBytes, double DecodeP50Ms, double DecodeP99Ms, double EventsP50Ms, double EventsP99Ms,
    double AllocatedBytes);
