namespace Abathur.Sync.Recordings.Mcap;

/// <summary>How much of what a file holds.</summary>
/// <param name="MessageCount">Messages.</param>
/// <param name="SchemaCount">Different schemas.</param>
/// <param name="ChannelCount">Different channels.</param>
/// <param name="AttachmentCount">Attachments.</param>
/// <param name="MetadataCount">Metadata records.</param>
/// <param name="ChunkCount">Chunks.</param>
/// <param name="MessageStartTime">Lowest log time; 0 where there are no messages.</param>
/// <param name="MessageEndTime">Highest log time; 0 where there are no messages.</param>
/// <param name="ChannelMessageCounts">Messages of each channel.</param>
public sealed record McapStatistics(
    ulong MessageCount, ushort SchemaCount, uint ChannelCount, uint AttachmentCount, uint MetadataCount, uint ChunkCount,
    ulong MessageStartTime, ulong MessageEndTime, IReadOnlyDictionary<ushort, ulong> ChannelMessageCounts) : IMcapRecord
{
    /// <inheritdoc/>
    public McapOpcode Opcode => McapOpcode.Statistics;
}
