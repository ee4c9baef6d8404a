using System.Buffers;
using System.Text;
using Abathur.Protobuf;
using Abathur.Protobuf.ProtoJson;
using Abathur.Protobuf.Tests.Protos;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using GoogleOracle = Abathur.Protobuf.Tests.ProtoJson.Google;

namespace Abathur.Fuzz.Targets;

/// <summary>Wire bytes to JSON. The first byte of an input chooses the type. The text is that of Google's formatter.</summary>
internal sealed class WireToJsonTarget : IFuzzTarget
{
    private static readonly (MessageDescriptor Type, ProtoJsonTranscoder Transcoder)[] Types =
    [
        .. new[] { Everything.Descriptor, Everything2.Descriptor, Everything2023.Descriptor, ResponseObservation.Descriptor }.Select(
            type => (type, GoogleOracle.TranscoderOf(type))),
    ];

    private static readonly string[] AlsoRefused = ["number is out of range", "invalid wire type", "longer than its message"];

    public string Name => "wire-to-json";

    public IReadOnlyList<byte[]> Tokens { get; } =
    [
        [0x0B],
        [0x0C],
        [0x5B],
        [0x5C],
        [0x80, 0x80, 0x80, 0x80, 0x10],
        [0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
        [0xED, 0xA0, 0x80],
        [0xC0, 0x80],
        [0x00],
    ];

    public int MaxBytes => 4000;

    public IEnumerable<byte[]> Seeds(Random random)
    {
        for (var i = 0; i < 60; i++)
        {
            var kind = i % Types.Length;
            var type = Types[kind].Type;
            var wire = new MessageGenerator(random, Everything.Descriptor).Make(type).ToByteArray();
            if (random.Next(2) == 0) wire = new WireShuffle(random).Apply(type, wire);
            if (wire.Length < MaxBytes) yield return [(byte)kind, .. wire];
        }
    }

    public int Run(byte[] input)
    {
        if (input.Length == 0) return 0;
        var (type, transcoder) = Types[input[0] % Types.Length];
        var wire = input[1..];
        var expected = Expected(type, wire);
        // Google reads a varint beyond the end of its message, and stops at a stray end of a group: its own bytes are others then.
        var isPlain = expected is not null && type.Parser.ParseFrom(wire).ToByteArray().AsSpan().SequenceEqual(wire);
        var output = new ArrayBufferWriter<byte>();
        try
        {
            Check.Within(4_000_000 + (256L * input.Length), () => Transcode(transcoder, wire, output));
        }
        catch (ProtoJsonException e)
        {
            var isKnown = Array.Exists(AlsoRefused, why => e.Message.Contains(why, StringComparison.Ordinal));
            Check.That(!isPlain || isKnown, $"refused, and Google takes it: {e.Message}");
            return HashCode.Combine(
                e.Error, string.Concat(e.Message.Where(char.IsAsciiLetter)).GetHashCode(StringComparison.Ordinal),
                Check.Bucket(e.Position));
        }
        var actual = Encoding.UTF8.GetString(output.WrittenSpan);
        if (isPlain) Check.That(actual == expected, "another text than Google's");
        return HashCode.Combine(expected is null, Check.Bucket(actual.Length));
    }

    public void Dispose()
    {
    }

    private static string? Expected(MessageDescriptor type, byte[] wire)
    {
        try
        {
            return GoogleOracle.ToJson(type, wire);
        }
        catch (InvalidProtocolBufferException)
        {
            return null;
        }
    }

    private static bool Transcode(ProtoJsonTranscoder transcoder, byte[] wire, ArrayBufferWriter<byte> output)
    {
        transcoder.ToJson(wire, output);
        return true;
    }
}
