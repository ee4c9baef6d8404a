namespace Abathur.Sync.Recordings.Mcap;

/// <summary>Describes the messages of channels.</summary>
/// <param name="Id">Number of the schema in this file, not 0.</param>
/// <param name="Name">Name, for protobuf the full name of the message type.</param>
/// <param name="Encoding">What <paramref name="Data"/> is, e.g. "protobuf".</param>
/// <param name="Data">The description itself, for protobuf a <c>FileDescriptorSet</c> with all that it imports.</param>
public sealed record McapSchema(ushort Id, string Name, string Encoding, ReadOnlyMemory<byte> Data) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.Schema;
}
