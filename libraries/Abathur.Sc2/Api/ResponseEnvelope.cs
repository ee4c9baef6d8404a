using Abathur.Protobuf.Wire;
using SC2APIProtocol;

namespace Abathur.Sc2.Api;

/// <summary>
/// Writes <c>SC2APIProtocol.Response</c> messages around serialized answers: the answer's bytes are copied once and never
/// parsed. One at a time.
/// </summary>
/// <remarks>
/// The answer's field, then <c>id</c> (97) if the request had one, <c>error</c> (98), <c>status</c> (99): the order of the game's own
/// serializer.
/// </remarks>
public sealed class ResponseEnvelope
{
    private readonly WireWriter _message = new();

    /// <summary>An answer.</summary>
    /// <param name="id">Id of the request; null if it had none.</param>
    /// <param name="status">Status of the game after the request.</param>
    /// <param name="field">Field number of the answer in <c>Response</c>.</param>
    /// <param name="answer">The serialized answer, in parts that are concatenated.</param>
    /// <returns>The message: a view that is valid until the next is written.</returns>
    public ReadOnlyMemory<byte> Write(uint? id, Status status, int field, params ReadOnlySpan<ReadOnlyMemory<byte>> answer)
    {
        _message.Clear();
        var length = 0;
        foreach (var part in answer) length += part.Length;
        _message.WriteLength(field, length);
        foreach (var part in answer) _message.Write(part.Span);
        return Finish(id, status);
    }

    /// <summary>A refusal: a response without an answer.</summary>
    /// <param name="id">Id of the request; null if it had none.</param>
    /// <param name="status">Status of the game, which a refusal does not change.</param>
    /// <param name="error">What is wrong.</param>
    /// <returns>The message: a view that is valid until the next is written.</returns>
    public ReadOnlyMemory<byte> WriteError(uint? id, Status status, string error)
    {
        _message.Clear();
        if (id is { } number) _message.WriteUInt64(Response.IdFieldNumber, number);
        _message.WriteString(Response.ErrorFieldNumber, error);
        return Finish(null, status);
    }

    private ReadOnlyMemory<byte> Finish(uint? id, Status status)
    {
        if (id is { } number) _message.WriteUInt64(Response.IdFieldNumber, number);
        _message.WriteUInt64(Response.StatusFieldNumber, (ulong)status);
        return _message.WrittenMemory;
    }
}
