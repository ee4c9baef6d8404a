namespace Abathur.Sync.Recordings.Mcap;

/// <summary>A stream of messages of one kind.</summary>
/// <param name="Id">Number of the channel in this file.</param>
/// <param name="SchemaId">Its schema; 0 where it has none.</param>
/// <param name="Topic">Name, e.g. "/observation".</param>
/// <param name="MessageEncoding">How messages are written, e.g. "protobuf".</param>
/// <param name="Metadata">Whatever else is to be known about it.</param>
public sealed record McapChannel(
    ushort Id, ushort SchemaId, string Topic, string MessageEncoding, IReadOnlyDictionary<string, string> Metadata) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.Channel;
}
