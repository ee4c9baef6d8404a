using System.Buffers;
using System.Text;
using Abathur.Protobuf;
using Abathur.Protobuf.ProtoJson;
using Abathur.Protobuf.Tests.Protos;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using GoogleOracle = Abathur.Protobuf.Tests.ProtoJson.Google;

namespace Abathur.Fuzz.Targets;

/// <summary>JSON to wire bytes. The first byte of an input chooses the type. What Google's parser takes must be taken, and give the same
/// bytes.</summary>
internal sealed class JsonToWireTarget : IFuzzTarget
{
    private static readonly (MessageDescriptor Type, ProtoJsonTranscoder Transcoder)[] Types =
    [
        .. new[] { Everything.Descriptor, Everything2.Descriptor, Everything2023.Descriptor, ResponseObservation.Descriptor }.Select(
            type => (type, GoogleOracle.TranscoderOf(type))),
    ];

    public string Name => "json-to-wire";

    public IReadOnlyList<byte[]> Tokens { get; } =
    [
        .. new[]
        {
            "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "true", "false", "NaN", "\"Infinity\"", "-0", "1e400", "0.5", "1E+2",
            "9223372036854775808",
            "\"-9223372036854775808\"", "\\u0000", "\\ud800", "\\udc00\\ud83d", "\"@type\":", "{}", "[[[[", "\"int32Value\":",
            "\"int32_value\":", " \n\t", "\uFEFF",
            "\"1970-01-01T00:00:00Z\"", "\"-1.5s\"", "AA==", "A-_", "/*", "\"a.bC\"",
        }.Select(Encoding.UTF8.GetBytes),
    ];

    public int MaxBytes => 6000;

    public IEnumerable<byte[]> Seeds(Random random)
    {
        for (var i = 0; i < 60; i++)
        {
            var kind = i % Types.Length;
            var json = GoogleOracle.Format(new MessageGenerator(random, Everything.Descriptor).Make(Types[kind].Type));
            if (json.Length < MaxBytes) yield return [(byte)kind, .. Encoding.UTF8.GetBytes(json)];
        }
    }

    public int Run(byte[] input)
    {
        if (input.Length == 0) return 0;
        var (type, transcoder) = Types[input[0] % Types.Length];
        // A parser of text sees what is not UTF-8 as replacement characters.
        var text = Encoding.UTF8.GetString(input.AsSpan(1));
        var expected = Expected(type, text);
        var output = new ArrayBufferWriter<byte>();
        try
        {
            var bytes = Encoding.UTF8.GetBytes(text);
            // An array of numbers of one letter each takes eight bytes for each in protobuf; room doubles while it grows.
            Check.Within(1_000_000 + (64L * input.Length), () => Transcode(transcoder, bytes, output));
        }
        catch (ProtoJsonException e)
        {
            Check.That(expected is null || GoogleOracle.Drops(e.Message), $"refused, and Google takes it: {e.Message}");
            return HashCode.Combine(e.Error, string.Concat(e.Message.Where(char.IsAsciiLetter)).GetHashCode(StringComparison.Ordinal));
        }
        var actual = output.WrittenSpan.ToArray();
        if (expected is not null) Check.That(actual.AsSpan().SequenceEqual(expected), "other bytes than Google's");
        // If it accepts more than Google's parser, it must still write valid protobuf.
        type.Parser.ParseFrom(actual);
        return HashCode.Combine(expected is null, Check.Bucket(actual.Length), actual.Length > 0 ? actual[0] : 0);
    }

    public void Dispose()
    {
    }

    private static bool Transcode(ProtoJsonTranscoder transcoder, byte[] text, ArrayBufferWriter<byte> output)
    {
        transcoder.ToProto(text, output);
        return true;
    }

    private static byte[]? Expected(MessageDescriptor type, string text)
    {
        try
        {
            return GoogleOracle.ToProto(type, text);
        }
        catch (Exception)
        {
            // A fault of Google's parser is no opinion.
            return null;
        }
    }
}
