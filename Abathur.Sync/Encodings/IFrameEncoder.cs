using System.Buffers;

namespace Abathur.Sync.Encodings;

/// <summary>
/// Turns observations into the payload of one stream. Called from one flow at a time, frame after frame, so an encoder
/// may keep state. Throws <see cref="InvalidDataException"/> where the observation cannot be encoded.
/// </summary>
public interface IFrameEncoder
{
    /// <summary>Writes the payload for one <c>ResponseObservation</c> in protobuf.</summary>
    void Encode(ReadOnlySpan<byte> observation, IBufferWriter<byte> payload);
}
