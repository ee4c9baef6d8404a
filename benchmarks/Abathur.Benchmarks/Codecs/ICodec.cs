using SC2APIProtocol;

namespace Abathur.Benchmarks.Codecs;

/// <summary>One way to bring an observation to bytes and back. Not thread-safe: buffers are reused where the library's documentation
/// advises it.</summary>
/// <remarks>What <see cref="Encode"/>, <see cref="Decode"/> and <see cref="Touch"/> do is timed; the rest is not.</remarks>
internal interface ICodec
{
    /// <summary>Library and version, for people.</summary>
    string Label { get; }

    /// <summary>How the library is used: one sentence each.</summary>
    IReadOnlyList<string> Footnotes { get; }

    /// <summary>What is known beforehand to be omitted from the encoded form; empty if nothing is.</summary>
    IReadOnlyList<string> CannotCarry => [];

    /// <summary>Whether encoded frames depend on those before: they are encoded and decoded in order, each once.</summary>
    bool IsStream => false;

    /// <summary>Whether the frame that was encoded last decodes without those before it.</summary>
    bool IsKeyframe => true;

    /// <summary>What a sender that uses this codec has in its hands.</summary>
    /// <param name="observation">Serialized <see cref="ResponseObservation"/>, which the result may keep.</param>
    object Prepare(byte[] observation);

    /// <summary>Begins another stream: the next frame does not follow the last one, and is a keyframe.</summary>
    void Restart()
    {
    }

    /// <summary>Encodes. The result is valid until the next call.</summary>
    ReadOnlyMemory<byte> Encode(object source);

    /// <summary>Decodes everything. The result may refer to <paramref name="encoded"/>.</summary>
    object Decode(ReadOnlyMemory<byte> encoded);

    /// <summary>Reads each field of what <see cref="Decode"/> gave, and returns the same checksum as every codec for the same
    /// content.</summary>
    ulong Touch(object decoded);

    /// <summary>The decoded form as a message, for comparison.</summary>
    ResponseObservation ToObservation(object decoded);

    /// <summary>What has to come back for this observation: all of it, unless the codec is one that leaves out on purpose.</summary>
    ResponseObservation Expected(ResponseObservation original) => original;
}
