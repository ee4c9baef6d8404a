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
/// Turns serialized messages of one type into canonical ProtoJSON and back, without message objects: tables compiled from the
/// descriptor say what each tag and each name means. Safe for any number of threads; allocates nothing per message once warm.
/// </summary>
/// <remarks>
/// <para>To JSON: the text of Google's <c>JsonFormatter</c> without its spaces, in UTF-8. Fields in order of their numbers whatever their order on the wire,
/// the last value of a singular field, merged messages, 64-bit integers and non-finite numbers as strings, unknown enum values as numbers;
/// unknown fields and extensions are omitted. Invalid UTF-8 in a string becomes U+FFFD.</para>
/// <para>To protobuf: takes what Google's <c>JsonParser</c> takes and gives the bytes that <c>ToByteArray</c> would give; it also takes base64
/// in the URL alphabet or without padding, <c>null</c> beside another member of a oneof, and an empty <c>Any</c>. Like there, integers
/// without quotes go through a double: those beyond 2^53 belong in quotes.</para>
/// <para>Types of proto2 and proto3 only: those of files with editions are refused when the transcoder is made, or where an Any holds one.</para>
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
    /// <exception cref="ArgumentException">The type, or one that it may hold, is from a file with editions.</exception>
    public static ProtoJsonTranscoder For(MessageDescriptor type) => Defaults.GetOrAdd(type, static each => new ProtoJsonTranscoder(each, new ProtoJsonOptions(), null));

    /// <summary>A transcoder of a message type.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="ArgumentException">The type, or one that it may hold, is from a file with editions.</exception>
    public static ProtoJsonTranscoder Create(MessageDescriptor type, ProtoJsonOptions options) => new(type, options, null);

    /// <summary>A transcoder that sees only the fields named by a field mask, as <see cref="WireProjection"/> understands it.</summary>
    /// <exception cref="ArgumentException">The type, or one that it may hold under the mask, is from a file with editions.</exception>
    /// <exception cref="FieldMaskException">A path is empty, too long, or names a field that is not there.</exception>
    public static ProtoJsonTranscoder Create(MessageDescriptor type, IReadOnlyCollection<string> fieldMask, ProtoJsonOptions? options = null) =>
        new(type, options ?? new ProtoJsonOptions(), FieldMaskNode.Compile(type, fieldMask));

    /// <summary>Writes the JSON of a serialized message: one object on one line, in UTF-8 without a byte order mark.</summary>
    /// <exception cref="ProtoJsonException">This is not such a message, or beyond a limit. What is in <paramref name="json"/> by then is incomplete.</exception>
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

    /// <summary>Writes the serialized message for a JSON text in UTF-8. Nothing is written unless all of it is right.</summary>
    /// <exception cref="ProtoJsonException">This is not JSON, not such a message, or beyond a limit.</exception>
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
            // Only what was just written is read there, so nothing is wrong with it but its depth.
            throw new ProtoJsonException(ProtoJsonError.LimitExceeded, $"members that are not in order hold groups that are nested deeper than {WireReader.MaxGroupDepth}", 0);
        }
        finally
        {
            _states.Return(state);
        }
    }

    private void CheckInput(int bytes)
    {
        if (bytes > _options.MaxInputBytes) throw new ProtoJsonException(ProtoJsonError.LimitExceeded, $"the input has {bytes} bytes; at most {_options.MaxInputBytes} are allowed", 0);
    }
}
