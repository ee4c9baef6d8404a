using System.Buffers;
using global::Google.Protobuf;
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
    public void AssertIs(ReadOnlySpan<byte> observation) => AssertSame(ResponseObservation.Parser.ParseFrom(observation), Read(Decoder));

    public static void AssertSame(ResponseObservation expected, ResponseObservation actual)
    {
        Sort(expected);
        Sort(actual);
        if (expected.Equals(actual)) return;
        var (units, found) = (expected.Observation?.RawData?.Units ?? [], actual.Observation?.RawData?.Units ?? []);
        Assert.Equal(units.Count, found.Count);
        for (var i = 0; i < units.Count; i++) Assert.Equal(units[i].ToByteString().ToBase64(), found[i].ToByteString().ToBase64());
        Assert.Equal(expected.ToString(), actual.ToString());
        Assert.Fail("the observations differ in unknown fields");
    }

    public static ResponseObservation Read(ColumnsDecoder decoder)
    {
        var output = new ArrayBufferWriter<byte>();
        decoder.WriteObservation(output);
        return ResponseObservation.Parser.ParseFrom(output.WrittenSpan);
    }

    /// <summary>Puts the units in the order of their tags; those with the same tag in that of their bytes.</summary>
    private static void Sort(ResponseObservation observation)
    {
        if (observation.Observation?.RawData?.Units is not { Count: > 1 } units) return;
        var isUnique = units.Select(unit => unit.Tag).Distinct().Count() == units.Count;
        var byTag = units.OrderBy(unit => unit.Tag);
        var sorted = (isUnique ? byTag : byTag.ThenBy(unit => Convert.ToHexString(unit.ToByteArray()), StringComparer.Ordinal)).ToList();
        units.Clear();
        units.AddRange(sorted);
    }
}
