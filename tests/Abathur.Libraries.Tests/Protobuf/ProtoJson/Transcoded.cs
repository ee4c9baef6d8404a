using System.Buffers;
using System.Text;
using Abathur.Protobuf.ProtoJson;
using global::Google.Protobuf.Reflection;

namespace Abathur.Protobuf.Tests.ProtoJson;

/// <summary>The transcoder on whole arrays, and the comparison with Google's.</summary>
internal static class Transcoded
{
    public static string Json(ProtoJsonTranscoder transcoder, ReadOnlySpan<byte> wire)
    {
        var output = new ArrayBufferWriter<byte>();
        transcoder.ToJson(wire, output);
        return Encoding.UTF8.GetString(output.WrittenSpan);
    }

    public static byte[] Proto(ProtoJsonTranscoder transcoder, string json)
    {
        var output = new ArrayBufferWriter<byte>();
        transcoder.ToProto(Encoding.UTF8.GetBytes(json), output);
        return output.WrittenSpan.ToArray();
    }

    /// <summary>JSON; null if the transcoder refuses the bytes with its one exception.</summary>
    public static string? JsonOrNull(ProtoJsonTranscoder transcoder, ReadOnlySpan<byte> wire)
    {
        try
        {
            return Json(transcoder, wire);
        }
        catch (ProtoJsonException e)
        {
            Refusal = e.Message;
            return null;
        }
    }

    /// <summary>Why the last input was refused.</summary>
    public static string Refusal { get; private set; } = "";

    /// <summary>Protobuf; null if the transcoder refuses the JSON with its one exception.</summary>
    public static byte[]? ProtoOrNull(ProtoJsonTranscoder transcoder, string json)
    {
        try
        {
            return Proto(transcoder, json);
        }
        catch (ProtoJsonException e)
        {
            Refusal = e.Message;
            return null;
        }
    }

    /// <summary>Equal bytes; where they are not, the failure shows both as JSON.</summary>
    public static void AssertSameBytes(MessageDescriptor type, byte[]? expected, byte[]? actual)
    {
        if (expected is not null && actual is not null && !expected.AsSpan().SequenceEqual(actual))
            Assert.Equal(Google.ToJson(type, expected), Google.ToJson(type, actual));
        Assert.Equal(expected, actual);
    }

    /// <summary>Both directions of one message against Google's formatter and parser.</summary>
    public static void AssertLikeGoogle(ProtoJsonTranscoder transcoder, MessageDescriptor type, byte[] wire)
    {
        var expected = Google.ToJson(type, wire);
        Assert.NotNull(expected);
        var json = Json(transcoder, wire);
        Assert.Equal(expected, json);
        AssertSameBytes(type, Google.ToProto(type, json), Proto(transcoder, json));
    }
}
