using System.Buffers;
using SC2APIProtocol;

namespace Abathur.Columns.Tests;

/// <summary>An encoder, and the decoder at the other end.</summary>
internal sealed class ColumnsStream
{
    private readonly ArrayBufferWriter<byte> _payload = new();

    public ColumnsEncoder Encoder { get; } = new();

    public ColumnsDecoder Decoder { get; } = new();

    /// <summary>The last payload.</summary>
    public byte[] Payload => _payload.WrittenSpan.ToArray();

    public bool WasKeyframe { get; private set; }

    /// <summary>Sends a frame.</summary>
    public void Send(ReadOnlySpan<byte> observation, bool keyframe = false)
    {
        _payload.ResetWrittenCount();
        WasKeyframe = Encoder.Encode(observation, keyframe, _payload);
        Decoder.Decode(_payload.WrittenSpan);
    }

    /// <summary>Sends a frame, and checks that the same observation comes out.</summary>
    public void SendAndCompare(ReadOnlySpan<byte> observation, bool keyframe = false)
    {
        Send(observation, keyframe);
        AssertIs(observation);
    }

    /// <summary>Checks that the decoder has this observation.</summary>
    public void AssertIs(ReadOnlySpan<byte> observation) =>
        SameObservation.Assert(ResponseObservation.Parser.ParseFrom(observation), Read(Decoder));

    public static ResponseObservation Read(ColumnsDecoder decoder)
    {
        var output = new ArrayBufferWriter<byte>();
        decoder.WriteObservation(output);
        OnePart.Assert(output.WrittenSpan, 3, 5, 3, 1);
        OnePart.Assert(output.WrittenSpan, 3, 5, 3, 2);
        return ResponseObservation.Parser.ParseFrom(output.WrittenSpan);
    }
}
