using System.Buffers;
using System.Collections.Concurrent;
using Abathur.Protobuf;
using Abathur.Protobuf.ProtoJson;
using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Abathur.ProtoJsonConformance;

/// <summary>
/// Answers <c>conformance.ConformanceRequest</c>s. Both messages are read and written by their field numbers, so that the suite's own
/// files are not needed here. JSON to protobuf and protobuf to JSON are one call of the transcoder; the same form on both sides goes there
/// and back.
/// </summary>
internal sealed class Testee(TypeRegistry types)
{
    // Of the request.
    private const int ProtobufPayload = 1, JsonPayload = 2, RequestedFormat = 3, MessageType = 4, TestCategory = 5;

    // Of the response.
    private const int ParseError = 1, SerializeError = 6, ProtobufResult = 3, JsonResult = 4, Skipped = 5;

    // Of their enums.
    private const int ProtobufFormat = 1, JsonFormat = 2, IgnoreUnknownCategory = 3;

    private readonly ConcurrentDictionary<(MessageDescriptor, bool), ProtoJsonTranscoder> _transcoders = new();

    public byte[] Answer(byte[] request)
    {
        byte[]? protobuf = null, json = null;
        var (format, category, typeName) = (0, 0, "");
        var input = new CodedInputStream(request);
        for (var tag = input.ReadTag(); tag != 0; tag = input.ReadTag())
        {
            switch (WireFormat.GetTagFieldNumber(tag))
            {
                case ProtobufPayload: protobuf = input.ReadBytes().ToByteArray(); break;
                case JsonPayload: json = input.ReadBytes().ToByteArray(); break;
                case RequestedFormat: format = input.ReadEnum(); break;
                case MessageType: typeName = input.ReadString(); break;
                case TestCategory: category = input.ReadEnum(); break;
                default: input.SkipLastField(); break;
            }
        }
        // The suite asks first which of its tests are known to fail.
        if (typeName == "conformance.FailureSet") return Response(ProtobufResult, []);
        if (types.Find(typeName) is not { } type) return Response(Skipped, "no such type here"u8.ToArray());
        if ((protobuf is null && json is null) || format is not (ProtobufFormat or JsonFormat))
            return Response(Skipped, "neither protobuf nor JSON"u8.ToArray());
        return Transcode(type, protobuf, json, format, ignoresUnknown: category == IgnoreUnknownCategory);
    }

    private byte[] Transcode(MessageDescriptor type, byte[]? protobuf, byte[]? json, int format, bool ignoresUnknown)
    {
        var transcoder = _transcoders.GetOrAdd(
            (type, ignoresUnknown),
            key => ProtoJsonTranscoder.Create(key.Item1, new ProtoJsonOptions { TypeRegistry = types, IgnoreUnknownFields = key.Item2 }));
        // Protobuf to protobuf is not this library's business.
        if (protobuf is not null && format == ProtobufFormat) return Response(Skipped, "protobuf on both sides"u8.ToArray());
        try
        {
            var wire = protobuf;
            if (wire is null)
            {
                var written = new ArrayBufferWriter<byte>();
                transcoder.ToProto(json, written);
                wire = written.WrittenSpan.ToArray();
            }
            if (format == ProtobufFormat) return Response(ProtobufResult, wire);
            var text = new ArrayBufferWriter<byte>();
            transcoder.ToJson(wire, text);
            return Response(JsonResult, text.WrittenSpan.ToArray());
        }
        catch (ProtoJsonException e)
        {
            return Response(
                e.Error == ProtoJsonError.NoJsonForm ? SerializeError : ParseError, System.Text.Encoding.UTF8.GetBytes(e.Message));
        }
    }

    private static byte[] Response(int field, byte[] value)
    {
        var bytes = new byte[value.Length + 16];
        var output = new CodedOutputStream(bytes);
        output.WriteTag(field, WireFormat.WireType.LengthDelimited);
        output.WriteBytes(ByteString.CopyFrom(value));
        output.Flush();
        return bytes[..(int)output.Position];
    }
}
