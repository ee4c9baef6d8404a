using System.Buffers;
using System.Text;
using Abathur.Protobuf.Wire;
using SC2APIProtocol;

namespace Abathur.Sync.Sc2Api;

/// <summary>
/// Writes <c>SC2APIProtocol.Response</c> messages around answers that are serialized already: the answer's bytes are copied once and never
/// parsed. One at a time.
/// </summary>
/// <remarks>
/// The answer's field, then <c>id</c> (97) where the request had one, <c>error</c> (98), <c>status</c> (99): the order that the game's own
/// serializer has.
/// </remarks>
internal sealed class ResponseEnvelope
{
    private const int LengthDelimited = 2;
    private readonly ArrayBufferWriter<byte> _bytes = new();

    /// <summary>An answer.</summary>
    /// <param name="id">Id of the request; null where it had none.</param>
    /// <param name="status">Status of the game after the request.</param>
    /// <param name="field">Field number of the answer in <c>Response</c>.</param>
    /// <param name="answer">The serialized answer, in parts that are put together.</param>
    /// <returns>The message: a view that is valid until the next is written.</returns>
    public ReadOnlyMemory<byte> Write(uint? id, Status status, int field, params ReadOnlySpan<ReadOnlyMemory<byte>> answer)
    {
        _bytes.ResetWrittenCount();
        WriteTag(field, LengthDelimited);
        var length = 0L;
        foreach (var part in answer) length += part.Length;
        WriteVarint((ulong)length);
        foreach (var part in answer) _bytes.Write(part.Span);
        return Finish(id, status);
    }

    /// <summary>A refusal: a response without an answer.</summary>
    /// <param name="id">Id of the request; null where it had none.</param>
    /// <param name="status">Status of the game, which a refusal leaves as it was.</param>
    /// <param name="error">What is wrong.</param>
    /// <returns>The message: a view that is valid until the next is written.</returns>
    public ReadOnlyMemory<byte> WriteError(uint? id, Status status, string error)
    {
        _bytes.ResetWrittenCount();
        if (id is { } number) WriteNumber(Response.IdFieldNumber, number);
        var text = Encoding.UTF8.GetBytes(error);
        WriteTag(Response.ErrorFieldNumber, LengthDelimited);
        WriteVarint((ulong)text.Length);
        _bytes.Write(text);
        return Finish(null, status);
    }

    private ReadOnlyMemory<byte> Finish(uint? id, Status status)
    {
        if (id is { } number) WriteNumber(Response.IdFieldNumber, number);
        WriteNumber(Response.StatusFieldNumber, (ulong)status);
        return _bytes.WrittenMemory;
    }

    private void WriteNumber(int field, ulong value)
    {
        WriteTag(field, 0);
        WriteVarint(value);
    }

    private void WriteTag(int field, int wireType) => WriteVarint(((ulong)field << 3) | (uint)wireType);

    private void WriteVarint(ulong value) => _bytes.Advance(Varint.Write(_bytes.GetSpan(Varint.MaxBytes), value));
}
