using Google.Protobuf;

namespace Abathur.Emulator;

/// <summary>The answer to a request: a serialized message and its field in <c>Response</c>, or an error.</summary>
/// <param name="Field">Field number in <c>Response</c>; 0 for a refusal.</param>
/// <param name="Payload">The serialized answer. Valid until the next request.</param>
/// <param name="Error">Why the request is refused; null if it is accepted.</param>
public readonly record struct GameAnswer(int Field, ReadOnlyMemory<byte> Payload, string? Error = null)
{
    public static GameAnswer Of(int field, IMessage message) => new(field, message.ToByteArray());

    public static GameAnswer Refused(string error) => new(0, default, Error: error);
}
