namespace Abathur.Sync.Recordings.Mcap;

/// <summary>Says where the messages of one channel are inside the chunk before it.</summary>
/// <param name="ChannelId">The channel.</param>
/// <param name="Entries">Log time of each message, and the offset of its record within the uncompressed chunk.</param>
public sealed record McapMessageIndex(ushort ChannelId, IReadOnlyList<(ulong LogTime, ulong Offset)> Entries) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.MessageIndex;
}
