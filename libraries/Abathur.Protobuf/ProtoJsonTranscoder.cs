using System.Buffers;
using System.Collections.Concurrent;
using Abathur.Protobuf.FieldMasks;
using Abathur.Protobuf.ProtoJson;
using Abathur.Protobuf.ProtoJson.Schema;
using Abathur.Protobuf.ProtoJson.State;
using Abathur.Protobuf.ProtoJson.ToJson;
using Abathur.Protobuf.ProtoJson.ToWire;
using Abathur.Protobuf.Wire;
using Google.Protobuf.Reflection;

namespace Abathur.Protobuf;

/// <summary>
/// Converts serialized messages of one type to canonical ProtoJSON and back, without message objects: it uses tables that are compiled from
/// the descriptor. Thread-safe; allocates nothing per message once warm.
/// </summary>
/// <remarks>
/// <para>To JSON: the text of Google's <c>JsonFormatter</c> without its spaces, in UTF-8. Fields in the order of their numbers, independent
/// of their order on the wire, the last value of a singular field, merged messages, 64-bit integers and non-finite numbers as strings,
/// unknown enum values as numbers; unknown fields and extensions are omitted. Invalid UTF-8 in a string becomes U+FFFD.</para>
/// <para>To protobuf: accepts what Google's <c>JsonParser</c> accepts and returns the bytes of <c>ToByteArray</c>; it also accepts base64
/// in the URL alphabet or without padding, <c>null</c> next to another member of a oneof, and an empty <c>Any</c>. As in the parser,
/// integers without quotes are converted to a double: those above 2^53 need quotes.</para>
/// <para>Types of proto2, proto3 and of editions, whose features are those of their descriptors.</para>
/// <para>Source: the ProtoJSON section of the protobuf guide; differential tests against Google.Protobuf.</para>
/// </remarks>
public sealed class ProtoJsonTranscoder
{
    private static readonly ConcurrentDictionary<MessageDescriptor, ProtoJsonTranscoder> Defaults = new();

    private readonly ProtoJsonOptions _options;
    private readonly TableCompiler _compiler;
    private readonly MessageTable _table;
    private readonly TranscoderState.Pool _states = new();

    private ProtoJsonTranscoder(MessageDescriptor type, ProtoJsonOptions options, FieldMaskNode? mask)
    {
        options.Validate();
        _options = options;
        _compiler = new TableCompiler(options.TypeRegistry);
        _table = TableCompiler.Compile(type, mask);
    }

    /// <summary>The transcoder of a message type with default options; the same object for the same type.</summary>
    public static ProtoJsonTranscoder For(MessageDescriptor type) =>
        Defaults.GetOrAdd(type, static each => new ProtoJsonTranscoder(each, new ProtoJsonOptions(), null));

    /// <summary>A transcoder of a message type.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public static ProtoJsonTranscoder Create(MessageDescriptor type, ProtoJsonOptions options) => new(type, options, null);

    /// <summary>A transcoder for only the fields in a field mask, with the rules of <see cref="WireProjection"/>.</summary>
    /// <exception cref="FieldMaskException">A path is empty, too long, or names a field that does not exist.</exception>
    public static ProtoJsonTranscoder Create(
        MessageDescriptor type, IReadOnlyCollection<string> fieldMask, ProtoJsonOptions? options = null) =>
        new(type, options ?? new ProtoJsonOptions(), FieldMaskNode.Compile(type, fieldMask));

    /// <summary>Writes the JSON of a serialized message: one object on one line, in UTF-8 without a byte order mark.</summary>
    /// <exception cref="ProtoJsonException">The message is invalid or exceeds a limit. The content of <paramref name="json"/> is incomplete
    /// then.</exception>
    public void ToJson(ReadOnlySpan<byte> wire, IBufferWriter<byte> json)
    {
        CheckInput(wire.Length);
        var state = _states.Rent();
        try
        {
            var writer = new WireToJson(wire, json, _options, _compiler, state);
            writer.WriteRoot(_table);
        }
        finally
        {
            _states.Return(state);
        }
    }

    /// <summary>Writes the serialized message for a JSON text in UTF-8. Nothing is written unless the whole text is valid.</summary>
    /// <exception cref="ProtoJsonException">The text is not valid JSON, not valid for the message, or exceeds a limit.</exception>
    public void ToProto(ReadOnlySpan<byte> json, IBufferWriter<byte> wire)
    {
        CheckInput(json.Length);
        var state = _states.Rent();
        try
        {
            var reader = new JsonToWire(json, state, _options, _compiler);
            reader.ReadRoot(_table);
            wire.Write(state.Scratch.Written);
        }
        catch (InvalidDataException)
        {
            // The reader only processes bytes that were just written, so only their depth can be wrong.
            throw new ProtoJsonException(
                ProtoJsonError.LimitExceeded,
                $"members that are not in order hold groups that are nested deeper than {WireReader.MaxGroupDepth}",
                0);
        }
        finally
        {
            _states.Return(state);
        }
    }

    private void CheckInput(int bytes)
    {
        if (bytes > _options.MaxInputBytes)
            throw new ProtoJsonException(
                ProtoJsonError.LimitExceeded, $"the input has {bytes} bytes; at most {_options.MaxInputBytes} are allowed", 0);
    }
}
