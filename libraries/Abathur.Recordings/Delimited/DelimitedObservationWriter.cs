using Abathur.Protobuf.Wire;

namespace Abathur.Recordings.Delimited;

/// <summary>Writes a stream of serialized observations, each with its length as a varint in front.</summary>
public sealed class DelimitedObservationWriter(Stream output)
{
    private readonly byte[] _length = new byte[5];

    /// <summary>Observations written so far.</summary>
    public long FrameCount { get; private set; }

    /// <summary>Bytes written so far, lengths included.</summary>
    public long Bytes { get; private set; }

    /// <summary>Adds an observation.</summary>
    /// <exception cref="IOException">The write failed.</exception>
    public void Write(ReadOnlySpan<byte> observation)
    {
        var bytes = Varint.Write(_length, (uint)observation.Length);
        output.Write(_length, 0, bytes);
        output.Write(observation);
        FrameCount++;
        Bytes += bytes + observation.Length;
    }
}
